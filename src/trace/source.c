// SPDX-License-Identifier: GPL-2.0-only
/* Opening a trace: which format it has, and what the file says of itself. */
#include "trace/source.h"

#include "base/cleanup.h"
#include "trace/trace_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_SIZE 8192 /* enough lines of kallsyms to see addresses */

static const char *const event_names[] = {
#define X(type, system, name) [type] = system ":" name,
	EVENT_LIST(X)
#undef X
		[EV_LOST] = "lost",
	[EV_RAW] = "raw",
};

const char *event_name(enum event_type type)
{
	return (unsigned)type < EV_COUNT ? event_names[type] : "?";
}

/* ---- what kind of file it is --------------------------------------------------------------------------------------- */

static bool begins_with(struct span bytes, const char *magic, size_t size)
{
	return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

static bool is_ftrace_text(struct span bytes)
{
	return begins_with(bytes, "# tracer:", 9) || begins_with(bytes, "cpus=", 5) ||
	       begins_with(bytes, "version = ", 10);
}

static int check_kind(const char *path, struct span bytes, struct cpir_error *err)
{
	if (begins_with(bytes, "\x17\x08\x44tracing", 10))
		return 0;
	if (!bytes.size)
		return error_set(
			err, -EBADMSG,
			"%s: the file is empty (at byte 0); record a trace with trace-cmd record",
			path);
	if (begins_with(bytes, "PERFILE2", 8) || begins_with(bytes, "2ELIFREP", 8))
		return error_set(err, -ENOTSUP,
				 "%s: perf.data files are not supported yet (at byte 0); record "
				 "with trace-cmd "
				 "record",
				 path);
	if (is_ftrace_text(bytes))
		return error_set(err, -ENOTSUP,
				 "%s: ftrace text is not supported yet (at byte 0); give the "
				 "trace.dat it was "
				 "made from",
				 path);
	return error_set(
		err, -EBADMSG,
		"%s: this is not a trace.dat file (at byte 0); give a file of trace-cmd record",
		path);
}

/* ---- what the file says of itself ------------------------------------------------------------------------------------ */

static char *copy_text(const uint8_t *begin, const uint8_t *end)
{
	return strndup((const char *)begin, (size_t)(end - begin));
}

/* "Linux NODE RELEASE MACHINE"; the node may be anything. */
static int read_uname(struct trace *trace)
{
	struct span text = trace->file.uname;
	const uint8_t *machine = NULL, *release = NULL, *end = NULL;

	if (text.size) {
		end = text.data + strnlen((const char *)text.data, text.size);
		while (end > text.data && end[-1] <= ' ')
			end--;
		machine = memrchr(text.data, ' ', (size_t)(end - text.data));
	}
	if (machine)
		release = memrchr(text.data, ' ', (size_t)(machine - text.data));
	trace->kernel = release ? copy_text(release + 1, machine) : strdup("");
	trace->arch = machine ? copy_text(machine + 1, end) : strdup("");
	return trace->kernel && trace->arch ? 0 : -ENOMEM;
}

/* The clock in use stands in brackets: "local [global] counter …". */
static int read_clock(struct trace *trace)
{
	struct span text = trace->file.clock;
	const uint8_t *open, *close;

	if (trace->file.chosen->clock && *trace->file.chosen->clock) {
		trace->clock = strdup(trace->file.chosen->clock);
		return trace->clock ? 0 : -ENOMEM;
	}
	open = text.size ? memchr(text.data, '[', text.size) : NULL;
	close = open ? memchr(open, ']', text.size - (size_t)(open - text.data)) : NULL;
	trace->clock = close ? copy_text(open + 1, close) : strdup("");
	return trace->clock ? 0 : -ENOMEM;
}

static void name_format(struct trace *trace)
{
	static const char *const names[] = {"", " zlib", " zstd"};

	(void)snprintf(trace->format, sizeof(trace->format), "trace.dat v%u%s", trace->file.version,
		       names[trace->file.compression]);
}

/* Its beginning tells whether kallsyms is there and holds addresses; the rest waits until it is needed. */
static bool kallsyms_usable(const struct trace *trace)
{
	uint8_t head[HEAD_SIZE];
	size_t got = tracedat_head(&trace->file, &trace->file.kallsyms, head, sizeof(head));
	size_t skip = trace->file.version == 6 ? 0 : 4; /* the size in front of the text */

	return got > skip && symbols_usable((struct span){head + skip, got - skip});
}

static int fill_info(struct trace *trace, struct cpir_error *err)
{
	struct trace_info *info = &trace->info;

	if (read_uname(trace) < 0 || read_clock(trace) < 0)
		return error_oom(err);
	name_format(trace);
	info->path = trace->path;
	info->format = trace->format;
	info->kernel = trace->kernel;
	info->arch = trace->arch;
	info->clock = trace->clock;
	info->clock_converted = trace->file.timebase.mult;
	info->cpus = trace->file.cpu_count;
	info->page_size = formats_subbuf_size(&trace->formats, &trace->file);
	info->long_size = trace->formats.ring.commit_size;
	info->big_endian = trace->file.big_endian;
	info->overrun = tracedat_overrun(&trace->file);
	info->has_symbols = kallsyms_usable(trace);
	memcpy(info->has_event, trace->formats.has_event, sizeof(info->has_event));
	info->has_event[EV_LOST] = true;
	if (!info->page_size)
		return tracedat_bad(&trace->file, 14, "the size of the sub-buffers makes no sense",
				    err);
	return 0;
}

/* ---- opening and closing --------------------------------------------------------------------------------------------- */

static int trace_load(struct trace *trace, struct span bytes, const struct trace_options *options,
		      struct cpir_error *err)
{
	int rc = check_kind(trace->path, bytes, err);

	if (rc < 0)
		return rc;
	trace->wants_lost = !options->want || options->want >> EV_LOST & 1;
	trace->file.path = trace->path;
	trace->file.file = bytes;
	rc = tracedat_open(&trace->file, err);
	if (rc < 0)
		return rc;
	rc = tracedat_choose(&trace->file, options->instance, err);
	if (rc < 0)
		return rc;
	rc = formats_open(&trace->formats, &trace->file, options, err);
	return rc < 0 ? rc : fill_info(trace, err);
}

static struct trace *trace_new(const char *path)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	(void)pthread_mutex_init(&trace->lock, NULL);
	trace->file.fd = -1;
	trace->path = strdup(path);
	if (!trace->path) {
		trace_close(trace);
		return NULL;
	}
	return trace;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	formats_close(&trace->formats);
	tracedat_close(&trace->file);
	symbols_free(trace->symbols);
	if (trace->map)
		(void)munmap(trace->map, trace->map_size);
	if (trace->file.fd >= 0)
		(void)close(trace->file.fd);
	(void)pthread_mutex_destroy(&trace->lock);
	free(trace->path);
	free(trace->kernel);
	free(trace->arch);
	free(trace->clock);
	free(trace);
}

/* @trace, made by trace_new(), becomes the caller's or is closed. */
static int trace_complete(struct trace *trace, struct span bytes,
			  const struct trace_options *options, struct trace **ret_trace,
			  struct cpir_error *err)
{
	int rc = trace_load(trace, bytes, options, err);

	if (rc < 0) {
		trace_close(trace);
		return rc;
	}
	*ret_trace = trace;
	return 0;
}

int trace_open_memory(const char *name, struct span bytes, const struct trace_options *options,
		      struct trace **ret_trace, struct cpir_error *err)
{
	struct trace *trace = trace_new(name);

	return trace ? trace_complete(trace, bytes, options, ret_trace, err) : error_oom(err);
}

/* Open the file, and map the whole of it for what is looked at here and there; an empty one gives an empty span. */
static int map_file(struct trace *trace, struct span *ret_bytes, struct cpir_error *err)
{
	int fd = open(trace->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map;

	trace->file.fd = fd;
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, -errno, "%s: cannot open: %m", trace->path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s: not a regular file; give a trace.dat file",
				 trace->path);
	*ret_bytes = (struct span){(const uint8_t *)"", 0};
	if (!st.st_size)
		return 0;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return error_set(err, -errno, "%s: cannot map into memory: %m", trace->path);
	trace->map = map;
	trace->map_size = (size_t)st.st_size;
	*ret_bytes = (struct span){map, trace->map_size};
	(void)madvise(map, trace->map_size, MADV_SEQUENTIAL);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

int trace_open(const char *path, const struct trace_options *options, struct trace **ret_trace,
	       struct cpir_error *err)
{
	struct trace *trace = trace_new(path);
	struct span bytes;
	int rc = trace ? map_file(trace, &bytes, err) : error_oom(err);

	if (rc < 0) {
		trace_close(trace);
		return rc;
	}
	return trace_complete(trace, bytes, options, ret_trace, err);
}

const struct trace_info *trace_info(const struct trace *trace)
{
	return &trace->info;
}

struct tep_handle *trace_tep(const struct trace *trace)
{
	return trace->formats.tep;
}

/* ---- symbols, on demand ---------------------------------------------------------------------------------------------- */

/* The text of kallsyms, unpacked at the first call; called with the lock held. Trouble with it means no symbols. */
static struct span kallsyms_text(struct trace *trace)
{
	struct tracedat *file = &trace->file;
	struct reader r = {.swap = file->swap};

	if (trace->kallsyms_read)
		return trace->kallsyms;
	trace->kallsyms_read = true;
	if (file->version == 6) {
		trace->kallsyms = file->kallsyms.body;
	} else if (tracedat_unpack(file, &file->kallsyms, &r.in, NULL) == 0) {
		uint32_t size = reader_u32(&r);

		trace->kallsyms = reader_bytes(&r, size);
	}
	if (!trace->kallsyms.size)
		trace->kallsyms = (struct span){(const uint8_t *)"", 0};
	return trace->kallsyms;
}

const struct symbols_ticks *trace_ticks(struct trace *trace)
{
	(void)pthread_mutex_lock(&trace->lock);
	if (!trace->ticks_known)
		symbols_find_ticks(kallsyms_text(trace), &trace->ticks);
	trace->ticks_known = true;
	(void)pthread_mutex_unlock(&trace->lock);
	return &trace->ticks;
}

const char *trace_function_name(const struct trace *trace, uint64_t address)
{
	/* Learning the symbols at the first question is no change that anyone can see. */
	struct trace *mutable = (struct trace *)(uintptr_t)trace;
	const char *name = NULL;

	(void)pthread_mutex_lock(&mutable->lock);
	if (!mutable->symbols)
		(void)symbols_new(kallsyms_text(mutable), &mutable->symbols);
	if (mutable->symbols)
		name = symbols_find(mutable->symbols, address);
	(void)pthread_mutex_unlock(&mutable->lock);
	return name;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stories as text. Empty lines and lines that begin with # do not count. First come facts, "KEY: VALUE":
 *
 *   version: v6 | v7              container (v7)
 *   compression: none|zlib|zstd   of the container, v7 only (none)
 *   chunk: PAGES                  sub-buffers per compressed chunk (2)
 *   endian: little | big          byte order of the machine (little)
 *   long: 4 | 8                   bytes of its long (8)
 *   page: BYTES                   size of its sub-buffers (4096)
 *   cpus: N                       its CPUs (1)
 *   clock: NAME                   trace clock (local)
 *   uname: TEXT                   "Linux (none) 6.12.0 x86_64"
 *   offset: NS                    added to all times by the reader
 *   tsc: MULT SHIFT OFFSET        the times of the story are counts, to be converted by the reader
 *   overrun: CPU N                events that the machine's statistics say were lost
 *   symbol: ADDRESS NAME          a function; others get made-up addresses when they are named
 *   task: PID NAME                name of a task
 *   event: SYSTEM NAME TYPE FIELD, …   another event, or other fields of a known one
 *   omit: SYSTEM:NAME …           events that the machine does not describe
 *   platform: FILE                for whoever tells the story; no part of the trace
 *
 * then what happened, "CPU TIME EVENT FIELD=VALUE …", with the time in seconds, and times of a CPU never going back. Fields
 * left out get a sensible default. A value is a number, a duration ("1.5ms", in ns), a name (of a function or object, in
 * fields that hold an address) or a text, in "quotes" if it has blanks. common_pid, common_flags and common_preempt_count
 * may be given like fields; common_pid is usually the task that the last sched_switch of the CPU brought.
 *
 * In the place of EVENT may stand what the ring buffer does: "lost N" (events were lost before here; 0: nobody knows how
 * many), "page" (a new sub-buffer begins), "extend" (a time extend record), "stamp" (an absolute time stamp), "discard BYTES"
 * (a discarded record).
 *
 * "instance: NAME" between such lines says that the following ones are of that buffer instance; without NAME, of the top one.
 */
#include "story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define WORDS_MAX 32

/* struct teller - the story being read; @current: pid of the task that runs, by CPU */
struct teller {
	struct story *story;
	char *const *settings;
	size_t setting_count;
	uint32_t line, instance;
	bool begun; /* the facts are settled */
	int32_t *current;
	uint64_t *last_ns;
};

static void bad_line(const struct teller *teller, const char *what) __attribute__((noreturn));

static void bad_line(const struct teller *teller, const char *what)
{
	die("%s:%u: %s", teller->story->path, teller->line, what);
}

/* words_split - blanks separate, except within quotes, which go away; returns the number of words */
static size_t words_split(const struct teller *teller, char *line, char *words[WORDS_MAX])
{
	size_t count = 0;
	char *to;

	for (;;) {
		bool quoted = false;

		line += strspn(line, " \t");
		if (!*line)
			return count;
		if (count == WORDS_MAX)
			bad_line(teller, "too many words");
		words[count++] = to = line;
		for (; *line && (quoted || !strchr(" \t", *line)); line++) {
			if (*line == '"')
				quoted = !quoted;
			else
				*to++ = *line;
		}
		if (quoted)
			bad_line(teller, "a quote is not closed");
		if (*line)
			line++;
		*to = '\0';
	}
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static void set_number(const struct teller *teller, const char *value, uint32_t max, uint32_t *ret)
{
	if (parse_u32(value, 1, max, ret))
		bad_line(teller, "not a number in range");
}

static void set_version(struct teller *teller, const char *value)
{
	if (strcmp(value, "v6") && strcmp(value, "v7"))
		bad_line(teller, "version is v6 or v7");
	teller->story->v7 = value[1] == '7';
}

static void set_compression(struct teller *teller, const char *value)
{
	if (strcmp(value, "none") && strcmp(value, "zlib") && strcmp(value, "zstd"))
		bad_line(teller, "compression is none, zlib or zstd");
	(void)snprintf(teller->story->compression, sizeof(teller->story->compression), "%s", value);
}

static void set_endian(struct teller *teller, const char *value)
{
	if (strcmp(value, "little") && strcmp(value, "big"))
		bad_line(teller, "endian is little or big");
	teller->story->big_endian = *value == 'b';
}

static void set_long(struct teller *teller, const char *value)
{
	if (strcmp(value, "4") && strcmp(value, "8"))
		bad_line(teller, "long is 4 or 8");
	teller->story->long_size = (uint32_t)*value - '0';
}

static void set_chunk(struct teller *teller, const char *value)
{
	set_number(teller, value, 1000, &teller->story->chunk_pages);
}

static void set_page(struct teller *teller, const char *value)
{
	set_number(teller, value, 1 << 20, &teller->story->page_size);
	if (teller->story->page_size < 256 || teller->story->page_size % 8)
		bad_line(teller, "page is a multiple of 8, at least 256");
}

static void set_cpus(struct teller *teller, const char *value)
{
	set_number(teller, value, CPIR_CPUS_MAX, &teller->story->cpus);
}

static void set_clock(struct teller *teller, const char *value)
{
	(void)snprintf(teller->story->clock, sizeof(teller->story->clock), "%s", value);
}

static void set_uname(struct teller *teller, const char *value)
{
	(void)snprintf(teller->story->uname, sizeof(teller->story->uname), "%s", value);
}

static void set_offset(struct teller *teller, const char *value)
{
	(void)snprintf(teller->story->offset, sizeof(teller->story->offset), "%s", value);
}

static void set_tsc(struct teller *teller, const char *value)
{
	struct story *story = teller->story;

	if (sscanf(value, "%" SCNu32 " %" SCNu32 " %" SCNu64, &story->tsc_mult, &story->tsc_shift,
		   &story->tsc_offset) != 3)
		bad_line(teller, "tsc is MULT SHIFT OFFSET");
}

static struct story_name *name_add(struct teller *teller, const char *name, uint64_t value,
				   bool symbol)
{
	struct story *story = teller->story;
	struct story_name *entry = symbol ? array_add(&story->symbols) : array_add(&story->tasks);

	if (!entry)
		die("out of memory");
	(void)snprintf(entry->name, sizeof(entry->name), "%s", name);
	entry->value = value;
	return entry;
}

static void set_symbol(struct teller *teller, const char *value)
{
	char name[STORY_NAME];
	uint64_t address;

	if (sscanf(value, "%" SCNx64 " %47s", &address, name) != 2)
		bad_line(teller, "symbol is ADDRESS NAME");
	name_add(teller, name, address, true);
}

static void set_task(struct teller *teller, const char *value)
{
	char name[STORY_NAME];
	uint64_t pid;

	if (sscanf(value, "%" SCNu64 " %15s", &pid, name) != 2)
		bad_line(teller, "task is PID NAME");
	name_add(teller, name, pid, false);
}

static void set_event(struct teller *teller, const char *value)
{
	char system[STORY_NAME], name[STORY_NAME];
	const char *error = "event is SYSTEM NAME TYPE FIELD, …";
	int used = 0;

	if (sscanf(value, "%47s %47s %n", system, name, &used) == 2 && value[used])
		error = story_define(teller->story, system, name, value + used);
	if (error)
		bad_line(teller, error);
}

static void set_omit(struct teller *teller, const char *value)
{
	struct story *story = teller->story;
	size_t found = 0;

	for (size_t i = 0; i < story->events.len; i++) {
		struct story_event *event = &story->events.ptr[i];
		char full[2 * STORY_NAME];
		const char *at;

		(void)snprintf(full, sizeof(full), "%s:%s", event->system, event->name);
		at = strstr(value, full);
		event->omitted |= at && strcspn(at, " ") == strlen(full);
		found += event->omitted;
	}
	if (!found)
		bad_line(teller, "no such event to omit");
}

static void set_platform(struct teller *teller, const char *value)
{
	(void)teller;
	(void)value;
}

static void set_overrun(struct teller *teller, const char *value)
{
	struct story *story = teller->story;
	uint64_t count;
	uint32_t cpu;

	if (sscanf(value, "%" SCNu32 " %" SCNu64, &cpu, &count) != 2 || cpu >= story->cpus)
		bad_line(teller, "overrun is CPU N, behind cpus");
	if (!story->overrun)
		story->overrun = calloc(story->cpus, sizeof(*story->overrun));
	if (!story->overrun)
		die("out of memory");
	story->overrun[cpu] = count;
}

static const struct fact {
	const char *key;
	void (*set)(struct teller *teller, const char *value);
} facts[] = {
	{"version", set_version},   {"compression", set_compression},
	{"chunk", set_chunk},	    {"endian", set_endian},
	{"long", set_long},	    {"page", set_page},
	{"cpus", set_cpus},	    {"clock", set_clock},
	{"uname", set_uname},	    {"offset", set_offset},
	{"tsc", set_tsc},	    {"overrun", set_overrun},
	{"symbol", set_symbol},	    {"task", set_task},
	{"event", set_event},	    {"omit", set_omit},
	{"platform", set_platform},
};

static void fact_set(struct teller *teller, const char *key, const char *value)
{
	for (size_t i = 0; i < array_size(facts); i++) {
		if (strcmp(facts[i].key, key))
			continue;
		facts[i].set(teller, value);
		return;
	}
	bad_line(teller, "unknown key");
}

/* is_overridden - was this key set from the command line? */
static bool is_overridden(const struct teller *teller, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < teller->setting_count; i++) {
		if (!strncmp(teller->settings[i], key, len) && teller->settings[i][len] == ':')
			return true;
	}
	return false;
}

static void instance_set(struct teller *teller, const char *name)
{
	struct story *story = teller->story;
	struct story_name *instance;

	for (uint32_t i = 0; i < story->instances.len; i++) {
		teller->instance = i;
		if (!strcmp(story->instances.ptr[i].name, name))
			return;
	}
	instance = array_add(&story->instances);
	if (!instance)
		die("out of memory");
	(void)snprintf(instance->name, sizeof(instance->name), "%s", name);
	teller->instance = (uint32_t)story->instances.len - 1;
}

/* fact_line - "KEY: VALUE" at @colon */
static void fact_line(struct teller *teller, char *line, char *colon)
{
	char *value = colon + 1 + strspn(colon + 1, " \t");

	*colon = '\0';
	if (!strcmp(line, "instance")) {
		instance_set(teller, value);
		return;
	}
	if (teller->begun)
		bad_line(teller, "facts come before what happened");
	if (!is_overridden(teller, line))
		fact_set(teller, line, value);
}

/* ---- what happened ----------------------------------------------------------------------------------------------- */

static void begin(struct teller *teller)
{
	struct story *story = teller->story;

	if (teller->begun)
		return;
	teller->begun = true;
	teller->current = calloc(story->cpus, sizeof(*teller->current));
	teller->last_ns =
		calloc((size_t)story->cpus * (story->instances.len + 8), sizeof(*teller->last_ns));
	if (!teller->current || !teller->last_ns)
		die("out of memory");
	story->records.big_endian = story->big_endian;
	story_layout(story);
}

/* context_take - what every record begins with, from words of the line; those meant for it alone are taken out */
static struct story_context context_take(struct teller *teller, uint32_t cpu, char **words,
					 size_t *count)
{
	struct story_context context = {.cpu = cpu, .pid = teller->current[cpu]};
	bool has_pid = false;
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		const char *equals = strchr(words[i], '=');
		uint64_t value = 0;

		if (strncmp(words[i], "common_", 7)) {
			/* prev_pid of sched_switch: the task that is still there */
			if (!strncmp(words[i], "prev_pid=", 9) && !has_pid)
				context.pid = atoi(words[i] + 9);
			words[kept++] = words[i];
			continue;
		}
		if (!equals || parse_u64(equals + 1, 0, INT32_MAX, &value))
			bad_line(teller, "not a number");
		if ((has_pid |= !strncmp(words[i], "common_pid=", 11)))
			context.pid = (int32_t)value;
		else if (!strncmp(words[i], "common_flags=", 13))
			context.flags = (uint8_t)value;
		else if (!strncmp(words[i], "common_preempt_count=", 21))
			context.preempt_count = (uint8_t)value;
		else
			bad_line(teller, "no such common field");
	}
	*count = kept;
	return context;
}

static bool special_parse(const struct teller *teller, struct story_entry *entry,
			  char *const *words, size_t count)
{
	static const struct {
		const char *word;
		enum entry_kind kind;
		size_t words;
	} specials[] = {
		{"lost", ENTRY_LOST, 2},       {"page", ENTRY_PAGE, 1},
		{"extend", ENTRY_EXTEND, 1},   {"stamp", ENTRY_STAMP, 1},
		{"discard", ENTRY_DISCARD, 2},
	};

	for (size_t i = 0; i < array_size(specials); i++) {
		if (strcmp(words[0], specials[i].word))
			continue;
		if (count != specials[i].words ||
		    (count > 1 && parse_u64(words[1], 0, UINT32_MAX, &entry->value)))
			bad_line(teller, "not of the form WORD or WORD N");
		entry->kind = specials[i].kind;
		return true;
	}
	return false;
}

static uint32_t event_find(const struct teller *teller, const char *name)
{
	const struct story *story = teller->story;
	const char *colon = strchr(name, ':');

	for (size_t i = 0; i < story->events.len; i++) {
		const struct story_event *event = &story->events.ptr[i];

		if (colon && (strncmp(event->system, name, (size_t)(colon - name)) ||
			      event->system[colon - name]))
			continue;
		if (!strcmp(event->name, colon ? colon + 1 : name))
			return (uint32_t)i;
	}
	bad_line(teller, "unknown event");
}

static void event_parse(struct teller *teller, struct story_entry *entry, char **words,
			size_t count)
{
	struct story *story = teller->story;
	struct story_context context;
	const struct story_event *event;
	const char *error;

	entry->event = event_find(teller, words[0]);
	event = &story->events.ptr[entry->event];
	if (event->omitted)
		bad_line(teller, "this event is omitted");
	count--;
	words++;
	context = context_take(teller, entry->cpu, words, &count);
	entry->data = story->records.len;
	error = story_encode(story, event, &context, words, count);
	if (error)
		bad_line(teller, error);
	entry->size = story->records.len - entry->data;
	for (uint32_t i = 0; i < event->field_count; i++) {
		if (!strcmp(event->name, "sched_switch") &&
		    !strcmp(event->fields[i].name, "next_pid"))
			teller->current[entry->cpu] = (int32_t)story_field_number(
				story, &event->fields[i], story->records.ptr + entry->data);
	}
}

static void entry_line(struct teller *teller, char *line)
{
	struct story *story = teller->story;
	struct story_entry entry = {.line = teller->line, .instance = teller->instance};
	char *words[WORDS_MAX];
	size_t count = words_split(teller, line, words);
	struct story_entry *slot;
	uint64_t *last;

	begin(teller);
	if (count < 3 || parse_u32(words[0], 0, story->cpus - 1, &entry.cpu) ||
	    parse_time_s(words[1], &entry.time_ns))
		bad_line(teller, "not CPU TIME EVENT …, or no such CPU");
	if (entry.instance >= 8)
		bad_line(teller, "too many instances");
	last = &teller->last_ns[entry.instance * story->cpus + entry.cpu];
	if (entry.time_ns < *last)
		bad_line(teller, "time goes back on this CPU");
	*last = entry.time_ns;
	if (!special_parse(teller, &entry, words + 2, count - 2))
		event_parse(teller, &entry, words + 2, count - 2);
	slot = array_add(&story->entries);
	if (!slot)
		die("out of memory");
	*slot = entry;
}

static void line_read(struct teller *teller, char *line)
{
	size_t key = strspn(line, "abcdefghijklmnopqrstuvwxyz");

	line[strcspn(line, "\r\n")] = '\0';
	teller->line++;
	if (!line[strspn(line, " \t")] || *line == '#')
		return;
	if (key && line[key] == ':')
		fact_line(teller, line, line + key);
	else
		entry_line(teller, line);
}

void story_read(struct story *story, const char *path, char *const *settings, size_t count)
{
	struct teller teller = {.story = story, .settings = settings, .setting_count = count};
	FILE *file = fopen(path, "r");
	char line[4096];

	if (!file)
		die("%s: %m", path);
	*story = (struct story){.path = path,
				.v7 = true,
				.long_size = 8,
				.page_size = 4096,
				.cpus = 1,
				.chunk_pages = 2,
				.compression = "none",
				.clock = "local",
				.uname = "Linux (none) 6.12.0 x86_64"};
	story_add_known(story);
	instance_set(&teller, "");
	for (size_t i = 0; i < count; i++) {
		char *copy = strdup(settings[i]), *colon = copy ? strchr(copy, ':') : NULL;

		if (!colon)
			die("%s: not KEY:VALUE", settings[i]);
		*colon = '\0';
		fact_set(&teller, copy, colon + 1 + strspn(colon + 1, " "));
		free(copy);
	}
	while (fgets(line, sizeof(line), file))
		line_read(&teller, line);
	(void)fclose(file);
	begin(&teller);
	free(teller.current);
	free(teller.last_ns);
}

void story_deinit(struct story *story)
{
	array_free(&story->symbols);
	array_free(&story->objects);
	array_free(&story->tasks);
	array_free(&story->instances);
	array_free(&story->events);
	array_free(&story->entries);
	free(story->overrun);
	buffer_deinit(&story->records);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes trace.dat files in memory, of either version, byte order, long size and compression: bytes, then sub-buffers out
 * of records, then a file around them. Everything ends the test program when there is no memory.
 */
#ifndef TRACE_FIXTURE_H
#define TRACE_FIXTURE_H

#include "trace/compress.h"

/** struct blob - bytes that grow; zero-initialise but for the byte order; free with blob_free() */
struct blob {
	uint8_t *data;
	size_t size, room;
	bool big_endian;
};

void blob_add(struct blob *blob, const void *data, size_t size);
void blob_add_number(struct blob *blob, uint64_t value, unsigned size);
void blob_add_text(struct blob *blob, const char *text);   /* without its NUL */
void blob_add_string(struct blob *blob, const char *text); /* with it */
void blob_pad(struct blob *blob, size_t size);		   /* zeros, until blob->size is @size */
void blob_set_number(struct blob *blob, size_t at, uint64_t value, unsigned size);
void blob_free(struct blob *blob);

/** struct page_maker - appends sub-buffers to a blob, record by record */
struct page_maker {
	struct blob *out;
	unsigned long_size;
	uint32_t page_size;
	size_t begin; /* of the page at work */
};

#define PAGE_MISSED 0x80000000u
#define PAGE_MISSED_STORED 0xc0000000u

void page_begin(struct page_maker *maker, uint64_t time_ns);
void page_word(struct page_maker *maker, uint32_t type, uint32_t delta);
void page_record(struct page_maker *maker, uint32_t delta, const struct blob *event);
void page_record_long(struct page_maker *maker, uint32_t delta, const struct blob *event);
void page_extend(struct page_maker *maker, uint64_t delta);
void page_stamp(struct page_maker *maker, uint64_t time_ns);
void page_discarded(struct page_maker *maker, uint32_t delta, uint32_t size);
/* page_end - @missed: 0, PAGE_MISSED, or PAGE_MISSED_STORED with @lost events behind the records */
void page_end(struct page_maker *maker, uint32_t missed, uint64_t lost);

/** struct fixture_buffer - an instance: for each CPU, whole pages */
struct fixture_buffer {
	const char *name;
	const struct blob *cpus;
	uint32_t cpu_count;
};

/** struct fixture_option - an extra option */
struct fixture_option {
	uint16_t id;
	const void *data;
	uint32_t size;
};

/** struct fixture - what the file is to be; zero-initialise, then set */
struct fixture {
	unsigned version; /* 6 or 7 */
	bool big_endian;
	unsigned long_size; /* 4 or 8 */
	uint32_t page_size;
	enum compression compression;
	uint32_t chunk_pages;	    /* per compressed chunk, 0: 2 */
	const char *const *formats; /* of events of system "power" … */
	const char *const *systems; /* … or of these */
	unsigned format_count;
	const char *const *ftrace_formats;
	unsigned ftrace_format_count;
	const char *kallsyms;
	const struct fixture_buffer *buffers; /* the top one ("") first */
	unsigned buffer_count;
	const struct fixture_option *options;
	unsigned option_count;
	bool latency;
};

/** fixture_build - the file's bytes; free with blob_free() */
struct blob fixture_build(const struct fixture *fixture);

/* The common fields of a format, after its name and id. */
#define FIXTURE_COMMON                                                                             \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Formats to put into a fixture: ids 100, 101 … in the order of the names, common fields of eight bytes. */
extern const char fixture_cpu_idle[]; /* id 100: u32 state, u32 cpu_id */
extern const char fixture_wakeup[];   /* id 101: comm[16], pid, prio, target_cpu */
extern const char
	fixture_hrtimer_start[];     /* id 102: hrtimer, function, expires, softexpires, mode */
extern const char fixture_dev_qos[]; /* id 103: __data_loc name, type, new_value */
extern const char fixture_print[];   /* id 5 of ftrace: ip, buf[] */

/* fixture_event - a new event's common fields: id and task */
struct blob fixture_event(bool big_endian, uint16_t id, int32_t pid);

/* fixture_idle - a whole power:cpu_idle event of fixture_cpu_idle */
struct blob fixture_idle(bool big_endian, uint32_t state, uint32_t cpu);

#endif

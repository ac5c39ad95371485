/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A story: what a made trace is to contain, read from a readable text (story_text.c describes it), independent of the file
 * format it is written in afterwards.
 */
#ifndef TOOLS_STORY_H
#define TOOLS_STORY_H

#include "base/array.h"
#include "buffer.h"

#define STORY_FIELDS 12
#define STORY_NAME 48
#define STORY_PRINT_ID 5 /* of ftrace's own event, the same on every kernel */

enum field_type {
	FIELD_NUMBER, /* @size bytes, @is_signed */
	FIELD_POINTER,
	FIELD_COMM,   /* 16 bytes of text */
	FIELD_STRING, /* text behind the record, 16 + 16 bits of length and offset in it */
	FIELD_TAIL,   /* text up to the end of the record; the last field */
};

/** struct story_field - one field of an event; @size and @offset as in its format */
struct story_field {
	char name[STORY_NAME], word[16]; /* word: its C type in the format */
	enum field_type type;
	bool is_signed;
	uint32_t size, offset;
};

/** struct story_event - a kind of event. @omitted: the recording machine does not describe it */
struct story_event {
	char system[STORY_NAME], name[STORY_NAME];
	uint16_t id;
	bool omitted;
	uint32_t field_count, size; /* size: of the fixed part of a record */
	struct story_field fields[STORY_FIELDS];
};

enum entry_kind {
	ENTRY_EVENT,
	ENTRY_LOST,    /* @value events were lost before this; 0: their number is unknown */
	ENTRY_PAGE,    /* what follows begins a new sub-buffer */
	ENTRY_EXTEND,  /* a time extend record, though none is needed */
	ENTRY_STAMP,   /* an absolute time stamp record */
	ENTRY_DISCARD, /* a discarded record of @value bytes */
};

/** struct story_entry - one line of the story; @data, @size: the record of an event */
struct story_entry {
	enum entry_kind kind;
	uint32_t cpu, instance, line;
	uint64_t time_ns, value;
	uint32_t event;	   /* index into events */
	size_t data, size; /* in story.records */
};

struct story_name {
	uint64_t value; /* address, or pid */
	char name[STORY_NAME];
};

/** struct story - facts first, then what happened, in the order of the lines */
struct story {
	const char *path;
	bool v7, big_endian;
	uint32_t long_size, page_size, cpus, chunk_pages;
	char compression[16], clock[STORY_NAME], uname[256], offset[32];
	uint32_t tsc_mult, tsc_shift; /* mult 0: the stamps are ns */
	uint64_t tsc_offset;
	uint64_t *overrun; /* [cpu] */
	ARRAY(struct story_name) symbols, objects, tasks;
	ARRAY(struct story_name) instances; /* [0] is the top one, "" */
	ARRAY(struct story_event) events;
	ARRAY(struct story_entry) entries;
	struct buffer records;
};

/**
 * story_read - read the story at @path; dies with a message that names the line when it makes no sense
 * @settings: "key: value" lines that replace those of the file
 */
void story_read(struct story *story, const char *path, char *const *settings, size_t count);
void story_deinit(struct story *story);

/* ---- story_events.c ---------------------------------------------------------------------------------------------- */

/** story_add_known - define every event that the program knows by name */
void story_add_known(struct story *story);

/**
 * story_define - define or redefine an event
 * @fields: "TYPE NAME, …" with the types u8 … s64, bool, int, uint, long, ulong, ptr, comm, string, tail
 * Returns: NULL, or what is wrong
 */
const char *story_define(struct story *story, const char *system, const char *name,
			 const char *fields);

/** story_layout - compute offsets and sizes, once the size of a long is known */
void story_layout(struct story *story);

/** story_format - append the format description of an event, as the kernel shows it */
void story_format(const struct story_event *event, struct buffer *out);

/** story_list - print the entries of an instance in time order, one a line: "CPU TIME NAME FIELD=VALUE …" */
void story_list(const struct story *story, const char *instance);

/* ---- story_record.c ---------------------------------------------------------------------------------------------- */

/** struct story_context - who runs, for the fields every record begins with */
struct story_context {
	uint32_t cpu;
	int32_t pid;
	uint8_t flags, preempt_count;
};

/**
 * story_encode - append a record to story->records
 * @words: "FIELD=VALUE" of @count fields; others get their default
 * Returns: NULL, or what is wrong
 */
const char *story_encode(struct story *story, const struct story_event *event,
			 const struct story_context *context, char *const *words, size_t count);

/** story_field_number - value of a number or pointer in a record */
uint64_t story_field_number(const struct story *story, const struct story_field *field,
			    const uint8_t *record);

/** story_field_text - text of a comm, string or tail field in a record; NUL-terminated */
const char *story_field_text(const struct story *story, const struct story_field *field,
			     const uint8_t *record);

/* ---- writers ----------------------------------------------------------------------------------------------------- */

/** dat_write - the story as a trace.dat */
void dat_write(const struct story *story, struct buffer *out);

#endif

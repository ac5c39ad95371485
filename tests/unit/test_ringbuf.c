// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers made by hand: every kind of record, both byte orders and long sizes, and pages cut or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/ringbuf.h"
#include "trace_fixture.h"

#include <stdio.h>

#define PAGE 256

/** struct layout - a byte order and a size of long, as cmocka state */
struct layout {
	bool big_endian;
	unsigned long_size;
};

static struct ringbuf_format format_of(const struct layout *layout)
{
	return (struct ringbuf_format){
		.swap = layout->big_endian != HOST_BIG_ENDIAN,
		.big_endian = layout->big_endian,
		.commit_offset = 8,
		.commit_size = layout->long_size,
		.data_offset = 8 + layout->long_size,
	};
}

/** struct scene - a page in the making and its reader */
struct scene {
	struct blob bytes;
	struct page_maker maker;
	struct ringbuf_format format;
	struct ringbuf ring;
	struct ringbuf_loss loss;
};

static void scene_begin(struct scene *scene, void **state, uint64_t time_ns)
{
	const struct layout *layout = *state;

	*scene =
		(struct scene){.bytes.big_endian = layout->big_endian, .format = format_of(layout)};
	scene->maker = (struct page_maker){&scene->bytes, layout->long_size, PAGE, 0};
	page_begin(&scene->maker, time_ns);
}

static void scene_add(struct scene *scene, uint32_t delta, uint32_t tag)
{
	struct blob event = {.big_endian = scene->bytes.big_endian};

	blob_add_number(&event, tag, 4);
	page_record(&scene->maker, delta, &event);
	blob_free(&event);
}

static void scene_load(struct scene *scene)
{
	struct span page = {scene->bytes.data, scene->bytes.size};

	assert_null(ringbuf_load(&scene->ring, &scene->format, page, &scene->loss));
}

static enum ringbuf_step scene_next(struct scene *scene, struct ringbuf_record *record)
{
	const struct ringbuf_format *format = &scene->format;

	if (format->swap)
		return ringbuf_next(&scene->ring, true, format->big_endian, record);
	return ringbuf_next(&scene->ring, false, format->big_endian, record);
}

static void expect(struct scene *scene, uint64_t time_ns, uint32_t tag)
{
	struct ringbuf_record record;

	assert_int_equal(scene_next(scene, &record), RINGBUF_RECORD);
	assert_int_equal(scene->ring.time, time_ns);
	assert_int_equal(load_u32(record.data, scene->format.swap), tag);
}

static void expect_end(struct scene *scene, enum ringbuf_step step)
{
	struct ringbuf_record record;

	assert_int_equal(scene_next(scene, &record), step);
	assert_int_equal(scene_next(scene, &record), step);
	blob_free(&scene->bytes);
}

static void test_records(void **state)
{
	struct scene s;

	scene_begin(&s, state, 1000);
	scene_add(&s, 0, 1);
	scene_add(&s, 7, 2);
	scene_add(&s, (1u << 27) - 1, 3);
	page_end(&s.maker, 0, 0);
	scene_load(&s);
	assert_false(s.loss.any);
	expect(&s, 1000, 1);
	expect(&s, 1007, 2);
	expect(&s, 1007 + (1u << 27) - 1, 3);
	expect_end(&s, RINGBUF_END);
}

static void test_time_extend(void **state)
{
	struct scene s;

	scene_begin(&s, state, 5);
	page_extend(&s.maker, UINT64_C(0x123456789ab));
	scene_add(&s, 1, 1);
	page_end(&s.maker, 0, 0);
	scene_load(&s);
	expect(&s, 5 + UINT64_C(0x123456789ab) + 1, 1);
	expect_end(&s, RINGBUF_END);
}

static void test_time_stamp(void **state)
{
	const uint64_t top = UINT64_C(3) << 59;
	struct scene s;

	scene_begin(&s, state, 5);
	page_stamp(&s.maker, UINT64_C(0x3aaaaaaaaaaaaaa));
	scene_add(&s, 2, 1);
	page_end(&s.maker, 0, 0);
	page_begin(&s.maker,
		   top + 100); /* the stamp lacks the top bits, and may have passed 2^59 */
	page_stamp(&s.maker, 200);
	scene_add(&s, 0, 2);
	page_stamp(&s.maker, 150);
	scene_add(&s, 0, 3);
	page_end(&s.maker, 0, 0);
	scene_load(&s);
	expect(&s, UINT64_C(0x3aaaaaaaaaaaaaa) + 2, 1);
	assert_null(ringbuf_load(&s.ring, &s.format, (struct span){s.bytes.data + PAGE, PAGE},
				 &s.loss));
	expect(&s, top + 200, 2);
	expect(&s, top + (UINT64_C(1) << 59) + 150, 3);
	expect_end(&s, RINGBUF_END);
}

static void test_long_record(void **state)
{
	struct ringbuf_record record;
	struct blob event = {0};
	struct scene s;

	scene_begin(&s, state, 10);
	event.big_endian = s.bytes.big_endian;
	blob_add_number(&event, 77, 4);
	blob_pad(&event, 118); /* longer than 28 words, and no multiple of 4 */
	page_record_long(&s.maker, 3, &event);
	scene_add(&s, 1, 2);
	page_end(&s.maker, 0, 0);
	blob_free(&event);
	scene_load(&s);
	assert_int_equal(scene_next(&s, &record), RINGBUF_RECORD);
	assert_int_equal(record.size, 118);
	assert_int_equal(load_u32(record.data, s.format.swap), 77);
	expect(&s, 14, 2);
	expect_end(&s, RINGBUF_END);
}

static void test_discarded(void **state)
{
	struct scene s;

	scene_begin(&s, state, 10);
	page_discarded(&s.maker, 5, 16);
	scene_add(&s, 1, 1);		/* the time of what was discarded counts */
	page_discarded(&s.maker, 0, 4); /* no delta: the rest of the page is padding */
	scene_add(&s, 1, 2);
	page_end(&s.maker, 0, 0);
	scene_load(&s);
	expect(&s, 16, 1);
	expect_end(&s, RINGBUF_END);
}

static void test_losses(void **state)
{
	struct scene s;

	scene_begin(&s, state, 10);
	scene_add(&s, 0, 1);
	page_end(&s.maker, PAGE_MISSED, 0);
	scene_load(&s);
	assert_true(s.loss.any);
	assert_int_equal(s.loss.count, 0);
	expect(&s, 10, 1);
	expect_end(&s, RINGBUF_END);

	scene_begin(&s, state, 10);
	page_end(&s.maker, PAGE_MISSED_STORED, 12345);
	scene_load(&s);
	assert_true(s.loss.any);
	assert_int_equal(s.loss.count, 12345);
	expect_end(&s, RINGBUF_END);
}

static void test_full_page_without_room_for_count(void **state)
{
	struct scene s;

	scene_begin(&s, state, 10);
	while (s.bytes.size < PAGE)
		scene_add(&s, 1, 1);
	s.bytes.size = PAGE;
	blob_set_number(&s.bytes, 8, (PAGE - s.format.data_offset) | PAGE_MISSED_STORED,
			s.format.commit_size);
	scene_load(&s);
	assert_true(s.loss.any);
	assert_int_equal(s.loss.count, 0);
	blob_free(&s.bytes);
}

/* A page cut anywhere: refused when the commit count says so, else as long as it goes. */
static void test_cut(void **state)
{
	struct scene s;

	scene_begin(&s, state, 10);
	scene_add(&s, 1, 1);
	scene_add(&s, 1, 2);
	page_end(&s.maker, 0, 0);
	for (size_t size = 0; size < PAGE; size++) {
		uint8_t *copy = malloc(size + 1); /* so that a sanitizer sees a read too far */
		const char *why;

		memcpy(copy, s.bytes.data, size);
		why = ringbuf_load(&s.ring, &s.format, (struct span){copy, size}, &s.loss);
		assert_true(!why == (size >= s.format.data_offset + 16));
		free(copy);
	}
	blob_free(&s.bytes);
}

static void expect_damage(struct scene *s)
{
	page_end(&s->maker, 0, 0);
	scene_load(s);
	expect_end(s, RINGBUF_DAMAGED);
}

static void test_damaged(void **state)
{
	struct scene s;

	scene_begin(&s, state, 10);
	page_word(&s.maker, 28, 1); /* 112 bytes, and nothing behind it */
	expect_damage(&s);

	scene_begin(&s, state, 10);
	page_word(&s.maker, 0, 1); /* a length word that is not there */
	expect_damage(&s);

	for (uint32_t length = 0; length < 4; length++) { /* shorter than itself */
		scene_begin(&s, state, 10);
		page_word(&s.maker, 0, 1);
		blob_add_number(&s.bytes, length, 4);
		expect_damage(&s);
	}
	scene_begin(&s, state, 10);
	page_word(&s.maker, 0, 1);
	blob_add_number(&s.bytes, UINT32_MAX, 4);
	expect_damage(&s);

	scene_begin(&s, state, 10);
	page_word(&s.maker, 29, 1); /* a discarded record beyond the end */
	blob_add_number(&s.bytes, 64, 4);
	expect_damage(&s);

	scene_begin(&s, state, 10);
	page_word(&s.maker, 30, 1); /* half a time extend */
	expect_damage(&s);
}

static void test_commit_too_large(void **state)
{
	struct scene s;

	scene_begin(&s, state, 10);
	page_end(&s.maker, 0, 0);
	blob_set_number(&s.bytes, 8, PAGE, s.format.commit_size);
	assert_non_null(
		ringbuf_load(&s.ring, &s.format, (struct span){s.bytes.data, PAGE}, &s.loss));
	blob_free(&s.bytes);
}

#define LAYOUTS 4
#define TESTS 10

int main(void)
{
	static struct layout layouts[LAYOUTS] = {{false, 8}, {true, 8}, {false, 4}, {true, 4}};
	static const struct CMUnitTest tests[TESTS] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_time_extend),
		cmocka_unit_test(test_time_stamp),
		cmocka_unit_test(test_long_record),
		cmocka_unit_test(test_discarded),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_full_page_without_room_for_count),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_commit_too_large),
	};
	struct CMUnitTest all[LAYOUTS * TESTS];

	/* One group, as TAP allows one plan only. */
	for (size_t i = 0; i < LAYOUTS * TESTS; i++) {
		all[i] = tests[i % TESTS];
		all[i].initial_state = &layouts[i / TESTS];
	}
	return cmocka_run_group_tests(all, NULL, NULL);
}

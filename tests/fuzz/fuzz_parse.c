// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, durations and CPU lists as people write them. A list that is understood must survive being written again. */
#include "fuzz.h"

#include "base/parse.h"

#include <stdlib.h>
#include <string.h>

static void check_cpu_list(const char *text)
{
	struct cpu_set set, again;
	char *list;

	if (parse_cpu_list(text, &set))
		return;
	list = cpu_list_format(&set);
	if (!list || parse_cpu_list(list, &again) || memcmp(&set, &again, sizeof(set)))
		abort();
	free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[128];
	uint64_t number;
	uint32_t small;
	int64_t with_sign;
	bool on;

	if (size >= sizeof(text))
		return -1;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!parse_u64(text, 3, 1000, &number) && (number < 3 || number > 1000))
		abort();
	(void)parse_u32(text, 0, UINT32_MAX, &small);
	(void)parse_i64(text, INT64_MIN, INT64_MAX, &with_sign);
	(void)parse_duration_ns(text, 1000, &number);
	(void)parse_time_s(text, &number);
	(void)parse_onoff(text, &on);
	check_cpu_list(text);
	return 0;
}

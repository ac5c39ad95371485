// SPDX-License-Identifier: GPL-2.0-only
/*
 * The peer: every record of a trace through libtracecmd, in time order, or with -c CPU by CPU; nothing is done with them.
 * Prints how many there were. Usage: tracecmd-loop [-c] FILE
 */
#include <stdio.h>
#include <string.h>
#include <trace-cmd.h>

static int count(struct tracecmd_input *input, struct tep_record *record, int cpu, void *data)
{
	(void)input;
	(void)record;
	(void)cpu;
	++*(unsigned long *)data;
	return 0;
}

static void count_cpu(struct tracecmd_input *input, int cpu, unsigned long *records)
{
	struct tep_record *record;

	while ((record = tracecmd_read_data(input, cpu))) {
		++*records;
		tracecmd_free_record(record);
	}
}

int main(int argc, char **argv)
{
	bool by_cpu = argc == 3 && !strcmp(argv[1], "-c");
	struct tracecmd_input *input;
	unsigned long records = 0;

	if (argc != 2 + by_cpu)
		return 2;
	input = tracecmd_open(argv[argc - 1], 0);
	if (!input)
		return 1;
	for (int cpu = 0; by_cpu && cpu < tracecmd_cpus(input); cpu++)
		count_cpu(input, cpu, &records);
	if (!by_cpu && tracecmd_iterate_events(input, NULL, 0, count, &records))
		return 1;
	printf("%lu\n", records);
	tracecmd_close(input);
	return 0;
}

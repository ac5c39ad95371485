// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many tasks of a CPU wait for a disk, which menu until 6.11 takes into account. The trace shows only that a task
 * sleeps uninterruptibly, which is mostly that; the CPU it slept on counts it until it is woken.
 */
#include "model/lane.h"

void iowait_switch(struct timeline *timeline, struct lane *lane, const struct event *event)
{
	struct blocked *blocked = &timeline->blocked[(uint32_t)event->u.sw.prev_pid % BLOCKED];

	if (event->u.sw.prev_state != EVENT_TASK_UNINTERRUPTIBLE || event->u.sw.prev_pid <= 0)
		return;
	iowait_woken(timeline, blocked->pid);
	*blocked = (struct blocked){event->u.sw.prev_pid, lane->cpu};
	lane->iowaiters++;
}

void iowait_woken(struct timeline *timeline, int32_t pid)
{
	struct blocked *blocked = &timeline->blocked[(uint32_t)pid % BLOCKED];

	if (pid <= 0 || blocked->pid != pid)
		return;
	blocked->pid = 0;
	timeline->lanes[blocked->cpu].iowaiters--;
}

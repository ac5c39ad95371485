#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""When does a CPU that polls answer late, and how many verdicts "below" hang on that?

    tests/late-polls.py TRACE...

On machines whose CPUs are emulated by turns, a CPU that polls sees that it was woken only when its turn comes. For each
recording with sched_waking events (pseries: state 0 polls, the next one pays from 100 us on): how many polls were woken by
another CPU and ended more than 50 us later with nothing happening on their own CPU in between; after how many of them the
waker had gone idle itself 8 to 12 us before the end; and the share of periods that are below, as recorded and if those polls
had answered as fast as the median one.
"""
import collections
import re
import subprocess
import sys

EXIT = 4294967295
TARGET_NS = 100000
LATE_NS = 50000
LINE = re.compile(r"\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+):\s*(.*)")


class Cpu:
    def __init__(self):
        self.enter, self.state, self.waking, self.waker, self.own = None, None, None, None, 0


def events(path):
    report = subprocess.Popen(["trace-cmd", "report", "-t", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True)
    for line in report.stdout:
        match = LINE.search(line)
        if match:
            yield int(match[1]), int(match[2]) * 10**9 + int(match[3]), match[4], match[5]


def periods(path):
    """(state, duration, delay after another CPU's waking or None, that CPU's time in idle by then or None)"""
    cpus = collections.defaultdict(Cpu)
    for number, time, name, text in events(path):
        cpu = cpus[number]
        if name == "sched_waking":
            target = cpus[int(re.search(r"target_cpu=(\d+)", text)[1])]
            if target.enter is not None and target.waking is None and target is not cpu:
                target.waking, target.waker, target.own = time, number, 0
        if name != "cpu_idle":
            cpu.own += 1
            continue
        state = int(re.search(r"state=(\d+)", text)[1])
        if state == EXIT and cpu.enter is not None:
            waker = cpus[cpu.waker] if cpu.waking is not None and not cpu.own else None
            idle = time - waker.enter if waker and waker.enter is not None and waker.enter > cpu.waking else None
            yield cpu.state, time - cpu.enter, time - cpu.waking if waker else None, idle
        cpu.enter, cpu.state, cpu.waking = (None, None, None) if state == EXIT else (time, state, None)


def percent(part, whole):
    return 100 * part / whole if whole else 0


def show(path):
    all_periods = list(periods(path))
    woken = [p for p in all_periods if p[0] == 0 and p[2] is not None]
    late = [p for p in woken if p[2] > LATE_NS]
    usual = sorted(p[2] for p in woken)[len(woken) // 2] if woken else 0
    yielded = sum(p[3] is not None and 8000 <= p[3] <= 12000 for p in late)
    below = sum(p[0] == 0 and p[1] >= TARGET_NS for p in all_periods)
    by_turns = sum(p[1] >= TARGET_NS > p[1] - p[2] + usual for p in late)
    print(f"{path}: {len(all_periods)} periods, {len(woken)} polls woken by another CPU, {len(late)} late "
          f"({yielded} just after it went idle), usual delay {usual / 1000:.1f} us; below "
          f"{percent(below, len(all_periods)):.2f} %, without the late {percent(below - by_turns, len(all_periods)):.2f} %")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        show(path)


if __name__ == "__main__":
    main()

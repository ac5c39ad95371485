#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the program ($2) concludes from a trace without an event that says so stands in the header and in JSON, and only when
# there is something. $3: mktrace. States of two-cpus.json: POLL 0/0 us, C1 2/10 us, C6 100/300 us.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/work.sh"

mktrace=$(realpath "$3")
golden=$root/testdata/golden
cd "$work" || exit 1

# period CPU MILLISECONDS STATE MICROSECONDS: one period, without a verdict
period() {
	printf '%d 1.%03d000000 cpu_idle state=%d\n%d 1.%03d%03d000 cpu_idle state=exit\n' "$1" "$2" "$3" "$1" "$2" "$4"
}

# tell NAME: the report of the story on standard input to ./out, its facts as "NAME: VALUE (ORIGIN); EFFECT" to ./facts
tell() {
	{
		printf 'cpus: 2\nuname: Linux box 6.12.9 x86_64\n'
		cat
	} >"$1.trace"
	"$mktrace" "$1.trace" "$1.dat" || return 1
	"$program" report "$1.dat" --platform "$golden/two-cpus.json" >out || return 1
	"$program" report "$1.dat" --platform "$golden/two-cpus.json" --format json >whole.json || return 1
	sed -n '/^  "facts":/,/^  "delays":/p' whole.json >json
	paste -d '|' <(key name) <(key value) <(key origin) <(key effect) |
		sed -E 's/([^|]*)\|([^|]*)\|([^|]*)\|(.*)/\1: \2 (\3); \4/' >facts
}

key() {
	sed -nE "s/^ *\"$1\":\"(.*)\",?$/\1/p" json
}

# has TEXT: that fact is in JSON and, whatever its lines are, in the header
has() {
	grep -qxF "$1" facts || echo "not in JSON: $1; there are: $(cat facts)"
	tr -s ' \n' ' ' <out | grep -qF " $1 " || echo "not in the header: $1; $(sed -n '/^Basis/,/^[A-Z]/p' out)"
}

# 100 periods of 900 us in C1 that are not "below" after C6 was entered: it was disabled from 1.000 to 1.102 on CPU 0.
note=$({
	period 0 0 2 900
	for ((i = 1; i <= 100; i++)); do period 0 $i 1 900; done
	period 0 102 2 900
	printf '0 1.102901000 cpu_idle_miss state=2 below=0\n'
} | tell disabled)
note+=$(has "state 2 disabled: C6 on CPU 0, 1 time, 0.102 s in all (inferred from entries and cpu_idle_miss verdicts); \
meanwhile it is neither chosen nor a reason for a miss")
[ "$(grep -c disabled facts)" -eq 1 ] || note+=" other states, too: $(cat facts)"
none "$note" "a disabled state"

# A limit of 50 us that no request event comes before: CPU 1 alone keeps away from C6 (100 us).
limited() {
	printf '0 0.900000000 pm_qos_update_target common_pid=7 action=1 prev_value=2147483647 curr_value=50\n'
	for ((i = 0; i < 30; i++)); do
		period 0 $i 2 900
		period 1 $i "$1" 900
	done
}
note=$(limited 1 | tell limited)
note+=$(has "latency limits of single CPUs: 1 of CPU 1 (inferred: the one CPU that kept away from all slower states); no \
slower state is chosen there")
"$program" explain limited.dat --platform "$golden/two-cpus.json" --cpu 1 --at 1.0101 --warmup 0 >explained
grep -q 'latency limit .* 50000 ns; inferred' explained || note+=" explain: $(grep limit explained)"
none "$note" "a latency limit of one CPU"

note=$(limited 2 | tell unknown)
note+=$(has "latency limits of single CPUs: none, 1 of a CPU that cannot be told (inferred: the one CPU that kept away from \
all slower states); no slower state is chosen there; the others have no effect")
none "$note" "a latency limit of nobody knows which CPU"

# A hrtimer that expires without having been started.
note=$({
	period 0 0 1 900
	printf '0 1.000910000 hrtimer_expire_entry hrtimer=old function=hrtimer_wakeup now=1.00091s\n'
	period 0 2 1 900
} | tell pending)
note+=$(has "timers pending at the beginning: 1 hrtimer, 0 of the timer wheel (derived: they expire without having been \
started); they are among the next timers of decisions")
none "$note" "a timer that was pending before the trace began"

# Nobody is woken, and a period ends 0.9 ms after every fourth millisecond: HZ is in the platform, the grid is not.
note=$({
	for ((i = 0; i < 100; i++)); do
		period 0 $((i * 4)) 1 900
		period 0 $((i * 4 + 1)) 1 100
	done
} | tell grid)
note+=$(has "grid of the tick: 0.900 ms into every 4.000 ms (inferred from the ends of 100 periods); when the next tick of \
each decision is due")
none "$note" "the grid of the tick"

note=$({
	period 0 0 1 900
	period 0 2 1 900
} | tell nothing)
[ "$(cut -d : -f 1 facts | paste -s -d ,)" = "HZ,cost of a trace event in a period" ] || note+=" $(cat facts)"
none "$note" "no fact where there is nothing to conclude"
# warns WANTED UNWANTED ARGUMENT…: what the warnings about pseries/6.1-pipe, a Debian kernel of HZ 250, must and must not say
warns() {
	local wanted=$1 unwanted=$2 data
	shift 2
	data=$(realpath "$golden/../captured/pseries/6.1-pipe")
	"$program" "$@" "$data/trace.dat" --platform "$data/before.txt" --warmup 0 >out || echo "exit status $?: $*"
	tr -s ' \n' ' ' <out >line
	[ -z "$wanted" ] || grep -qF -e "$wanted" line || echo "no '$wanted': $*; $(grep -A4 ^Warning out)"
	[ -z "$unwanted" ] || ! grep -qF -e "$unwanted" line || echo "'$unwanted': $*; $(grep -A4 ^Warning out)"
}

hz="HZ is 100 by the option, but 250 by the tick timers in the trace"
note=$(warns "$hz" "" report --hz 100)
note+=$(warns "" "HZ is" report --hz 250)
none "$note" "a tick rate that the trace contradicts"

newer="999.1 is newer than the releases that are known"
note=$(warns "does not tell its stable level" "$newer" replay --kernel 6.1.0-57-amd64)
note+=$(warns "" "stable level" replay -p menu@6.1.176)
note+=$(warns "$newer" "stable level" replay -p menu@999.1)
note+=$(warns "$newer" "stable level" compare -b menu@6.1.192 -p menu@6.1.176 -p menu@999.1:decay=4)
note+=$(warns "$newer" "" explain --worst 1 -p teo@999.1)
note+=$(warns "" "stable level" replay -p oracle)
none "$note" "what was assumed about releases is said of the policies that rest on it"
done_testing

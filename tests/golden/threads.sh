#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# However many threads share the work, the results are the same, byte by byte; also of a trace so long that its end is replayed
# while it is read, on several CPUs. What is counted there is all there is.
# usage: threads.sh SOURCE_ROOT PROGRAM TILE
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"
program=$(realpath "$2") tile=$(realpath "$3")
dir=$(mktemp -d) || exit 1
trap 'rm -r "$dir"' EXIT

# results THREADS TRACE PLATFORM: everything the program finds
results() {
	local threads=$1 trace=$2 platform=$3 command
	for command in report "replay --differences=50" "compare -p menu@7.3 -p teo@7.3"; do
		# shellcheck disable=SC2086
		"$program" $command --threads "$threads" --format json --platform "$platform" "$trace" || return
	done
}

# same NAME TRACE PLATFORM
same() {
	local threads
	results 1 "$2" "$3" >"$dir/alone"
	[ -s "$dir/alone" ]
	ok $? "$1 is understood" </dev/null
	for threads in 2 3 8; do
		results $threads "$2" "$3" >"$dir/shared"
		diff "$dir/alone" "$dir/shared" >"$dir/difference"
		ok $? "$1: the same with $threads threads" <"$dir/difference"
	done
}

captured=$root/testdata/captured
for name in pseries/6.1-pipe pseries/7.3-pipe-few-events arm64/7.3-rnd x86/7.3-rnd; do
	same "$name" "$captured/$name/trace.dat" "$captured/$name/before.txt"
done

# Six CPUs, four times as long as what the constants are learned from.
source=$captured/pseries/6.1-pipe
awk '!match($0, /\/cpu[0-9]+\//) { print; next }
	{ head = substr($0, 1, RSTART); tail = substr($0, RSTART + RLENGTH - 1)
	  if (substr($0, RSTART + 4, RLENGTH - 5) + 0 == 0)
		for (cpu = 0; cpu < 6; cpu++) print head "cpu" cpu tail }' "$source/before.txt" >"$dir/before.txt"
"$tile" -z -g 3 -r 3 "$source/trace.dat" "$dir/long.dat" >/dev/null
ok $? "a long trace is made" </dev/null
same "long" "$dir/long.dat" "$dir/before.txt"

# value NAME: the first number of that name in a report
value() { grep -o "\"$1\": *[0-9]*" "$dir/report" | head -n 1 | grep -o '[0-9]*$'; }
"$program" report --format json --platform "$dir/before.txt" "$dir/long.dat" >"$dir/report"
idle=$(value power:cpu_idle) usage=$(value usage)
[ $((idle / 2 - usage)) -ge 0 ] && [ $((idle / 2 - usage)) -le 6 ]
ok $? "every period is counted, but for one that is cut on each CPU" <<<"$idle cpu_idle events, $usage periods"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Stories written in every shape of trace.dat hold what the story says: for trace-cmd report, for libtracecmd against our
# reader, event by event and field by field, and for our reader alone where trace-cmd cannot read.
# usage: mktrace.sh SOURCE_ROOT MKTRACE TRACE_EVENTS [COMPARE_TRACECMD]
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"
mktrace=$2 trace_events=$3 compare=${4:-}
stories=$root/testdata/stories
dir=$(mktemp -d) || exit 1
trap 'rm -r "$dir"' EXIT

# What trace-cmd reports, in the form of a story's list.
reported() {
	trace-cmd report -N -t "$1" 2>/dev/null | sed -nE \
		-e 's/[[:space:]]*$//' \
		-e 's/^[^[]*\[0*([0-9]+)\] +([0-9]+\.[0-9]{9}): ([a-z_0-9]+): *(.*)$/\1 \2 \3 \4/p' \
		-e 's/^CPU:([0-9]+) \[([0-9]+) EVENTS DROPPED\]$/\1 lost \2/p'
}

# "CPU TIME_NS STATE" of each cpu_idle, as trace-events -m prints it.
idle_list() {
	sed -nE 's/^([0-9]+) ([0-9]+)\.([0-9]+) cpu_idle state=([0-9]+).*/\1 \2\3 \4/p'
}

# check STORY SETTING…: written with these settings it reads back, whoever reads it
check() {
	local story=$1 name="$*" args=() setting
	shift
	for setting; do
		args+=(-s "$setting")
	done
	"$mktrace" "${args[@]}" "$stories/$story.trace" "$dir/trace.dat" &&
		"$mktrace" "${args[@]}" -l "" "$stories/$story.trace" >"$dir/told"
	ok $? "$name: written" </dev/null
	idle_list <"$dir/told" >"$dir/idle_told"
	"$trace_events" -m "$dir/trace.dat" | diff "$dir/idle_told" - >"$dir/difference"
	ok $? "$name: our reader" <"$dir/difference"
	case $name in *zlib*) return ;; esac # Debian builds trace-cmd without it
	if command -v trace-cmd >/dev/null; then
		reported "$dir/trace.dat" | diff "$dir/told" - >"$dir/difference"
		ok $? "$name: trace-cmd report" <"$dir/difference"
	fi
	if [ -n "$compare" ]; then
		# libtracecmd itself leaks a few bytes of a version 6 file.
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$compare" "$dir/trace.dat" >"$dir/difference" 2>&1
		ok $? "$name: libtracecmd" <"$dir/difference"
	fi
}

for story in every-event ring-buffer; do
	for container in v6,none v7,none v7,zlib v7,zstd; do
		for machine in little,8,4096 little,4,65536 big,8,65536 big,4,4096; do
			IFS=, read -r version compression endian long page <<<"$container,$machine"
			check $story "version:$version" "compression:$compression" "endian:$endian" \
				"long:$long" "page:$page"
		done
	done
done
check ring-buffer version:v6
check ring-buffer compression:zstd chunk:1

for version in v6 v7; do
	"$mktrace" -s version:$version "$stories/instances.trace" "$dir/trace.dat"
	for instance in idle other; do
		"$trace_events" -i $instance -m "$dir/trace.dat" >"$dir/read"
		# What the reader must make of the times: count * 1024 >> 10, plus 1000. Like trace-cmd it leaves out the
		# offset of the TSC conversion, which only says when the TSC was 0.
		"$mktrace" -l $instance "$stories/instances.trace" | idle_list |
			awk '{ printf "%d %.0f %s\n", $1, $2 + 1000, $3 }' | diff - "$dir/read" >"$dir/difference"
		ok $? "instance $instance of $version" <"$dir/difference"
	done
done
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What trace-cmd report prints of every shared trace, against our reader: events per type and CPU, and the time stamp and
# state of each cpu_idle. usage: compare-report.sh SOURCE_ROOT TRACE_EVENTS
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"
trace_events=$2
traces=${CPIR_SHARED:-$root/../shared}/traces
command -v trace-cmd >/dev/null || skip_all "no trace-cmd"
[ -d "$traces" ] || skip_all "no shared traces at $traces"
dir=$(mktemp -d) || exit 1
trap 'rm -r "$dir"' EXIT

# Splits a report into $dir/theirs (CPU EVENT COUNT) and $dir/their-idle (CPU TIME_NS STATE).
# shellcheck disable=SC2016
split_report() {
	: >"$dir/their-idle"
	awk -v idle="$dir/their-idle" '
		!match($0, /\[[0-9]+\] +[0-9]+\.[0-9]+: +[A-Za-z0-9_]+:/) { next }
		{
			n = split(substr($0, RSTART, RLENGTH), part, /[][ :]+/)
			count[part[2] + 0 " " part[4]]++
			if (part[4] != "cpu_idle" || !match($0, /state=[0-9]+/))
				next
			state = substr($0, RSTART + 6, RLENGTH - 6)
			sub(/\./, "", part[3])
			sub(/^0+/, "", part[3])
			print part[2] + 0, part[3], state >idle
		}
		END { for (key in count) print key, count[key] }'
}

# Our counts without the system, and theirs of the events that we know.
ours() {
	"$trace_events" "$1" | sed 's/ [a-z_]*:/ /' | sort
}

known() {
	awk 'NR == FNR { known[$2] = 1; next } $2 in known' <("$trace_events" -l | sed 's/.*://; s/^/0 /') - | sort
}

for trace in "$traces"/*/trace.dat; do
	name=$(basename "$(dirname "$trace")")
	trace-cmd report -t "$trace" 2>/dev/null | split_report | known >"$dir/theirs"
	diff "$dir/theirs" <(ours "$trace" | grep -v ' lost ') >"$dir/diff"
	ok $? "$name: $(awk '{ n += $3 } END { print n + 0 }' "$dir/theirs") events" <"$dir/diff"
	diff <(sort "$dir/their-idle") <("$trace_events" -p "$trace" | sort) >"$dir/diff"
	ok $? "$name: $(wc -l <"$dir/their-idle") cpu_idle times" <"$dir/diff"
done
done_testing

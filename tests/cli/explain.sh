#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# explain of the program ($2) on recordings of real machines: it finds the decision that is asked for, tells of it what
# replay and the trace tell, and its numbers fit together.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/work.sh"

captured=$root/testdata/captured
data=$captured/pseries/7.3-sweep
recorder=menu@7.3-override-residency-threshold-override-exit-latency
cd "$work" || exit 1

# explain NAME ARGUMENT…: what JSON of explain on the sweep says of decisions to ./NAME, complaints to standard output
explain() {
	local name=$1
	shift
	"$program" explain "$data/trace.dat" --platform "$data/before.txt" -b $recorder --format json "$@" >all 2>err ||
		echo "exit status $?: $*; $(cat err)"
	sed -n '/^  "explained":/,$p' all >"$name"
}

# numbers KEY FILE: the values of a key that stands alone on its line
numbers() {
	sed -nE "s/^ *\"$1\":\"?([^\",]*)\"?,?$/\1/p" "$2"
}

# equal A B WHAT
equal() {
	[ "$1" = "$2" ] || echo "$3: '$1', not '$2'"
}

# value NAME FILE: the value of the first input or step of that name
value() {
	grep -A3 "\"name\":\"$1\"" "$2" | sed -nE 's/^ *"value":([^,]*),?$/\1/p' | head -n 1
}

"$program" replay "$data/trace.dat" --platform "$data/before.txt" -p $recorder --differences --format json |
	sed -n '/^  "differences":/,$p' >listed
total=$(numbers cause listed | grep -c "")
note=$(explain disagree --worst 10000 --worst-by disagreement)
note+=$(equal "$(numbers enter_ns disagree | sort)" "$(numbers time_ns listed | sort)" "the decisions")
note+=$(equal "$(numbers role disagree | grep -c baseline)" "$total" "their number")
none "$note" "the decisions that disagree are those that replay lists"

note=
while read -r cpu time recorded; do
	middle=$((time + $(numbers duration_ns listed | head -n 1) / 2))
	note+=$(explain one --cpu "$cpu" --at "$((middle / 1000000000)).$(printf %09d $((middle % 1000000000)))")
	note+=$(equal "$(numbers enter_ns one)" "$time" "enter_ns")
	note+=$(equal "$(numbers state one | head -n 1)" "$recorded" "state")
done < <(paste -d ' ' <(numbers cpu listed) <(numbers time_ns listed) <(numbers recorded listed) |
	head -n 1)
none "$note" "a time within a period finds it"

# 5.038809658 is when this recording shows cpu_idle on CPU 1; trace-cmd rounds to whole microseconds unless told otherwise.
note=$(explain exact --cpu 1 --at 5.038809658)
note+=$(explain rounded --cpu 1 --at 5.038810)
note+=$(explain before --cpu 1 --at 5.038799)
note+=$(equal "$(numbers enter_ns exact)" 5038809658 "the time itself")
note+=$(equal "$(numbers enter_ns rounded)" 5038809658 "rounded")
note+=$(equal "$(numbers enter_ns before)" 5038809658 "a little earlier")
none "$note" "the time of cpu_idle, exact, rounded or a little early, finds its period"

# What the sleep length is made of, and menu's arithmetic on it: S = timer - E, corrected = S * factor / 8192 rounded.
note=$(explain sum --cpu 1 --at 6.562170150)
entry=$(value "idle entry time" sum) timer=$(value "next hrtimer" sum) sleep=$(value "sleep length" sum)
factor=$(value "correction factor" sum) corrected=$(value "sleep length corrected us" sum)
note+=$(equal "$sleep" $((timer - entry)) "sleep length")
note+=$(equal "$corrected" $(((sleep * factor + 4096000) / 8192000)) "sleep length corrected")
none "$note" "the numbers follow from each other"

note=$(explain worst --worst 20 --worst-by latency -p menu@7.3 -p teo@7.3 -p ladder@7.3 -p fixed:state=0)
waits=$(paste -d ' ' <(numbers exit_ns worst) <(numbers wake_ns worst) | awk '{ print $1 - $2 }')
note+=$(equal "$(wc -l <<<"$waits")" 20 "how many")
sort -rnc <<<"$waits" 2>/dev/null || note+=" not the longest first: $waits"
note+=$(equal "$(numbers policy worst | sort | uniq -c | awk '{ print $1 }' | uniq)" 20 "decisions of each policy")
note+=$(equal "$(grep -c '"reason":"..' worst)" 100 "rules")
none "$note" "the worst by latency come in order, with every policy's decision"

note=$(explain again --worst 20 --worst-by latency -p menu@7.3 -p teo@7.3 -p ladder@7.3 -p fixed:state=0)
cmp -s worst again || note+=" the bytes differ"
note+=$(explain few --worst 3 --cpus 1 --from 6 --to 8)
[ "$(numbers cpu few | tail -n 3 | sort -u)" = 1 ] && [ "$(numbers enter_ns few | sort -n | head -n 1)" -ge 6000000000 ] &&
	[ "$(numbers exit_ns few | sort -n | tail -n 1)" -le 8000000000 ] || note+=" not on CPU 1 from 6 s to 8 s"
none "$note" "the same bytes again; --cpus, --from and --to narrow the choice"

for machine in pseries/6.1-pipe pseries/7.3-pipe-few-events arm64/7.3-rnd x86/7.3-rnd; do
	note=
	for by in latency disagreement; do
		"$program" explain "$captured/$machine/trace.dat" --platform "$captured/$machine/before.txt" --worst 5 \
			--worst-by $by -p teo@7.3 >out 2>err || note+=" exit status $?: $(cat err)"
		grep -qE '^Decision on CPU|^No such decision' out || note+=" nothing explained by $by"
	done
	none "$note" "$machine: the worst by latency and disagreement"
done
done_testing

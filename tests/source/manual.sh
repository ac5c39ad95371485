#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The governor that the manual shows compiles and runs, and so does its recipe for a call that the shim lacks; as a policy
# it changes what it should, and when it breaks in the middle of a trace that is all the program says.
# $1: root of the source tree; $2: the program
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"

program=$2
command -v cc >/dev/null || skip_all "no compiler"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache

# The block of code that begins with an #include.
awk '/^```/ { inside = !inside; text = ""; next }
	inside { text = text $0 "\n" }
	inside && /^postcore_initcall/ { printf "%s", text; exit }' \
	"$root/man/cpuidle-replay-policies.7.scd" >"$work/again.c"
said=$("$program" policies "src:$work/again.c" 2>&1)
ok $? "the example compiles" <<<"$said"
cat >"$work/again.csv" <<'END'
#{"policy": "again", "hz": 250, "states": [{"name": "C1", "exit_latency_ns": 1000, "target_residency_ns": 2000, "polling": 0}, {"name": "C2", "exit_latency_ns": 20000, "target_residency_ns": 60000, "polling": 0}]}
#step,sleep_length_ns,delta_next_ns,tick_stopped,latency_req_ns,nr_iowait,disabled_mask,select_clock_ns,out_state,out_stop_tick,out_looked_up_timers,entered,residency_ns,poll_time_limit,got_tick,reflect_clock_ns,out_poll_limit_ns
0,900000,900000,0,2000000000000,0,0,1000,0,0,0,0,70000,-1,0,80000,0
1,900000,900000,0,2000000000000,0,0,90000,1,0,0,1,5000000,-1,0,6000000,0
2,900000,900000,0,2000000000000,0,0,7000000,1,1,0,1,9000,-1,0,8000000,0
3,900000,900000,0,10000,0,0,9000000,0,0,0,0,9000,-1,0,9900000,0
END
said=$("$program" policies --check -p "src:$work/again.c" "$work/again.csv" 2>&1)
ok $? "and decides as it says" <<<"$said"

cp -r "$root/src/policy/shim" "$work/shim"
sed -i '$i #define sched_mood(cpu) 0' "$work/shim/shim.h"
sed -i 's/best = 0;/best = sched_mood(dev->cpu);/' "$work/again.c"
said=$("$program" policies "src:$work/again.c" 2>&1)
[[ $? -ne 0 && $said == *"does not have: sched_mood"* ]]
ok $? "a call that the shim lacks is named" <<<"$said"
said=$(CPUIDLE_REPLAY_SHIM=$work/shim "$program" policies "src:$work/again.c" 2>&1)
ok $? "and can be added to a copy" <<<"$said"

data=$root/testdata/captured/pseries/7.3-sweep
compare() { # FILE: with the baseline, as JSON
	"$program" compare "$data/trace.dat" --platform "$data/before.txt" --format json -p "src:$work/$1" >"$work/out" 2>"$work/err"
}
sed -i 's/sched_mood(dev->cpu)/0/' "$work/again.c"
compare again.c && grep -q '"name":"src:.*/again.c#' "$work/out"
ok $? "it can be compared with the governor that ran" <"$work/err"
sed 's/best = 0;/best = 0; BUG_ON(expected > 1000000);/' "$work/again.c" >"$work/bug.c"
compare bug.c
[ $? -eq 1 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q 'its select() stops at a BUG_ON' "$work/err"
ok $? "one that breaks gives a message and no result" <"$work/err"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Input that is damaged, contrived, or not what the options say: one line on standard error and the right exit status, or a
# result with a warning; never a result that is nonsense, and never one that takes forever. $2: the program, $3: mktrace.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/work.sh"

mktrace=$(realpath "$3")
golden=$root/testdata/golden
cd "$work" || exit 1

# fails NAME PATTERN ARGUMENT…: the exit status is 1, and all there is to see is one line that matches PATTERN.
fails() {
	local name=$1 pattern=$2 note
	shift 2
	note=$(run 1 "$@")
	[ "$(wc -l <err)" -eq 1 ] || note+=" lines on standard error: $(cat err)"
	grep -qE "$pattern" err || note+=" not about $pattern: $(cat err)"
	[ ! -s out ] || note+=" standard output is not empty"
	none "$note" "$name"
}

# idle_story FACT CPU COUNT STATE: that many periods of 900 us
idle_story() {
	printf 'cpus: 2\nuname: Linux box 6.12.9 x86_64\n%s\n' "$1"
	for ((i = 0; i < $3; i++)); do
		printf '%d 1.%04d00000 cpu_idle state=%s\n%d 1.%04d90000 cpu_idle state=exit\n' \
			"$2" "$i" "$4" "$2" "$i"
	done
}

states=(--platform "$golden/two-cpus.json")
idle_story "" 0 200 1 >idle.trace
"$mktrace" idle.trace idle.dat

for offset in 9223372036854775807 -5000000000; do
	idle_story "offset: $offset" 0 200 1 >late.trace
	"$mktrace" late.trace late.dat
	fails "times beyond all clocks: offset $offset" '^cpuidle-replay: late.dat: CPU 0 .*146 years' \
		compare late.dat "${states[@]}" -p menu@6.12
done

for state in 2 16 255 256 65535 65536 2147483648 4294967294; do
	idle_story "" 0 100 $state >odd.trace
	"$mktrace" odd.trace odd.dat
	note=$(run 0 report odd.dat "${states[@]}" --format json)
	if [ "$state" -gt 2 ]; then
		grep -q '100 periods are in states that the platform does not have' out || note+=" no warning"
		grep -q 'no period was counted' out || note+=" no word on nothing being counted"
	fi
	none "$note" "periods in state $state"
done

# quiet MULTIPLE OFFSET: 100 periods and gaps of at least 0.6 ms, each a multiple of so many us, and so many more each time
quiet() {
	awk -v multiple="$1" -v more="$2" 'BEGIN {
		print "uname: Linux box 6.12.9 x86_64"
		for (at = 1000000; i < 200; i++) {
			at += multiple * (1 + i * i % 7) + more * i
			printf "0 %d.%06d000 cpu_idle state=%s\n", int(at / 1e6), at % 1e6, i % 2 ? "exit" : 1
		}
	}'
}

quiet 600 7 >quiet.trace
"$mktrace" quiet.trace quiet.dat
note=$(run 0 report quiet.dat "${states[@]}")
grep -q 'counts in steps' out && note+=" the clock is called coarse"
note+=$(run 0 replay quiet.dat "${states[@]}" --warmup 0)
none "$note" "a quiet machine, all gaps long, is no coarse clock"
quiet 4000 0 >coarse.trace
"$mktrace" coarse.trace coarse.dat
note=$(run 0 report coarse.dat "${states[@]}")
grep -q 'counts in steps longer' out || note+=" no warning: $(grep ^Warning out)"
none "$note" "a report on a clock that counts in steps of 4 ms"
note=$(run 3 report coarse.dat "${states[@]}" --max-above 50 --format json)
[ "$(grep -cE '"(above|below)":null' out)" -eq 16 ] || note+=" not null: $(grep -E 'above|below' out)"
none "$note" "above and below are unknown there, and no limit on them is met"
fails "a clock that counts in steps of 4 ms" 'counts in steps longer than idle periods' replay coarse.dat "${states[@]}"

echo '{"hz": 250, "states": []}' >stateless.json
fails "a platform without states" '^cpuidle-replay: stateless.json: no idle states' report idle.dat --platform stateless.json

sed 's/"menu"/"homegrown"/' "$golden/two-cpus.json" >homegrown.json
fails "a governor that nobody knows" '^cpuidle-replay: homegrown.json: the governor that ran, homegrown: .*name a policy$' \
	replay idle.dat --platform homegrown.json
note=$(run 0 replay idle.dat --platform homegrown.json --warmup 0 -p menu)
none "$note" "another policy in its place"

tr '\n' ' ' <"$golden/two-cpus.json" | sed 's/"states": \(.*\]\).*$/"tables": [{"cpus": "1", "states": \1}]}/' >other-cpu.json
note=$(run 0 compare idle.dat --platform other-cpu.json -p menu@6.12 --warmup 0)
grep -q '200 periods are in states' out || note+=" no warning: $(grep ^Warning out)"
none "$note" "a CPU without states among others"

fails "a directory to capture from that does not exist" '^cpuidle-replay: nosuch: cannot be read' platform capture --sysfs nosuch

# A file must not come to stand where a closed stream is looked for.
note=$(run 0 report idle.dat "${states[@]}" -o whole)
"$program" report idle.dat "${states[@]}" -o other <&- >&- 2>&- && cmp whole other >/dev/null || note+=" the file differs"
"$program" report nosuch.dat "${states[@]}" -o other 2>&- && note+=" no failure"
cmp whole other >/dev/null || note+=" a failure changed the file"
none "$note" "closed standard streams"

fails "a state to disable that is not there" 'no state 7 to disable, only 0 to 2' report idle.dat "${states[@]}" --disable-state 7
note=$(run 0 compare idle.dat "${states[@]}" -p menu@6.12 --disable-state 0 --disable-state 1 --disable-state 2)
none "$note" "all states disabled"
note=$(run 0 report "$golden/../captured/pseries/6.1-pipe/trace.dat" --platform intel-spr)
grep -q 'is that the --platform of this machine?' out || note+=" no doubt"
none "$note" "the platform of another machine"
note=$(run 0 report idle.dat "${states[@]}" --cpus 0,3,5-7)
grep -q '^Warning *of the CPUs asked for, 3,5-7 are not in the trace, which has 2$' out || note+=" $(grep -A2 ^Warning out)"
none "$note" "CPUs that are not there"
fails "a part after the end" 'from 1\.0.* to 1\.0199' report idle.dat "${states[@]}" --from 2
fails "a part before the beginning" 'from 1\.0.* to 1\.0199' report idle.dat "${states[@]}" --to 0.5
note=$(run 2 report idle.dat "${states[@]}" --from 0.5 --to 0)
none "$note" "a part that ends at 0"
note=$(run 0 report idle.dat "${states[@]}" --from 1.01992)
grep -q 'no period was counted' out || note+=" no warning"
note+=$(run 3 report idle.dat "${states[@]}" --from 1.01992 --max-below 5)
grep -q 'no period of the record could be judged; the limits are not met' err || note+=" $(cat err)"
none "$note" "a part without a period"
note=$(run 0 report idle.dat "${states[@]}" --from 1.01985)
grep -q 'no period was counted' out && note+=" not the periods that lie in it"
none "$note" "a part that begins amid a stretch"

# Ten sub-buffers or so; the last one is made to begin before the one before it.
{
	echo 'version: v6'
	idle_story "" 0 1000 1
} >page.trace
"$mktrace" page.trace page.dat
note=$(run 0 report page.dat "${states[@]}")
grep -q 'clock goes back' out && note+=" a warning without cause"
size=$(stat -c %s page.dat)
for back in 100000 1000000000; do
	stamp=$((16#$(od -A n -j $((size - 4096)) -N 8 -t x8 --endian=little page.dat | tr -d ' ')))
	hex=$(printf %016x $((stamp - back)))
	cp page.dat back.dat
	for ((i = 7; i >= 0; i--)); do printf '%b' "\\x${hex:2*i:2}"; done |
		dd of=back.dat bs=1 seek=$((size - 4096)) conv=notrunc status=none
	note+=$(run 0 report back.dat "${states[@]}")
	tr -s ' \n' ' ' <out | grep -q 'Warning the clock goes back between sub-buffers, 1 time:' ||
		note+=" no warning at $back: $(grep -A3 ^Warning out)"
done
none "$note" "a sub-buffer that begins before the end of the one before"

# The whole trace is one stretch of polling: nothing that is done for a stretch as a whole may be done many times.
awk 'BEGIN {
	print "uname: Linux box 6.12.9 x86_64"
	for (i = 1; i <= 200000; i++)
		printf "0 1.%09d cpu_idle state=%s\n", i, i % 2 ? 0 : "exit"
}' >polling.trace
"$mktrace" polling.trace polling.dat
note=$(run 0 compare polling.dat "${states[@]}" -p menu@7.3 --warmup 0)
none "$note" "a hundred thousand periods of 1 ns in one stretch"

"$mktrace" -s version:v6 "$golden/two-cpus.trace" v6.dat
"$mktrace" -s compression:zstd "$golden/two-cpus.trace" v7.dat
for file in v6 v7; do
	note=
	size=$(stat -c %s $file.dat)
	for ((i = 0; i < 40; i++)); do
		head -c $((size * i / 40)) $file.dat >cut.dat
		note+=$(run 1 compare cut.dat "${states[@]}" -p menu@6.12 -o result)
		[ "$(wc -l <err)" -eq 1 ] || note+=" cut at $((size * i / 40)): $(cat err)"
		[ -z "$(find . -name 'result*')" ] || note+=" a file is left"
	done
	none "$note" "$file cut short at 40 points"
done
done_testing

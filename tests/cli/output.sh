#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the program ($2) does with its output and its exit status: a file appears whole or not at all, a failure is one line
# on standard error, the same input gives the same bytes.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/work.sh"

data=$root/testdata/captured/pseries/7.3-sweep
trace=$data/trace.dat
platform=(--platform "$data/before.txt")
cd "$work" || exit 1

# fails STATUS NAME ARGUMENT…: exactly one line on standard error, nothing on standard output, no file left behind.
fails() {
	local wanted=$1 name=$2 note
	shift 2
	note=$(run "$wanted" "$@")
	[ "$(wc -l <err)" -eq 1 ] || note+=" lines on standard error: $(cat err)"
	[ ! -s out ] || note+=" standard output is not empty"
	rm -f out err
	note+=$(find . -type f -name '*.tmp' -o -name 'result*' -newer before)
	none "$note" "$name"
}

touch before
head -c 5000 "$trace" >cut.dat
: >empty.dat
echo nonsense >nonsense.dat
fails 1 "a trace that does not exist" report nosuch.dat -o result
fails 1 "an empty trace" report empty.dat -o result
fails 1 "a trace cut short" report cut.dat -o result
fails 1 "no trace at all" report nonsense.dat -o result
fails 1 "a directory for a trace" report . -o result
fails 1 "no idle states known" report "$trace" -o result
fails 1 "an unknown platform" report "$trace" --platform nosuch -o result
fails 1 "a full disk" report "$trace" "${platform[@]}" -o /dev/full
fails 1 "a directory that does not exist" report "$trace" "${platform[@]}" -o nosuch/result
fails 1 "a directory for an output" report "$trace" "${platform[@]}" -o .
fails 2 "an unknown policy" compare "$trace" "${platform[@]}" -p nosuch@6.1 -o result
fails 2 "an unknown patch" compare "$trace" "${platform[@]}" -p menu@6.1+nosuch -o result

note=$(run 0 report "$trace" "${platform[@]}" --format json)
cp out stdout.json
note+=$(run 0 report --format json -o file.json "$trace" "${platform[@]}")
cmp -s stdout.json file.json || note+=" the file differs from standard output"
note+=$(run 0 --help)
none "$note" "options before and after operands; a file holds what standard output would"

chmod 640 file.json
ln -s file.json link
note=$(run 0 report "$trace" "${platform[@]}" -o link)
[ -L link ] || note+=" the link was replaced"
[ "$(stat -c %a file.json)" = 640 ] || note+=" the mode changed"
grep -q '^CPUIdle state usage' file.json || note+=" the file behind the link was not written"
none "$note" "a file is replaced through a link and keeps its mode"

echo old >kept
note=$(run 1 report nosuch.dat -o kept)
[ "$(cat kept)" = old ] || note+=" the file changed"
none "$note" "a failure leaves an old file as it was"

cp "$trace" own.dat
cp "$data/before.txt" own.txt
ln own.dat hard.dat
note=
for file in own.dat hard.dat own.txt; do
	note+=$(run 2 report own.dat --platform own.txt -o $file)
	grep -q ": $file: is what the study reads; " err || note+=" $(cat err)"
done
cmp -s own.dat "$trace" && cmp -s own.txt "$data/before.txt" || note+=" it is overwritten"
none "$note" "what is read is not written over"

mkfifo pipe
cat pipe >from-pipe &
note=$(run 0 report "$trace" "${platform[@]}" --format json -o pipe)
wait
[ -p pipe ] || note+=" the pipe was replaced"
cmp -s stdout.json from-pipe || note+=" what came through differs"
none "$note" "a pipe is written in place"

echo first >appended
"$program" report "$trace" "${platform[@]}" --format json -o /dev/stdout >>appended
[ "$(head -n 1 appended)" = first ] && cmp -s <(tail -n +2 appended) stdout.json
ok $? "/dev/stdout is standard output" <<<"$(head -n 3 appended)"

"$program" report "$trace" "${platform[@]}" >/dev/full 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]
ok $? "standard output on a full disk" <err

note=
name=$(printf 'a%.0s' {1..255})
for file in result "$name"; do
	note+=$(run 0 report "$trace" "${platform[@]}" --format json -o "$file")
	cmp -s stdout.json "$file" || note+=" the file differs"
done
none "$note" "a name as long as names may be"
rm -f result "$name"

note=
(
	ulimit -f 4
	"$program" report "$trace" "${platform[@]}" --format json -o result 2>err
	[ $? -eq 1 ] && grep -q ': result: cannot write: File too large' err || echo "in place of an error: $(cat err)"
	"$program" report "$trace" "${platform[@]}" --format json >appended 2>err
	[ $? -eq 1 ] && grep -q ': standard output: cannot write: File too large' err || echo "in place of an error: $(cat err)"
) >note
note+=$(cat note)$(find . -name '*.tmp' -o -name 'result*')
none "$note" "a limit on the size of files"

# Through a fifo for a platform the program waits where the temporary file is there already.
mkfifo never
for signal in TERM HUP ALRM USR1 USR2 XCPU; do
	# Whoever runs the tests may have had them ignored: nohup does.
	env --default-signal=$signal "$program" report "$trace" --platform never -o result &
	until [ -n "$(find . -name '*.tmp')" ]; do sleep 0.02; done
	kill -s $signal $!
	wait $! 2>>note
done
none "$(find . -name '*.tmp' -o -name 'result*')" "a signal leaves no file behind"

(trap '' PIPE && "$program" report "$trace" "${platform[@]}" 2>err; echo $? >status) | :
[ ! -s err ] && [ "$(cat status)" -le 1 ]
ok $? "a closed pipe is no reason to complain" <<<"status $(cat status): $(cat err)"

baseline=menu@7.3-override-residency-threshold-override-exit-latency
for mode in "report" "replay -p $baseline" "compare -b $baseline -p menu@7.3"; do
	read -ra words <<<"$mode"
	for format in table json; do
		note=$(run 0 "${words[@]}" "$trace" "${platform[@]}" --format $format --per-cpu)
		mv out first.out
		note+=$(run 0 "${words[@]}" "$trace" "${platform[@]}" --format $format --per-cpu --threads 1)
		cmp -s first.out out || note+=" the bytes differ"
		none "$note" "${words[0]} twice as $format: the same bytes"
	done
done

note=$(run 0 replay "$trace" "${platform[@]}" -p $baseline --require-agreement 90)
note+=$(run 3 replay "$trace" "${platform[@]}" -p menu@7.3 --require-agreement 99)
[ "$(wc -l <err)" -eq 1 ] && [ -s out ] || note+=" status 3 comes with the report and one line on standard error"
none "$note" "--require-agreement decides the exit status"

# above is 31.1 % and below 2.5 % in the record, above 0.1 % under menu@7.3, menu without its threshold being close to the record
note=$(run 0 report "$trace" "${platform[@]}" --max-above 99 --max-below 99)
note+=$(run 3 report "$trace" "${platform[@]}" --max-above 5 --max-below 0.5)
grep -q ': above is .*; below is ' err && [ "$(wc -l <err)" -eq 1 ] && [ -s out ] || note+=" not both in one line: $(cat err)"
note+=$(run 3 replay "$trace" "${platform[@]}" -p $baseline --max-above 5)
note+=$(run 0 compare "$trace" "${platform[@]}" -b $baseline -p menu@7.3 --max-above 5 --require-agreement 90)
note+=$(run 3 compare "$trace" "${platform[@]}" -b $baseline -p menu@7.3 -p $baseline --max-above 5)
grep -qF ' in menu@7.3-override' err || note+=" not the last policy: $(cat err)"
note+=$(run 3 compare "$trace" "${platform[@]}" -b menu@7.3 -p $baseline --max-above 99 --require-agreement 99)
grep -q ': agreement is ' err || note+=" not the baseline's agreement: $(cat err)"
none "$note" "limits on misses decide the exit status, in a comparison those of the last policy"

note=$(run 0 replay "$trace" "${platform[@]}" -p menu@7.3 --differences --format json)
cp out all.json
note+=$(run 0 replay "$trace" "${platform[@]}" -p menu@7.3 --differences=7 --format json)
total=$(sed -nE 's/^  "difference_total":([0-9]+),/\1/p' all.json)
[ "${total:-0}" -gt 7 ] && [ "$(grep -c '"cause"' all.json)" -eq "$total" ] || note+=" not all $total are listed"
diff <(grep '"time_ns":[0-9]*,$' out | grep '^      "' | head -n 7) <(grep '^      "time_ns"' all.json | head -n 7) >/dev/null &&
	[ "$(grep -c '"cause"' out)" -eq 7 ] || note+=" not the first seven"
sed -nE 's/^      "time_ns":([0-9]+),/\1/p' all.json | sort -n -c || note+=" not in the order of time"
none "$note" "--differences lists all, or the first ones"

vectors=$root/testdata/vectors
file=$(find "$vectors" -name 'menu@6.1*.csv' | sort | head -n 1)
note=$(run 0 policies --check "$file")
grep -q 'all agree$' out || note+=" $(cat out)"
note+=$(run 1 policies --check "$file" -p menu@6.1:intervals=2)
grep -q ' differ: ' out || note+=" $(cat out)"
none "$note" "policies --check says what agrees and what differs"

note=$(run 0 platform "$data/before.txt" -o machine.json)
note+=$(run 0 report "$trace" --platform machine.json --format json)
note+=$(diff <(grep -v '"source"' out) <(grep -v '"source"' stdout.json))
none "$note" "a platform written as JSON serves as well as what it was made from"
done_testing

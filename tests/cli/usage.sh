#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Misuse of the program ($2) is one line on standard error that names the option and where help is, with exit status 2; help
# that cannot be written is a failure.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/work.sh"
cd "$work" || exit 1
: >trace.dat

# refused MESSAGE ARGUMENT…: the program says "cpuidle-replay: MESSAGE" in one line and nothing else, and exits with 2.
refused() {
	local message=$1 status=0 note=
	shift
	"$program" "$@" >out 2>err || status=$?
	[ $status -eq 2 ] || note+=" exit status $status"
	[ "$(cat err)" = "cpuidle-replay: $message" ] && [ ! -s out ] || note+=" $(cat out err)"
	none "$note" "misuse: '$*'"
}

# hint MESSAGE COMMAND ARGUMENT…: as above, of a command, whose help is pointed to
hint() {
	refused "$1; try 'cpuidle-replay $2 --help'" "${@:2}"
}

hint "--nonsense: there is no such option" report trace.dat --nonsense
hint "--nonsense: there is no such option" report --nonsense=7 trace.dat
hint "-Z: there is no such option" report trace.dat -Z
hint "-qZv: there is no such option" report -qZv trace.dat
hint "--hz: the option needs a value" report trace.dat --hz
hint "-o: the option needs a value" report trace.dat -o
hint "-qo: the option needs a value" report trace.dat -qo
hint "--quiet: the option takes no value" report trace.dat --quiet=yes
hint "--p: several options begin like this" replay trace.dat --p menu@6.12
hint "one policy decides: -p teo or -p menu?" replay trace.dat -p teo -p menu
hint "TRACE is missing" report
hint "unexpected argument 'two'" report one two
hint "--from must lie before --to" report trace.dat --from 5 --to 4
hint "--hz: 'fast' is not a number from 24 to 10000" report trace.dat --hz fast
hint "--hz: '0' is not a number from 24 to 10000" report trace.dat --hz=0
hint "--format: 'xml' is none of table, json" report trace.dat --format xml
hint "--cpus: '3-1' is not a list of CPUs, such as 0-3,8" report trace.dat --cpus 3-1
hint "--worst: 'all' is not a number from 1 to 10000" explain trace.dat --worst all
hint "--max-below: '101' is not a percentage from 0 to 100" report trace.dat --max-below 101
for percent in 0x10 " 5" +5 -1 nan 1e1 5% .; do
	hint "--max-above: '$percent' is not a percentage from 0 to 100" report trace.dat --max-above "$percent"
done
hint "--check needs a FILE" policies --check
hint "-o: the name is empty" report trace.dat -o ''
hint "--platform: the name is empty" report trace.dat --platform=
hint "the name of TRACE is empty" report ''
refused "unknown command 'nonsense'; try 'cpuidle-replay --help'" nonsense

release="not understood; give it as uname -r does, for example 6.1.192 or 6.17-rc3"
for command in report replay explain policies; do
	hint "--kernel: kernel release 'six': $release" $command trace.dat --kernel six
done
hint "--kernel: kernel release '': $release" compare trace.dat -p menu@6.12 --kernel ""
refused "policy menu@3.10: kernels before 4.19 are not known; choose one of 4.19 - 7.3" replay trace.dat --kernel 3.10

for policy in menu@7.3+ menu@7.3+:decay=8; do
	refused "policy: nothing is named behind '+'; write for example menu@6.12+PATCH, or leave it out" policies $policy
done
refused "policy: nothing is named behind '-'; write for example menu@6.12-PATCH, or leave it out" compare trace.dat -p menu@7.3-
refused "policy 'menu@7.3:': nothing behind ':'; write KNOB=VALUE,... there, or leave it out" replay trace.dat -p menu@7.3:

for arguments in --help --version --usage -V -h "help report" "report --help" "compare --usage" "explain --version" "platform -h" \
	"platforms -V" policies platforms; do
	note=
	read -ra words <<<"$arguments"
	"$program" "${words[@]}" >/dev/full 2>err && note+=" exit status 0"
	[ "$(cat err)" = "cpuidle-replay: standard output: cannot write: No space left on device" ] || note+=" $(cat err)"
	none "$note" "'$arguments' on a full disk"
	note=$("$program" "${words[@]}" 2>&1 >/dev/null) || note+=" exit status $?"
	none "$note" "'$arguments' otherwise"
done
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Help of the program ($2) and of each of its commands: on standard output, exit status 0, at most 80 columns. Misuse: a
# message on standard error, nothing on standard output, exit status 2.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

program=$2
commands=$("$program" --help | sed -nE 's/^  ([a-z]+) +.*/\1/p')

# help ARGUMENT…: checks what the program says when it is called like this.
help() {
	local text errors status

	text=$("$program" "$@" 2>/dev/null)
	status=$?
	[ $status -eq 0 ] && [ -n "$text" ]
	ok $? "$* answers on standard output" <<<"exit status $status"
	errors=$("$program" "$@" 2>&1 >/dev/null)
	none "$errors" "$* says nothing on standard error"
	none "$(awk 'length > 80' <<<"$text")" "$* fits 80 columns"
}

# misuse ARGUMENT…
misuse() {
	local text errors status

	text=$("$program" "$@" 2>/dev/null)
	status=$?
	errors=$("$program" "$@" 2>&1 >/dev/null)
	[ $status -eq 2 ] && [ -z "$text" ] && [[ $errors == cpuidle-replay* ]]
	ok $? "misuse: '$*'" <<<"exit status $status, standard output '$text', standard error '$errors'"
}

[ "$(wc -w <<<"$commands")" -ge 6 ]
ok $? "the program lists its commands" <<<"$commands"
help --help
help --version
help --usage
for command in $commands; do
	help "$command" --help
	help "$command" --usage
	help "$command" --version
	misuse "$command" --no-such-option
done

status=0
errors=$("$program" 2>&1 >/dev/null) || status=$?
[ $status -eq 2 ] && [[ $errors == Usage:* ]]
ok $? "no command at all: usage on standard error" <<<"exit status $status: $errors"
misuse no-such-command
misuse --no-such-option
misuse help no-such-command
misuse report
misuse report one two
misuse compare trace.dat
misuse compare trace.dat -p no-such-policy@6.1
misuse report trace.dat --format xml
misuse report trace.dat --cpus 3-1
misuse report trace.dat --from 5 --to 4
misuse replay trace.dat --require-agreement 101
misuse report trace.dat --max-above -1
misuse compare trace.dat -p menu@6.1 --max-below x
misuse replay trace.dat --differences=0
misuse explain trace.dat
misuse explain trace.dat --cpu 0
misuse explain trace.dat --at 1.5
misuse explain trace.dat --cpu 0 --at 1.5 --worst 3
misuse explain trace.dat --cpu x --at 1.5
misuse explain trace.dat --cpu 0 --at yesterday
misuse explain trace.dat --worst 0
misuse explain trace.dat --worst 3 --worst-by size
misuse explain trace.dat --cpu 0 --at 1.5 --worst-by latency
misuse policies --check
misuse policies no-such-policy
misuse platform
done_testing

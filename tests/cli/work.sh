# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the tests of the program: $program, and a working directory of its own that is gone afterwards.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"

program=$(realpath "$2")
root=$(realpath "$root")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# run STATUS ARGUMENT…: standard output to ./out, standard error to ./err; notes when the exit status is another one.
run() {
	local wanted=$1 status=0
	shift
	timeout 60 "$program" "$@" >out 2>err || status=$?
	[ $status -eq "$wanted" ] || echo "exit status $status, not $wanted: $*; $(head -n 5 err)"
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the program prints, byte for byte, against testdata/golden; the cases are listed there.
# usage: run.sh [--bless] SOURCE_ROOT PROGRAM MKTRACE      --bless: what it prints now is right, keep it
# shellcheck source-path=SCRIPTDIR
bless=
if [ "$1" = --bless ]; then
	bless=yes
	shift
fi
. "$(dirname "$0")/../lint/tap.sh"
program=$(realpath "$2") mktrace=$(realpath "$3")
golden=$root/testdata/golden
dir=$(mktemp -d) || exit 1
trap 'rm -r "$dir"' EXIT
cd "$dir" || exit 1

ln -s "$root/testdata/captured" captured
cp "$golden"/*.json . 2>/dev/null
for story in "$golden"/*.trace; do
	name=$(basename "$story" .trace)
	"$mktrace" "$story" "$name.dat"
	ok $? "story $name" </dev/null
done

# The locale and the terminal must not matter.
export LC_ALL=C TZ=UTC
unset COLUMNS

# check NAME STATUS ARGUMENT…
check() {
	local name=$1 expected=$2 status out
	shift 2
	"$program" "$@" >out 2>err </dev/null
	status=$?
	out=out
	if [ "${name##*.}" = err ]; then
		out=err
		[ ! -s out ]
		ok $? "$name: nothing on standard output" <out
	else
		[ ! -s err ]
		ok $? "$name: nothing on standard error" <err
	fi
	[ $status -eq "$expected" ]
	ok $? "$name: exit status $status" <err
	[ -z "$bless" ] || cp $out "$golden/$name"
	diff "$golden/$name" $out >difference 2>&1
	ok $? "$name" <difference
}

while read -r -a words; do
	case ${words[0]:-#} in "#"*) continue ;; esac
	check "${words[@]}"
done <"$golden/cases"
done_testing

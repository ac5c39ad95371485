#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One story, told in different ways, gives one result: byte for byte whatever the container, byte order, size of a long and
# of a sub-buffer; and the same but for what was changed when all times are shifted or the CPUs change places.
# usage: shapes.sh SOURCE_ROOT PROGRAM MKTRACE
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"
program=$(realpath "$2") mktrace=$(realpath "$3")
golden=$root/testdata/golden
dir=$(mktemp -d) || exit 1
trap 'rm -r "$dir"' EXIT
cp "$golden"/*.trace "$golden"/*.json "$dir"
cd "$dir" || exit 1

# findings FORMAT: everything the program finds in trace.dat, all modes
findings() {
	"$program" report trace.dat --platform two-cpus.json --per-cpu --format "$1" &&
		"$program" replay trace.dat --platform two-cpus.json --warmup 0 --format "$1" &&
		"$program" compare trace.dat --platform two-cpus.json --warmup 0 -p menu@7.3 -p menu@5.10 --format "$1"
}

# build STORY SETTING…
build() {
	local story=$1 args=() setting
	shift
	for setting; do
		args+=(-s "$setting")
	done
	"$mktrace" "${args[@]}" "$story.trace" trace.dat
}

# same NAME: result and expected are equal
same() {
	diff expected result >difference
	ok $? "$1" <difference
}

for story in two-cpus idle-only; do
	build $story && findings json | grep -v '"format":' >expected
	[ -s expected ]
	ok $? "$story is understood" </dev/null
	for container in v6,none v7,none v7,zlib v7,zstd; do
		for machine in little,8,65536 little,4,4096 big,8,4096 big,4,65536 little,8,512; do
			IFS=, read -r version compression endian long page <<<"$container,$machine"
			build $story "version:$version" "compression:$compression" "endian:$endian" \
				"long:$long" "page:$page"
			findings json | grep -v '"format":' >result
			same "$story as $version $compression, $endian endian, $long byte long, $page byte pages"
		done
	done
done

# The clock is not the timers' own here, so that its offset must be found out.
for story in two-cpus idle-only; do
	build $story clock:local && findings table | grep -v '^Time ' >expected
	build $story clock:local offset:86400000000000 && findings table | grep -v '^Time ' >result
	same "$story a day later"
done

# swap STORY: the CPUs of a two-CPU story change places, in the first word of a line and in the fields that name one
swap() {
	awk '/^[01] / {
		$1 = 1 - $1
		for (i = 2; i <= NF; i++)
			if ($i ~ /^(target_cpu|cpu|cpu_id)=[01]$/)
				$i = substr($i, 1, length($i) - 1) (1 - substr($i, length($i)))
	}
	{ print }' "$1.trace" >swapped.trace
}

# totals: the tables without the one that lists CPUs
totals() {
	findings table | sed '/per CPU:$/,/^$/d'
}

for story in two-cpus idle-only; do
	build $story && totals >expected
	swap $story
	[ "$(grep -c '^0 ' swapped.trace)" -eq "$(grep -c '^1 ' $story.trace)" ]
	ok $? "$story with its CPUs swapped" </dev/null
	build swapped && totals >result
	same "$story with its CPUs swapped: the same totals"
done
done_testing

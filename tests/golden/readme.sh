#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The output that README.md shows is what the program prints: the block that begins with "$ cpuidle-replay" holds paragraphs of
# it, with "…" for what is left out.
# usage: readme.sh [--bless] SOURCE_ROOT PROGRAM      --bless: put what it prints now into README.md
# shellcheck source-path=SCRIPTDIR
bless=
if [ "$1" = --bless ]; then
	bless=yes
	shift
fi
. "$(dirname "$0")/../lint/tap.sh"
program=$(realpath "$2")
dir=$(mktemp -d) || exit 1
trap 'rm -r "$dir"' EXIT
cd "$root" || exit 1
export LC_ALL=C
unset COLUMNS

# The command, its lines joined; then README.md with each paragraph of the block taken anew from the output. A paragraph is
# known by how its first line begins.
read -r -a words < <(sed -n '/^\$ cpuidle-replay/,/[^\\]$/p' README.md | tr -d '\\\n')
"$program" "${words[@]:2}" >"$dir/out" 2>"$dir/err"
ok $? "the command of README.md" <"$dir/err"
# shellcheck disable=SC2016
awk -v out="$dir/out" '
	BEGIN { while ((getline line <out) > 0) printed[count++] = line }
	/^```/ { block = 0 }
	/^\$ cpuidle-replay/ { command = block = 1 }
	!block || command || /^(…|)$/ { print; begins = 1; command = command && /\\$/; next }
	begins {
		begins = 0
		key = $0
		sub(/(  |:).*/, "", key)
		for (i = 0; i < count && index(printed[i], key) != 1; i++);
		for (; i < count && printed[i] != ""; i++) print printed[i]
	}' README.md >"$dir/README.md"
[ -z "$bless" ] || cp "$dir/README.md" README.md
diff README.md "$dir/README.md" >"$dir/difference"
ok $? "its output; ninja bless takes over what is printed now" <"$dir/difference"
done_testing

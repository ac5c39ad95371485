#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# No file over 600 lines, no function over 60 (aim: 40). Prints the median and the 90th percentile.
# A function is what stands between a "{" and a "}" in the first column, as clang-format lays them out.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

max_file=600
max_function=60

# "LINES FILE:LINE NAME" of each function in the files named on standard input.
# shellcheck disable=SC2016
function_sizes() {
	xargs awk '
		FNR == 1 { begin = 0; name = "" }
		/^[A-Za-z_].*\(/ && !/;[ \t]*$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ \t*]/, "", name) }
		/^\{/ { begin = FNR }
		/^\}/ && begin { print FNR - begin + 1, FILENAME ":" begin, name; begin = 0 }'
}

files=$(project_c_files)
long_files=$(xargs wc -l <<<"$files" | awk -v max=$max_file '$2 != "total" && $1 > max { print $2 ": " $1 " lines" }')
sizes=$(function_sizes <<<"$files" | sort -n)
long_functions=$(awk -v max=$max_function '$1 > max { print $2 ": " $3 "() has " $1 " lines" }' <<<"$sizes")

awk '{ size[NR] = $1 } $1 > 40 { over++ }
	END { printf "# %d functions: median %d lines, p90 %d, longest %d; %d over 40\n",
		NR, size[int((NR + 1) / 2)], size[int(NR * 0.9) + 1], size[NR], over }' <<<"$sizes"
none "$long_files" "no file over $max_file lines"
none "$long_functions" "no function over $max_function lines"
done_testing

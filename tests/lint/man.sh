#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every command and long option of the program ($2) is in its manual page, and the generated pages ($3: their folder) are
# well-formed.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

program=$2 pages=$3
page=$root/man/cpuidle-replay.1.scd
commands=$("$program" --help | sed -nE 's/^  ([a-z]+) +.*/\1/p')

for command in $commands; do
	grep -qE "^[*]${command}[ *]" "$page"
	ok $? "$command is in the manual" <<<"no entry '*$command' in man/cpuidle-replay.1.scd"
	missing=$("$program" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' |
		while read -r option; do
			grep -qF -- "*$option*" "$page" || echo "$command $option"
		done)
	none "$missing" "the options of $command are in the manual"
done

# Patches and knobs of each governor, whatever the kernel.
policies=$root/man/cpuidle-replay-policies.7.scd
for governor in $("$program" policies | awk 'NR > 1 && $1 ~ /^[a-z]+$/ { print $1 }'); do
	missing=$({
		"$program" policies "$governor@6.12" 2>/dev/null || "$program" policies "$governor"
	} | sed -nE "s/^([a-z][a-z0-9_]*)=.*/\\1/p; /^Patches/,\$ s/^([a-z][a-z0-9-]+)  .*/\\1/p" |
		while read -r name; do
			grep -qF -e "*$name*" -e "*$governor:$name=*" "$policies" || echo "$name"
		done)
	none "$missing" "patches and knobs of $governor are in the manual"
done

unknown=$(sed -nE 's/^\*?-.*/&/p' "$page" | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
	for command in $commands; do
		"$program" "$command" --help
	done | grep -qE -- "$option(\[|[=, ]|$)" || echo "$option"
done)
none "$unknown" "the manual has no option that does not exist"

if ! command -v mandoc >/dev/null || ! ls "$pages"/*.[1-8] >/dev/null 2>&1; then
	echo "ok $((tap_count += 1)) - generated pages # SKIP no mandoc or no scdoc"
	done_testing
	exit
fi
for generated in "$pages"/*.[1-8]; do
	# scdoc's own habits: empty paragraphs, and dates of the build.
	complaints=$(mandoc -Tlint -W warning "$generated" | grep -v 'skipping paragraph macro')
	none "$complaints" "${generated##*/} is well-formed"
done
done_testing

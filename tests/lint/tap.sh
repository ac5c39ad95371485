# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the lints: results in TAP, and the files to look at. $1 of a lint is the root of the source tree.

root=$1
tap_count=0

# ok STATUS NAME: one result; STATUS is an exit status. Reads what to say about a failure from standard input.
ok() {
	local status=$1
	shift
	tap_count=$((tap_count + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $tap_count - $*"
		return
	fi
	echo "not ok $tap_count - $*"
	sed 's/^/# /' | head -n 30
}

# none TEXT NAME: passes when TEXT, the list of offenders, is empty.
none() {
	[ -z "$1" ]
	ok $? "$2" <<<"$1"
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

done_testing() {
	echo "1..$tap_count"
}

# The project's own files relative to the root, one a line: what git knows or would add, else (a tarball) what is there.
project_files() {
	git -c safe.directory='*' -C "$root" ls-files --cached --others --exclude-standard 2>/dev/null ||
		(cd "$root" && find . -type f -not -path './build*' -not -path './.git/*' | sed 's,^\./,,')
}

project_c_files() {
	project_files | grep -E '^(src|include|tests)/.*\.[ch]$' | while read -r file; do
		[ ! -e "$root/$file" ] || echo "$file"
	done
}

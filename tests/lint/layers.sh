#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A file includes only the public header, its own floor and lower ones: base < trace < model < policy < replay.
# report/ and cli/ are the program: they see the public header, their own folder (cli/ also report/) and those headers of
# base/ that have no code behind them. src/policy/shim is not compiled with the rest, but with the governors of kernels.
# The parsers of option values are linked into the program as well.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

declare -A may_see=(
	[base]="base"
	[trace]="base trace"
	[model]="base trace model"
	[policy]="base trace model policy"
	[replay]="base trace model policy replay"
	[report]="report"
	[cli]="report cli"
)

# Is header $2 (as written in the #include) allowed in a file of floor $1?
allowed() {
	local floor=$1 header=$2 folder=${2%%/*}

	[ "$header" != cpuidle-replay.h ] || return 0
	[ "$floor/$header" != cli/base/parse.h ] || return 0
	[[ $header != *..* && $header == */* ]] || return 1
	[[ " ${may_see[$floor]} " != *" $folder "* ]] || return 0
	[ "$folder" = base ] && [ -e "$root/src/$header" ] && [ ! -e "$root/src/${header%.h}.c" ]
}

# Prints "FILE includes HEADER" for each forbidden include of a folder's files.
offenders() {
	local floor=$1 file header

	grep -rHoE --exclude-dir=shim --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' "$root/src/$floor" |
		sed -E 's/^([^:]*):.*"([^"]+)"/\1 \2/' |
		while read -r file header; do
			allowed "$floor" "$header" || echo "${file#"$root"/} includes $header"
		done
}

for floor in base trace model policy replay report cli; do
	none "$(offenders $floor)" "$floor includes only what it may"
done

unknown=$(cd "$root/src" && for folder in */; do
	[ -n "${may_see[${folder%/}]:-}" ] || echo "src/$folder has no place in tests/lint/layers.sh"
done)
none "$unknown" "every folder of src/ is a known floor"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every file that can hold a comment names its licence within the first five lines.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# Files without room for a comment, or whose every byte is data: the README beside them names the licence.
is_data() {
	case $1 in
	LICENSE | *.dat | *.json | *.csv | *.data) return 0 ;;
	testdata/captured/*.txt | testdata/golden/*.txt | testdata/golden/*.err | testdata/fuzz/*) return 0 ;;
	esac
	return 1
}

nameless=$(project_files | while read -r file; do
	if is_data "$file" || [ ! -e "$root/$file" ]; then
		continue
	fi
	head -n 5 "$root/$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || echo "$file"
done)
none "$nameless" "SPDX line in every file"

undocumented=$(project_files | grep '^testdata/captured/.*/trace.dat$' | while read -r file; do
	[ -e "$root/${file%trace.dat}README.txt" ] || echo "$file has no README.txt beside it"
done)
none "$undocumented" "a README beside every captured trace"
done_testing

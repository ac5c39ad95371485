#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# C files are formatted as .clang-format says. Other versions of clang-format differ in details: only 14 counts.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
[ "$version" = 14 ] || skip_all "clang-format 14 is not installed"

unformatted=$(project_c_files | xargs clang-format --dry-run --Werror 2>&1 | sed -n 's/: error: code should be.*//p')
none "$unformatted" "clang-format would change nothing"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The scripts give shellcheck nothing to say.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

command -v shellcheck >/dev/null || skip_all "shellcheck is not installed"
found=$(project_files | grep -E '\.sh$|^\.ci/run$' | xargs shellcheck -x --format=gcc 2>&1)
none "$found" "shellcheck finds nothing"
done_testing

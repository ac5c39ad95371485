#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tree speaks of the project alone: no path of the machine it was written on, no package registry's host.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# The brackets keep this file from finding itself.
words='(^|[^[:alnum:]_.-])/wor[k]/|/tmp/[w]t|/hom[e]/[a-z]|/roo[t]/|deb[.]debian[.]or[g]|registry[.]npmj[s]|pypi[.]or[g]'
found=$(project_files | tr '\n' '\0' | xargs -0 grep -InE "$words" 2>/dev/null)
none "$found" "no path of a build machine, no registry host"

spaces=$(project_files | grep -E '\.(c|h|sh|build|md|scd)$' | tr '\n' '\0' |
	xargs -0 grep -InE '[[:blank:]]+$' 2>/dev/null)
none "$spaces" "no white space at the end of a line"
done_testing

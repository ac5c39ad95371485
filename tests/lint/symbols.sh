#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The shared library ($2) exports exactly the functions that the public header declares, and all begin with cpir_.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

library=$2
exported=$(nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort)
declared=$(${CC:-cc} -E -P "$root/include/cpuidle-replay.h" | grep -oE '\bcpir_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)

[ -n "$declared" ]
ok $? "the header declares functions" <<<"nothing found in include/cpuidle-replay.h"
none "$(comm -13 <(echo "$declared") <(echo "$exported"))" "nothing is exported that is not declared"
none "$(comm -23 <(echo "$declared") <(echo "$exported"))" "everything declared is exported"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The governor's own inputs and state, fed to our menu, must give its own choices: all recordings that hold them.
# Usage: oracle-feed.sh SOURCE_ROOT ORACLE_FEED
set -u
traces=${CPIR_SHARED:-$1/../shared}/traces
feed=$2
[ -d "$traces" ] || { echo "1..0 # SKIP no recordings in $traces"; exit 0; }

policy_of() {
	case $1 in
	ppc61own*-v3-*) echo menu@6.1.192+override-residency-threshold ;;
	ppc61own* | a61own*) echo menu@6.1.192 ;;
	*-v3-*) echo menu@7.3-override-exit-latency ;;
	*-upstream-*) echo menu@7.3 ;;
	*) echo menu@7.3-override-residency-threshold-override-exit-latency ;;
	esac
}

n=0
failed=0
for trace in "$traces"/*-instr-*; do
	name=${trace##*/}
	hz=250
	[[ $name == *hz1000* ]] && hz=1000
	n=$((n + 1))
	if said=$("$feed" "$trace/trace.dat" "$trace/before.txt" "$(policy_of "$name")" $hz 2>&1); then
		echo "ok $n - $name: $said"
	else
		echo "not ok $n - $name: $said"
		failed=1
	fi
done
echo "1..$n"
exit $failed

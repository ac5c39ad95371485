#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing, builds into build/, and runs the main job on a recorded trace: what would the
# residency-threshold patch have done to this pseries machine?
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/common.sh

trace=testdata/captured/pseries/6.1-pipe

install_packages "${build_packages[@]}" || exit 1
say "building into build/"
mkdir -p build
if ! build build -Dtests=false >build/try.log 2>&1; then
	cat build/try.log
	exit 1
fi
set -- build/cpuidle-replay compare "$trace/trace.dat" --platform "$trace/before.txt" \
	-p menu@6.1.192+override-residency-threshold
say "$*"
exec "$@"

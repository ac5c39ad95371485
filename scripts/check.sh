#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does what try.sh does, then runs every test and check. Ends with "N passed, N failed" (and the exit status to match).
# CPIR_FUZZ_SECONDS: how long each fuzzer runs, 15 unless set.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/common.sh

out=build-check # one build directory and one log per step
passed=0 failed=0 skipped=0

# Adds up what `meson test` says at its end (log $1, exit status $2).
count_meson() {
	local ok bad skip

	read -r ok bad skip < <(awk '
		/^(Ok|Expected Fail): / { ok += $NF }
		/^(Fail|Unexpected Pass|Timeout): / { bad += $NF }
		/^Skipped: / { skip += $NF }
		END { print ok + 0, bad + 0, skip + 0 }' "$1")
	if [ "$2" -ne 0 ] && [ "$bad" -eq 0 ]; then
		bad=1
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	printf '    %d passed, %d failed, %d skipped' "$ok" "$bad" "$skip"
}

# Runs a command as step NAME with a log of its own; shows the end of the log when it fails.
# step NAME COUNT COMMAND…: COUNT is "one" (the step itself is the test) or "meson" (its tests count).
step() {
	local name=$1 count=$2 log=$out/$1.log begin=$SECONDS status=0
	shift 2

	say "$name"
	"$@" >"$log" 2>&1 || status=$?
	if [ "$count" = meson ]; then
		count_meson "$log" "$status"
	elif [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
		printf '    passed'
	else
		failed=$((failed + 1))
		printf '    failed'
	fi
	printf ' (%d s)\n' $((SECONDS - begin))
	[ "$status" -eq 0 ] || tail -n 60 "$log"
}

# Builds directory $1 with the Meson options up to "--", then runs its tests with the `meson test` options after it.
build_and_test() {
	local dir=$out/$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	build "$dir" --werror "${options[@]}" && meson test --no-rebuild --print-errorlogs -C "$dir" "$@"
}

release() {
	CC=gcc build_and_test release --buildtype=release --
}

# Memory errors, and the use of what was never set, which the sanitizers do not see. Not of the test that cuts and damages
# a file in each place: that takes minutes.
valgrind_unit() {
	local tests

	mapfile -t tests < <(meson test --list -C "$out/release" --suite unit 2>/dev/null |
		sed -n 's,.* / ,,p' | grep -vx tracedat)
	meson test --no-rebuild --print-errorlogs -C "$out/release" --suite unit -t 10 \
		--wrap 'valgrind --quiet --error-exitcode=1 --leak-check=full' "${tests[@]}"
}

# The lints look at the sources and at the release build: once is enough.
sanitized() {
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 CC=clang \
		build_and_test sanitized -Db_sanitize=address,undefined -Db_lundef=false -- --no-suite lint -t 4
}

# Without assert(): shows that none has a side effect.
ndebug() {
	CC=gcc build_and_test ndebug --buildtype=release -Db_ndebug=true -- \
		--no-suite lint --no-suite traces --no-suite source
}

fuzz_build() {
	CC=clang target=fuzzers build "$out/fuzz" -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
}

# A fuzzer starts from the inputs kept in testdata/fuzz/NAME; what it finds new stays in the build directory.
fuzz_run() {
	local program=$1 name=${1##*/fuzz_}
	local corpus=$out/fuzz/corpus/$name seeds=testdata/fuzz/$name

	mkdir -p "$corpus"
	[ -d "$seeds" ] || seeds=
	"$program" -max_total_time="${CPIR_FUZZ_SECONDS:-15}" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$out/fuzz/" "$corpus" ${seeds:+"$seeds"}
}

check_cppcheck() {
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem --std=c11 --language=c -D_GNU_SOURCE -I include -I src -i src/policy/shim src
}

# The analyzer looks at fewer paths than it would by itself: the default costs ten times as long and has found no more.
check_clang_tidy() {
	find src -name '*.c' -not -path '*/shim/*' -print0 | xargs -0 -n 4 -P 2 clang-tidy --quiet -p "$out/sanitized" \
		--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=20000
}

install_packages "${build_packages[@]}" "${test_packages[@]}" || exit 1
mkdir -p "$out"
step main-job one scripts/try.sh
step release meson release
step valgrind meson valgrind_unit
step sanitized meson sanitized
step ndebug meson ndebug
step fuzz-build one fuzz_build
for program in "$out"/fuzz/tests/fuzz/fuzz_*; do
	if [ -f "$program" ] && [ -x "$program" ]; then
		step "${program##*/}" one fuzz_run "$program"
	fi
done
step cppcheck one check_cppcheck
step clang-tidy one check_clang_tidy

say "logs are in $out/; $skipped skipped"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Sourced by try.sh and check.sh: what has to be installed, how, and the build they share.

# To build the program and its man pages.
build_packages=(gcc libc6-dev meson ninja-build pkgconf scdoc
	libtraceevent-dev libjson-c-dev libsmartcols-dev libzstd-dev zlib1g-dev)

# To test it as well: unit tests, sanitizers and fuzzers, static checks, the peer that the trace reader is compared with, and
# a kernel whose governors are compiled.
test_packages=(libcmocka-dev clang libclang-rt-dev clang-tidy clang-format cppcheck shellcheck mandoc
	binutils git patch libtracecmd-dev libtracefs-dev linux-source-6.1 trace-cmd valgrind)

say() {
	printf '==> %s\n' "$*"
}

# Those of the packages $@ that are not installed, one a line.
missing_packages() {
	local package
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
			echo "$package"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		say "$1 has to run as root: run this as root, or install sudo" >&2
		return 1
	fi
}

# Installs what is missing of the packages $@, and says what before it does.
install_packages() {
	local missing

	if ! command -v apt-get >/dev/null; then
		say "not Debian: nothing gets installed; needed are (Debian's names): $*"
		return 0
	fi
	mapfile -t missing < <(missing_packages "$@")
	if [ ${#missing[@]} -eq 0 ]; then
		say "all packages needed are installed"
		return 0
	fi
	say "missing, will be installed by apt-get: ${missing[*]}"
	as_root apt-get -q update || return
	say "with what these depend on, the packages that will be installed are:"
	apt-get -q --no-install-recommends --simulate install "${missing[@]}" |
		sed -n 's/^Inst \([^ ]*\) .*(\([^ ]*\) .*/    \1 \2/p'
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 \
		--no-install-recommends install "${missing[@]}"
}

# Configures build directory $1 with the Meson options that follow, and builds it (only $target, if that is set).
build() {
	local dir=$1
	shift
	if [ -e "$dir/build.ninja" ]; then
		set -- --reconfigure "$@"
	fi
	meson setup "$@" "$dir" && meson compile -C "$dir" ${target:+"$target"}
}

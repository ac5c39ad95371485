#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The governors in the source packages of kernels (Debian's linux-source-X.Y, in /usr/src or $CPIR_KERNEL_SOURCES), compiled
# unmodified, decide as the built-in ones of the same release: on random sequences and on the vectors of a release that is
# the same to them. A change made to a copy is the patch of that name.
# $1: root of the source tree; $2: the program; $3: differential; $4: directory of vector files
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lint/tap.sh"

program=$2 differential=$3 vectors=$4
packages=$(ls "${CPIR_KERNEL_SOURCES:-/usr/src}"/linux-source-*.tar.xz 2>/dev/null)
[ -n "$packages" ] || skip_all "no linux-source package is installed"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache

# unpack PACKAGE: its governors and Makefile into $tree; stops reading as soon as it has them
unpack() {
	local name=${1##*/}

	name=${name%.tar.xz}
	tree=$work/$name
	governors=$tree/drivers/cpuidle/governors
	tar -C "$work" --occurrence=1 -xJf "$1" "$name/Makefile" \
		"$name"/drivers/cpuidle/governors/{haltpoll,ladder,menu,teo}.c 2>&1 || return
	! grep -q '"gov.h"' "$governors"/*.c ||
		tar -C "$work" --occurrence=1 -xJf "$1" "$name/drivers/cpuidle/governors/gov.h" 2>&1
}

number() { # NAME: that of the tree's Makefile
	sed -n "s/^$1 = //p" "$tree/Makefile"
}

# The newest vector file of a governor in a series, without patches in its name.
newest_vectors() { # GOVERNOR SERIES
	find "$vectors" -name "$1@$2.*.csv" -not -name '*[+]*' 2>/dev/null | sort -V | tail -n 1
}

check_governor() { # GOVERNOR
	local spec=src:$governors/$1.c file said

	said=$("$differential" "$spec" "$1@$release" 300000 2>&1)
	ok $? "$1 of $release: as the built-in one on random sequences" <<<"$said"
	file=$(newest_vectors "$1" "$series")
	[ -n "$file" ] || return
	said=$("$program" policies --check -p "$spec" "$file" 2>&1)
	ok $? "$1 of $release: ${file##*/}" <<<"$said"
}

# The residency threshold of the polling override, put where the override's condition begins.
check_patched() {
	local changed=$work/changed/menu.c file=$vectors/menu@6.1.187+override-residency-threshold.csv said patch

	[ "$series" = 6.1 ] || return
	mkdir -p "$work/changed"
	sed '/states\[idx\]\.flags & CPUIDLE_FLAG_POLLING) &&$/a\
			    s->target_residency_ns < 15 * NSEC_PER_USEC \&\&' "$governors/menu.c" >"$changed"
	said=$("$differential" "src:$changed" "menu@$release+override-residency-threshold" 300000 2>&1)
	ok $? "a change of one line is the patch override-residency-threshold" <<<"$said"
	patch=$work/threshold.patch
	(cd "$work" && diff -u "${governors#"$work"/}/menu.c" changed/menu.c) >"$patch"
	said=$("$differential" "src:$governors/menu.c+patch:$patch" "src:$changed" 20000 2>&1)
	ok $? "and the same made by +patch:" <<<"$said"
	said=$("$differential" "src:$governors/menu.c" "src:$changed" 300000 2>&1)
	[ $? -eq 1 ]
	ok $? "and not the same as without it" <<<"$said"
	[ -e "$file" ] || return
	said=$("$program" policies --check -p "src:$governors/menu.c+patch:$patch" "$file" 2>&1)
	ok $? "and decides as in ${file##*/}" <<<"$said"
}

for package in $packages; do
	said=$(unpack "$package")
	ok $? "${package##*/} can be unpacked" <<<"$said"
	name=${package##*/}
	tree=$work/${name%.tar.xz}
	governors=$tree/drivers/cpuidle/governors
	series=$(number VERSION).$(number PATCHLEVEL)
	release=$series.$(number SUBLEVEL)
	for governor in haltpoll ladder menu teo; do
		check_governor "$governor"
	done
	check_patched
done
done_testing

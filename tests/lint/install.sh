#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What `meson install` lays down from the build directory ($2, prefix $3) can be used: the program starts, and another
# program is built against the header and the library with pkg-config.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

build=$2 prefix=$3
read -ra flags <<<"${CPIR_SANITIZE:+-fsanitize=$CPIR_SANITIZE}"
stage=$(mktemp -d) || exit 1
trap 'rm -rf "$stage"' EXIT

DESTDIR=$stage meson install --no-rebuild -C "$build" >"$stage/log" 2>&1
ok $? "meson install" <"$stage/log"

find_one() { # FILE NAME: the path of the only file of that name
	find "$stage$prefix" -name "$1" -not -type d | head -n 1
}

pages=$(cd "$build/man" && ls ./*.[1-8] 2>/dev/null)
for name in cpuidle-replay libcpuidle-replay.so cpuidle-replay.h cpuidle-replay.pc pseries-default.json shim.h ${pages//.\//}; do
	[ -n "$(find_one "$name")" ]
	ok $? "$name is installed" <<<"not found"
done

LD_LIBRARY_PATH=$(dirname "$(find_one libcpuidle-replay.so)")
PKG_CONFIG_PATH=$(dirname "$(find_one cpuidle-replay.pc)")
export LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=$stage
version=$("$stage$prefix/bin/cpuidle-replay" --version 2>&1)
ok $? "the installed program starts" <<<"$version"

cat >"$stage/user.c" <<'END'
#include <cpuidle-replay.h>
#include <stdio.h>

int main(void)
{
	struct cpir_policy *policy;
	struct cpir_error err;

	if (cpir_policy_parse("menu@6.1", NULL, &policy, &err) < 0)
		return puts(err.text), 1;
	printf("%s %s\n", cpir_version(), cpir_policy_name(policy));
	cpir_policy_free(policy);
	return 0;
}
END
read -ra libs < <(pkg-config --cflags --libs cpuidle-replay)
said=$(${CC:-cc} "${flags[@]}" -o "$stage/user" "$stage/user.c" "${libs[@]}" 2>&1)
ok $? "a program builds against it with pkg-config" <<<"$said"
said=$("$stage/user" 2>&1)
ok $? "and runs" <<<"$said"
done_testing

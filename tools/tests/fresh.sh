#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the set-up on fresh machines that have only git and make: tools/tests/fresh.sh [SUITE]
#
# The first machine has a network and an empty cache. The second has this cache and no network. Each
# clones vsm as it is committed, builds it, and runs a program in a virtual machine. SUITE is a
# release of Debian (default: that of this machine). Takes some minutes. Prints TAP.

here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tools/tests}
# shellcheck source=tap.sh
. "$here/tap.sh"
suite=${1:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
mkdir "$dir/cache"
# A work tree of git is a clone only with the rest of its repository. This clone is complete.
git clone -q "$top" "$dir/vsm" || exit

# Usage: machine [OPTION]... Runs these commands on a fresh machine. Their output, of which the key of
# the cache is the first line, is shown as comments of TAP.
# shellcheck disable=SC2016 # the inner shell expands these
machine() {
	{ "$top/tools/fresh" --suite "$suite" --include git,make --bind "$dir/vsm:/src" \
		--bind "$dir/cache:/cache" "$@" -- sh -c '
		export VSM_CACHE=/cache
		git config --global --add safe.directory "*"
		git clone -q /src vsm && cd vsm && echo "key $(tools/setup.sh --key)" && make &&
		tools/vm/run --timeout 900 -- build/tools/vsm info' 2>&1
		echo $? >"$dir/status"
	} | tee "$dir/out" | sed -u 's/^/# /'
	return "$(cat "$dir/status")"
}

# Prints the names and hashes of what was fetched.
fetched() {
	(cd "$dir/cache" && find . \( -path ./initramfs -o -path ./booted \) -prune -o -type f ! -name setup.log \
		! -name lock ! -name 'kvm-*' -exec sha256sum {} + | sort -k 2)
}

: >"$dir/err"
echo "# $suite, with a network"
machine
result $? "a fresh $suite builds vsm and runs a program with the device"
key=$(sed -n 's/^key //p' "$dir/out")
grep -q '^  features' "$dir/out"
result $? 'the program has found the device'
! grep -qE '^(Get:|Unpacking|Setting up)' "$dir/out" && [ "$(wc -l <"$dir/out")" -lt 60 ]
result $? 'the output is short'
fetched >"$dir/before"
[ -s "$dir/before" ]
result $? 'the cache holds something'

echo "# $suite, with the cache and no network"
machine --offline
result $? 'a second one, with the cache and no network, does the same'
[ -n "$key" ] && [ "$(sed -n 's/^key //p' "$dir/out")" = "$key" ]
result $? 'both have the same key'
fetched | diff "$dir/before" - >"$dir/out" 2>&1
result $? 'the second one has not changed the cache'
finish

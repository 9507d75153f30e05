#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests where tools/fresh takes a Debian from, with an mmdebstrap that only shows what it is asked
# for. Needs root. Prints TAP.

# shellcheck source=tap.sh
. "${0%/*}/tap.sh"
[ "$(id -u)" = 0 ] || {
	printf '%s\n' 1..1 'ok 1 - a fresh Debian comes from the mirror of apt # SKIP needs root'
	exit
}
program=$(realpath "${0%/*}/../fresh")
mkdir "$dir/bin" "$dir/lists" "$dir/sources"
cat >"$dir/bin/mmdebstrap" <<-'END'
	#!/bin/sh
	for last; do :; done
	cat "$last"
	exit 1
END
chmod +x "$dir/bin/mmdebstrap"
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# Usage: asked SOURCE. Writes to "err" the sources for a root, where apt has fetched nothing and has
# only this source.
asked() {
	echo "$1" >"$dir/sources/one.list"
	printf '%s\n' "Dir::State::lists \"$dir/lists\";" 'Dir::Etc::sourcelist "/dev/null";' \
		"Dir::Etc::sourceparts \"$dir/sources\";" >"$dir/apt.conf"
	APT_CONFIG=$dir/apt.conf PATH=$dir/bin:$PATH "$program" -- true >"$dir/out" 2>"$dir/err"
	[ $? = 125 ]
}

asked "deb http://mirror.example/debian $suite main" &&
	grep -qx "deb http://mirror.example/debian/ $suite main" "$dir/err"
result $? 'a fresh Debian comes from the mirror of apt, also if apt has fetched nothing'
asked "deb http://mirror.example/debian other main" &&
	grep -qx "fresh: apt knows no mirror of $suite" "$dir/err"
result $? 'there is no fresh Debian without a mirror'
finish

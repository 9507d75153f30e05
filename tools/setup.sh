#!/bin/bash
# SPDX-License-Identifier: MIT
# Prepares a fresh Debian bookworm for the build. This program installs packages with apt-get. It
# also fetches the two stock kernels with their headers, and a few files of the kernel source that
# the packages of headers lack. The kernels and these files are unpacked into a cache, and not
# installed. If nothing is missing, the program takes less than a second.
#
#   tools/setup.sh [--quiet] [arm64] [debug] [igt] [page] [kernel PACKAGE]
# "arm64" also installs what tools/vm/arm64-kernel needs.
# "debug" also installs the packages that tools/vm/debug-kernel needs, and "igt" those that build
# tests of IGT. "page" also installs the
# browser that tests the HTML page of the timeline, which takes about 400 MB. "kernel" only fetches a
# kernel that apt knows, such as linux-image-6.12-rt-amd64, and prints the path of its folder.
#
# The cache is ${VSM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vsm}:
#   kernels/6.1, kernels/6.12   links to unpacked kernels, each with
#                               boot/vmlinuz, lib/modules and headers/
#   kernels/PACKAGE             links to other unpacked kernels, with the same contents
#   source                      link to the files taken from linux-source-6.12

set -euo pipefail

cache=${VSM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/vsm}
series="6.1 6.12"
security_suite=bookworm-security

packages="build-essential ca-certificates kmod cpio xz-utils busybox-static
	qemu-system-x86 libdrm-dev pkg-config libcmocka-dev linux-source-6.12
	sparse perl python3 python3-sphinx furo clang llvm libclang-rt-14-dev
	shellcheck abigail-tools groff-base protobuf-compiler libxml2-utils
	libncurses-dev tmux libtracefs-dev libtraceevent-dev mount gdb"

quiet=
wanted=
while [ $# != 0 ]; do
	case $1 in
	--quiet) quiet=1 ;;
	debug) packages="$packages linux-source-6.1 flex bison bc libelf-dev libssl-dev" ;;
	igt) packages="$packages linux-source-6.1 meson ninja-build bison flex python3-docutils
		libpciaccess-dev libpci-dev libkmod-dev libproc2-dev libdw-dev libpixman-1-dev
		libcairo2-dev libudev-dev libglib2.0-dev" ;;
	page) packages="$packages chromium fonts-dejavu-core" ;;
	arm64) packages="$packages qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ;;
	kernel) wanted=${2:?"kernel needs a name"}; shift ;;
	*) echo "usage: tools/setup.sh [--quiet] [arm64] [debug] [igt] [page] [kernel PACKAGE]" >&2; exit 2 ;;
	esac
	shift
done

say() { echo "setup: $*" >&2; }
die() { say "$@"; exit 1; }

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "must run as root (or have sudo) to run: $*"
	fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2; }

updated=
update() {
	[ -z "$updated" ] || return 0
	say "refreshing the package lists"
	apt update || say "apt-get update reported errors"
	updated=1
}

# Prints the names among "$@" that are not fully installed. dpkg-query prints nothing for a name
# that it does not know. A package therefore counts as installed only if dpkg-query prints its name.
missing() {
	local have name
	have=" $(dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' "$@" 2>/dev/null |
		sed -n 's/^installed \([^:]*\).*/\1/p' | tr '\n' ' ') "
	for name in "$@"; do
		case $have in
		*" $name "*) ;;
		*) echo "$name" ;;
		esac
	done
}

candidate() {
	LC_ALL=C apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^  Candidate: //p' | grep -v '^(none)$' || true
}

install() {
	local want=$*
	[ -n "$want" ] || return 0
	say "installing: $want"
	# shellcheck disable=SC2086 # a list of package names
	apt install -y --no-install-recommends $want && return 0
	[ -z "$updated" ] || die "apt-get could not install: $want"
	update
	# shellcheck disable=SC2086
	apt install -y --no-install-recommends $want || die "apt-get could not install: $want"
}

# Adds the security suite to the apt sources, from the mirror that bookworm comes from, if apt can
# read the suite from there.
add_security_suite() {
	local uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local file=/etc/apt/sources.list.d/vsm-$security_suite.list dir opts=
	# shellcheck disable=SC2016 # apt expands these
	uri=$(LC_ALL=C apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|' 'Created-By: Packages' |
		sed -n 's/|\(bookworm\|oldstable\|stable\)|$//p' | head -n 1)
	uri=${uri%/}
	case $uri in
	*/debian) uri=$uri-security ;;
	*) return 1 ;;
	esac
	[ ! -e "$keyring" ] || opts="[signed-by=$keyring] "
	say "$security_suite is not among the apt sources; trying it beside the bookworm mirror"
	dir=$(mktemp -d)
	chmod 755 "$dir"
	echo "deb $opts$uri $security_suite main" >"$dir/list"
	if apt update -o Dir::Etc::sourcelist="$dir/list" -o Dir::Etc::sourceparts=- \
		-o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any; then
		as_root cp "$dir/list" "$file"
		as_root chmod 644 "$file"
		say "wrote $file"
		rm -rf "$dir"
		return 0
	fi
	rm -rf "$dir"
	return 1
}

need_candidate() {
	[ -z "$(candidate "$1")" ] || return 0
	update
	[ -z "$(candidate "$1")" ] || return 0
	case $1 in
	*6.12*) if add_security_suite && [ -n "$(candidate "$1")" ]; then return 0; fi ;;
	esac
	say "apt knows no package $1."
	[ "$1" != "$wanted" ] || exit 1
	die "It comes from the suite $security_suite (component main): add an apt" \
		"source line for that suite of your Debian mirror and run this again."
}

# Prints the kernel package that a meta package depends on: for linux-image-6.12-amd64,
# linux-image-6.12.117+deb12-amd64. For any other package, prints its own name.
real_image() {
	local image
	image=$(LC_ALL=C apt-cache show --no-all-versions "$1" |
		sed -n 's/^Depends: *\(linux-image-[^ ,|]*\).*/\1/p' | head -n 1)
	echo "${image:-$1}"
}

meta_of() {
	case $1 in
	6.1) echo linux-image-amd64 ;;
	linux-image-*) echo "$1" ;;
	*) echo "linux-image-$1-amd64" ;;
	esac
}

# Succeeds if an unpacked kernel is complete. Its headers use the makefiles and host programs of two
# installed packages, which must be present too.
kernel_ready() {
	local dir=$cache/kernels/$1
	[ -e "$dir/boot/vmlinuz" ] && [ -e "$dir/headers/Module.symvers" ] &&
		[ -x "$dir/headers/scripts/basic/fixdep" ] && [ -e "$dir/common/Makefile" ]
}

# linux-headers-*-amd64 of 6.12 depends on the kernel image, which must not be installed. The
# package of headers is therefore unpacked next to the image, for both series.
kernel_fetch() {
	local meta image release headers common version kbuild tmp dest try
	meta=$(meta_of "$1")
	need_candidate "$meta"
	for try in 1 2; do
		image=$(real_image "$meta")
		[ -n "$image" ] || die "cannot tell what $meta depends on"
		release=${image#linux-image-}
		version=$(candidate "$image")
		headers=$(LC_ALL=C apt-cache show --no-all-versions "linux-headers-$release" |
			sed -n 's/^Depends://p' | tr ',' '\n' | head -n 20)
		common=$(echo "$headers" | sed -n 's/^ *\(linux-headers-[^ ]*common[^ ]*\).*/\1/p')
		kbuild=$(echo "$headers" | sed -n 's/^ *\(linux-kbuild-[^ ]*\).*/\1/p')
		[ -n "$version" ] || die "apt has no $image"
		[ -n "$kbuild" ] || die "apt has no headers for $image"
		[ -n "$common" ] || die "apt has no common headers for $image"
		dest=$cache/kernels/${release}_$version
		# shellcheck disable=SC2046 # package names
		install $(missing "$common" "$kbuild")
		tmp=$(mktemp -d "$cache/tmp.XXXXXX")
		say "fetching Linux $1 ($release, $version)"
		if (cd "$tmp" && apt-get -q -o APT::Sandbox::User=root download \
			"$image=$version" "linux-headers-$release=$version" >&2); then
			break
		fi
		rm -rf "$tmp"
		[ "$try" = 1 ] || die "cannot download $image and its headers"
		update
	done
	for deb in "$tmp"/*.deb; do
		dpkg -x "$deb" "$tmp/root"
		rm "$deb"
	done
	rm -rf "$tmp/root/usr/share" "$tmp/root/boot/System.map"* "$tmp/root/lib/modules/$release/"{build,source}
	if [ -d "$tmp/root/usr/lib/modules" ] && [ ! -d "$tmp/root/lib/modules/$release/kernel" ]; then
		mkdir -p "$tmp/root/lib"
		rm -rf "$tmp/root/lib/modules"
		mv "$tmp/root/usr/lib/modules" "$tmp/root/lib/modules"
	fi
	ln -s "vmlinuz-$release" "$tmp/root/boot/vmlinuz"
	ln -s "usr/src/linux-headers-$release" "$tmp/root/headers"
	ln -s "/usr/src/$common" "$tmp/root/common"
	# "scripts" and "tools" in the headers are links relative to /usr/src.
	mkdir -p "$tmp/root/usr/lib"
	ln -s "/usr/lib/$kbuild" "$tmp/root/usr/lib/$kbuild"
	echo "$release" >"$tmp/root/release"
	depmod -b "$tmp/root" "$release"
	chmod -R a+rX "$tmp/root"
	rm -rf "$dest"
	mv "$tmp/root" "$dest"
	rm -rf "$tmp"
	ln -sfn "$(basename "$dest")" "$cache/kernels/$1.new"
	mv -T "$cache/kernels/$1.new" "$cache/kernels/$1"
	kernel_ready "$1" || die "Linux $1 is incomplete after unpacking: $dest"
}

source_fetch() {
	local version=$1 tmp top
	tmp=$(mktemp -d "$cache/tmp.XXXXXX")
	say "taking checkpatch, kernel-doc and kselftest out of linux-source-6.12"
	# The files can be anywhere in the archive: tar reads all of it, which takes some seconds.
	tar -C "$tmp" -xJf /usr/src/linux-source-6.12.tar.xz --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' '*/scripts/kernel-doc' \
		'*/Documentation/sphinx' '*/tools/testing/selftests/kselftest.h' \
		'*/tools/testing/selftests/kselftest_harness.h' \
		'*/tools/testing/selftests/kselftest/ktap_helpers.sh'
	top=$(echo "$tmp"/*)
	rm -rf "$cache/source-$version"
	mv "$top" "$cache/source-$version"
	rm -rf "$tmp"
	ln -sfn "source-$version" "$cache/source.new"
	mv -T "$cache/source.new" "$cache/source"
}

[ "$(dpkg --print-architecture)" = amd64 ] || die "only amd64 is supported"

if [ -n "$wanted" ]; then
	mkdir -p "$cache/kernels"
	exec 9>"$cache/lock"
	flock 9
	kernel_ready "$wanted" || kernel_fetch "$wanted"
	echo "$cache/kernels/$wanted"
	exit
fi

# shellcheck disable=SC2086
gone=$(missing $packages)
if [ -n "$gone" ]; then
	need_candidate linux-source-6.12
	# shellcheck disable=SC2086
	install $gone
fi

ready=1
for k in $series; do kernel_ready "$k" || ready=; done
source_version=$(dpkg-query -W -f='${Version}' linux-source-6.12)
[ -e "$cache/source-$source_version/scripts/checkpatch.pl" ] || ready=

if [ -z "$ready" ]; then
	mkdir -p "$cache/kernels"
	exec 9>"$cache/lock"
	flock 9
	for k in $series; do
		kernel_ready "$k" || kernel_fetch "$k"
	done
	if [ ! -e "$cache/source-$source_version/scripts/checkpatch.pl" ]; then
		source_fetch "$source_version"
	fi
fi

[ -n "$quiet" ] || say "nothing is missing"

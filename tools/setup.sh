#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs packages for a purpose, and fetches kernels and files of the kernel's source into a cache.
# tools/packages lists the purposes, their packages and the distributions. If nothing is missing,
# this program takes less than a second.
#
#   tools/setup.sh [--quiet] PURPOSE...   installs and fetches what is missing for these purposes;
#                                         "all" is what `make`, `make test`, `make check` and
#                                         `make docs` use, and all stock kernels
#   tools/setup.sh kernel NAME            fetches a stock kernel, or one that apt knows, such as
#                                         linux-image-6.12-rt-amd64; prints the path of its folder
#   tools/setup.sh --kernels              prints the names of the stock kernels, the default first
#   tools/setup.sh --key [PURPOSE...]     prints a key for a cache of CI
#
# With VSM_SETUP=no in the environment, nothing is installed: this program names the packages that
# are missing, with the command that installs them, and fails. It accepts distributions that
# tools/packages does not list.
#
# The cache (tools/common.sh) has:
#   kernels/NAME   links to unpacked kernels, each with boot/vmlinuz, lib/modules and headers/
#   source         link to files of the kernel's source: checkpatch, kernel-doc, kselftest.h
#   booted         states of virtual machines that have booted (tools/vm/snapshot.py)
#   packages       packages that were installed, and the lists of packages; only if VSM_CACHE
#                  names a folder that is not the default one
#   setup.log      what apt-get or dnf printed last

set -euo pipefail

# Debian's users lack the folder of depmod.
PATH=$PATH:/usr/sbin:/sbin
tools=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/common.sh
. "$tools/common.sh"
default_cache=$(realpath -m "$default_cache")
cache=$(realpath -m "$cache")
log=$cache/setup.log

say() { echo "setup: $*" >&2; }
die() { say "$@"; exit 1; }

usage() {
	sed -n 's/^#   tools/tools/p' "$0" | sed 's/  .*//' >&2
	exit 2
}

# --- the distribution and the table -------------------------------------------

os_release=${VSM_OS_RELEASE:-/etc/os-release}
os() { sed -n "s/^$1=//p" "$os_release" 2>/dev/null | tr -d "\"'" | tail -n 1 || true; }
id=$(os ID)
version=$(os VERSION_ID)
case $id in
debian | ubuntu) tool=apt ;;
fedora) tool=dnf ;;
*) tool=none ;;
esac

# Prints the words of the rows that count for a purpose on this machine.
words() {
	awk -v purpose="$1" -v places=" all $tool $id $id-$version " \
		'$1 == purpose && index(places, " " $2 " ") { for (i = 3; i <= NF; i++) print $i }' \
		"$tools/packages"
}

# Prints the packages of purposes, and +source if they need the kernel's source.
packages() {
	local purpose word own
	for purpose in "$@"; do
		own=
		for word in $(words "$purpose"); do
			case $word in
			+source) echo "$word" ;;
			+*) packages "${word#+}" ;;
			*) own=1; echo "$word" ;;
			esac
		done
		[ -n "$own" ] || echo "-$purpose"
	done
}

kernels() { words kernels | sed 's/=.*//'; }
kernel_package() { words kernels | sed -n "s/^$1=//p"; }

demand_distribution() {
	[ "$(uname -m)" = x86_64 ] || die "this machine is $(uname -m), and only x86_64 is supported"
	[ -z "$(kernels)" ] || return 0
	say "$(os PRETTY_NAME): this distribution is not in tools/packages, which knows:" \
		"$(sed -n 's/^kernels\t*\([^\t ]*\).*/\1/p' "$tools/packages" | paste -s -d ' ')."
	die "Install what that file names for \"run\" by hand, set VSM_SETUP=no, and name a kernel" \
		"(KERNEL= of make, --kernel of tools/vm/run)."
}

# --- running package tools ----------------------------------------------------

# Prints why this program may not act as root, or nothing.
no_root() {
	if [ "${VSM_SETUP:-}" = no ]; then
		echo "VSM_SETUP is no"
	elif [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		echo "you are not root, and there is no sudo"
	fi
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Shows one of the lines of standard input every ten seconds.
show() {
	local line last=$SECONDS
	while IFS= read -r line; do
		if [ $((SECONDS - last)) -ge "${VSM_SETUP_INTERVAL:-10}" ]; then
			say "$line"
			last=$SECONDS
		fi
	done
}

die_logged() {
	tail -n 25 "$log" | sed 's/^/  /' >&2
	die "$*; the whole log: $log"
}

# Packages are kept for CI, which gives a folder of its own.
keeping() { [ "$cache" != "$default_cache" ]; }

# Usage: apt_get RUN ARGUMENT... RUN runs apt-get: "env" or as_root. The output of apt-get goes to the
# log, and its status to another descriptor, which sudo would close. A descriptor for both would not
# do: apt-get makes it non-blocking, and scripts of packages cannot write to it then.
apt_get() {
	local run=$1
	shift
	echo "# apt-get $*" >"$log"
	# shellcheck disable=SC2016 # the inner shell expands these
	"$run" sh -c 'exec 3>&1 >>"$0" 2>&1 9>&- && exec "$@"' "$log" \
		env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o APT::Status-Fd=3 \
		-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 -o APT::Sandbox::User=root "$@" </dev/null |
		sed -un -e 's/^dlstatus:[^:]*:\([0-9]*\)[^:]*:\(.*\)/fetched \1 %, \2/p' \
			-e 's/^pmstatus:[^:]*:\([0-9]*\)[^:]*:\(.*\)/installed \1 %, \2/p' | show
}

archives=()
! keeping || archives=(-o "Dir::Cache::archives=$cache/packages/" -o APT::Keep-Downloaded-Packages=true)

apt() { apt_get as_root "${archives[@]}" "$@"; }

# Usage: dnf_logged COMMAND...
dnf_logged() {
	echo "# $*" >"$log"
	"$@" </dev/null 2>&1 9>&- | tee -a "$log" | show
}

# Sets $lists and $sources, the folders of apt.
apt_folders() {
	[ -n "${lists:-}" ] ||
		eval "$(apt-config shell lists Dir::State::lists/d sources Dir::Etc::sourceparts/d)"
	lists=${lists%/}
	sources=${sources%/}
}

have_lists() { apt_folders; compgen -G "$lists/*_Packages*" >/dev/null; }

# The source that add_security_suite adds: its file and its line.
security_list=vsm-bookworm-security.list
security_source='deb (\[signed-by=[^] ]*\] )?[a-z]+:[^ ]*/debian-security bookworm-security main'

# The lists of packages, and a source that this program has added, go to the cache and come back
# from there to a machine without lists. Packages that were damaged in the cache are removed. apt-get
# fetches as root; the user of this program owns the cache.
keep_packages() {
	keeping || return 0
	apt_folders
	as_root mkdir -p "$cache/packages/lists"
	# shellcheck disable=SC2016 # the inner shell expands these
	as_root sh -c 'cd "$1" || exit
		rm -rf partial lock
		cp -p "$2"/*_* "$3"/vsm-*.list lists/ 2>/dev/null
		chmod -R a+rX . && sha256sum ./*.deb >SHA256SUMS 2>/dev/null
		chown -Rh "$4" . || :' sh "$cache/packages" "$lists" "$sources" "$(id -u):$(id -g)"
}

restore_packages() {
	local name list
	keeping && [ -e "$cache/packages/SHA256SUMS" ] && [ -z "$(no_root)" ] || return 0
	{ (cd "$cache/packages" && LC_ALL=C sha256sum -c --quiet SHA256SUMS 2>/dev/null) || true; } |
		sed -n 's|^\./\([^/]*\.deb\): FAILED.*|\1|p' | while read -r name; do
			say "$name in the cache is damaged"
			as_root rm -f "$cache/packages/$name"
		done
	have_lists && return 0
	# shellcheck disable=SC2016 # the inner shell expands these
	as_root sh -c 'cp -p "$1"/lists/*_* "$2/" 2>/dev/null || :' sh "$cache/packages" "$lists"
	list=$cache/packages/lists/$security_list
	if [ -e "$list" ] && [ "$(wc -l <"$list")" = 1 ] && grep -Exq "$security_source" "$list"; then
		as_root cp "$list" "$sources/"
	fi
}

updated=
update() {
	local no
	[ -z "$updated" ] || return 0
	updated=1
	no=$(no_root)
	if [ -n "$no" ]; then
		say "the lists of packages are not refreshed, because $no. As root, run: apt-get update"
		return 0
	fi
	say "refreshing the lists of packages"
	apt update || say "apt-get update reported errors"
	keep_packages
}

# Prints the names among "$@" that are not fully installed. dpkg-query prints nothing for a name
# that it does not know. A package therefore counts as installed only if dpkg-query prints its name.
missing() {
	local have name
	[ $# != 0 ] || return 0
	if [ $tool = dnf ]; then
		LC_ALL=C rpm -q "$@" | sed -n 's/^package \(.*\) is not installed$/\1/p' || true
		return
	fi
	have=" $(dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' "$@" 2>/dev/null |
		sed -n 's/^installed \([^:]*\).*/\1/p' | tr '\n' ' ' || true) "
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

apt_install() {
	local count size
	count=$(LC_ALL=C apt-get -s -q install --no-install-recommends "$@" 2>/dev/null | grep -c '^Inst ') ||
		return
	size=$(apt-get -qq "${archives[@]}" --print-uris -y install --no-install-recommends "$@" |
		awk "/^'/ { n += \$3 } END { print n ? int(n / 1e6 + 1) \" MB to fetch\" : \"none to fetch\" }")
	say "installing $count packages ($size)"
	apt install -y --no-install-recommends "$@"
}

# Usage: install PURPOSES PACKAGE... None of the packages is installed. Says first what is missing, and
# what it is for: nobody who did not expect it should type a password.
install() {
	local purposes=$1 command='apt-get install --no-install-recommends' no name
	shift
	[ $# != 0 ] || return 0
	[ $tool = apt ] || command='dnf install --setopt=install_weak_deps=False'
	say "missing for \"$purposes\": $*"
	no=$(no_root)
	[ -z "$no" ] || die "nothing is installed, because $no. As root, run: $command $*"
	[ "$(id -u)" = 0 ] || command="sudo $command"
	say "they are installed with $command (VSM_SETUP=no forbids it)"
	for name; do
		[[ $name != linux-source-* ]] || need_candidate "$name"
	done
	if [ $tool = dnf ]; then
		say "installing $# packages and what they need"
		dnf_logged as_root dnf install -y --setopt=install_weak_deps=False "$@" ||
			die_logged "dnf could not install: $*"
		return
	fi
	restore_packages
	have_lists || update
	apt_install "$@" || {
		[ -z "$updated" ] || die_logged "apt-get could not install: $*"
		update
		apt_install "$@" || die_logged "apt-get could not install: $*"
	}
	keep_packages
}

# Adds bookworm's security suite to the apt sources, from the mirror that bookworm comes from, if apt
# can read the suite from there.
add_security_suite() {
	local suite=bookworm-security uri dir opts='' keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ "$id-$version" = debian-12 ] && [ -z "$(no_root)" ] || return 1
	# shellcheck disable=SC2016 # apt expands these
	uri=$(LC_ALL=C apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|' 'Created-By: Packages' |
		sed -n 's/|\(bookworm\|oldstable\|stable\)|$//p' | head -n 1)
	uri=${uri%/}
	case $uri in
	*/debian) uri=$uri-security ;;
	*) return 1 ;;
	esac
	[ ! -e "$keyring" ] || opts="[signed-by=$keyring] "
	say "$suite is not among the apt sources; trying it beside the bookworm mirror"
	dir=$(mktemp -d)
	chmod 755 "$dir"
	echo "deb $opts$uri $suite main" >"$dir/list"
	if apt update -o Dir::Etc::sourcelist="$dir/list" -o Dir::Etc::sourceparts=- \
		-o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any; then
		apt_folders
		as_root cp "$dir/list" "$sources/vsm-$suite.list"
		as_root chmod 644 "$sources/vsm-$suite.list"
		say "wrote $sources/vsm-$suite.list"
		keep_packages
		rm -rf "$dir"
		return 0
	fi
	rm -rf "$dir"
	return 1
}

need_candidate() {
	[ -z "$(candidate "$1")" ] || return 0
	restore_packages
	[ -z "$(candidate "$1")" ] || return 0
	update
	[ -z "$(candidate "$1")" ] || return 0
	case $1 in
	*6.12*) if add_security_suite && [ -n "$(candidate "$1")" ]; then return 0; fi ;;
	esac
	say "apt knows no package $1."
	[ "$id-$version" = debian-12 ] || exit 1
	die "Linux 6.12 comes from the suite bookworm-security (component main): add an apt" \
		"source line for that suite of your Debian mirror and run this again."
}

# --- kernels ------------------------------------------------------------------

kernel_ready() {
	local dir=$cache/kernels/$1
	[ -e "$dir/boot/vmlinuz" ] && [ -e "$dir/headers/Module.symvers" ] &&
		[ -x "$dir/headers/scripts/basic/fixdep" ]
}

# Prints the packages among "$@" and their dependencies that are part of a kernel or its headers.
# Debian's linux-headers-* depend on the kernel, its common headers and its host programs; Ubuntu's
# linux-image-* on linux-modules-*.
kernel_parts() {
	local todo=("$@") seen=' ' name
	while [ ${#todo[@]} != 0 ]; do
		name=${todo[0]}
		todo=("${todo[@]:1}")
		case $seen in *" $name "*) continue ;; esac
		seen+="$name "
		echo "$name"
		mapfile -t -O ${#todo[@]} todo < <(LC_ALL=C apt-cache show --no-all-versions "$name" |
			sed -n 's/^\(Pre-\)\?Depends: *//p' | tr ',' '\n' |
			sed -n 's/^ *\(linux-\(image\|binary\|base\|modules\|headers\|kbuild\|hwe\)-[^ |]*\).*/\1/p')
	done
}

# Downloads the packages of a kernel and its headers to the current folder, and prints the kernel's
# release and version.
apt_download() {
	local image release
	image=$(kernel_parts "$1" | grep '^linux-image-' | tail -n 1)
	release=${image#linux-image-}
	[ -n "$(candidate "linux-headers-$release")" ] || return 1
	mapfile -t parts < <(kernel_parts "$1" "linux-headers-$release")
	apt_get env download "${parts[@]}" || return 1
	echo "$release $(candidate "$image")"
}

dnf_download() {
	local core
	dnf_logged dnf download --destdir . "$1" kernel-modules-core kernel-modules kernel-devel ||
		return 1
	core=$(echo kernel-core-*.rpm)
	core=${core#kernel-core-}
	echo "${core%.rpm} ${core%.rpm}"
}

# Unpacks the packages in a folder to its subfolder root, which then looks as Debian's packages do.
unpack() {
	local tmp=$1 release=$2 file
	mkdir "$tmp/root"
	for file in "$tmp"/*.deb "$tmp"/*.rpm; do
		case $file in
		*'/*'*) continue ;;
		*.deb) dpkg -x "$file" "$tmp/root" ;;
		*.rpm) rpm2cpio "$file" | (cd "$tmp/root" && cpio -idmu --quiet) ;;
		esac
		rm "$file"
	done
	if [ ! -d "$tmp/root/lib/modules/$release/kernel" ]; then
		mkdir -p "$tmp/root/lib"
		rm -rf "$tmp/root/lib/modules"
		mv "$tmp/root/usr/lib/modules" "$tmp/root/lib/modules"
	fi
	if [ $tool = dnf ]; then
		mkdir -p "$tmp/root/boot" "$tmp/root/usr/src"
		for file in vmlinuz config; do
			cp "$tmp/root/lib/modules/$release/$file" "$tmp/root/boot/$file-$release"
		done
		ln -sfn "kernels/$release" "$tmp/root/usr/src/linux-headers-$release"
	fi
	rm -rf "$tmp/root/usr/share" "$tmp/root/boot/System.map"* "$tmp/root/lib/modules/$release/"{build,source}
	ln -s "vmlinuz-$release" "$tmp/root/boot/vmlinuz"
	ln -s "usr/src/linux-headers-$release" "$tmp/root/headers"
	# The makefile in Debian's headers includes that of the common headers, by an absolute path.
	# shellcheck disable=SC2016 # make expands this
	[ -h "$tmp/root/headers/Makefile" ] || sed -i \
		's|^include /usr/src/|include $(dir $(lastword $(MAKEFILE_LIST)))../|' \
		"$tmp/root/headers/Makefile"
	echo "$release" >"$tmp/root/release"
	depmod -b "$tmp/root" "$release"
	chmod -R u+w,a+rX "$tmp/root"
}

# Usage: kernel_fetch NAME. Nothing is installed.
kernel_fetch() {
	local package tmp needed found release dest
	package=$(kernel_package "$1")
	package=${package:-$1}
	mapfile -t needed < <(packages fetch)
	mapfile -t needed < <(missing "${needed[@]}")
	install "Linux $1" "${needed[@]}"
	[ $tool = dnf ] || need_candidate "$package"
	tmp=$(mktemp -d "$cache/tmp.XXXXXX")
	say "fetching Linux $1"
	if ! found=$(cd "$tmp" && ${tool}_download "$package"); then
		[ $tool = apt ] || die_logged "cannot download $package"
		update
		found=$(cd "$tmp" && apt_download "$package") ||
			die_logged "cannot download $package and its headers"
	fi
	release=${found% *}
	dest=$cache/kernels/${release}_${found#* }
	say "unpacking Linux $1 ($release)"
	unpack "$tmp" "$release"
	# Another name may have the same kernel, which somebody may use at the moment.
	if ! kernel_ready "${dest##*/}"; then
		rm -rf "$dest"
		sync -f "$tmp/root"
		mv "$tmp/root" "$dest"
	fi
	rm -rf "$tmp"
	ln -sfn "$(basename "$dest")" "$cache/kernels/$1.new"
	mv -T "$cache/kernels/$1.new" "$cache/kernels/$1"
	kernel_ready "$1" || die "Linux $1 is incomplete after unpacking: $dest"
}

# --- files of the kernel's source ---------------------------------------------

source_ready() { [ -e "$cache/source/scripts/checkpatch.pl" ]; }

source_fetch() {
	local package tmp dest
	package=$(words source)
	need_candidate "$package"
	dest=source-$(candidate "$package")
	tmp=$(mktemp -d "$cache/tmp.XXXXXX")
	say "fetching $package"
	(cd "$tmp" && apt_get env download "$package") || {
		update
		(cd "$tmp" && apt_get env download "$package") || die_logged "cannot download $package"
	}
	say "taking checkpatch, kernel-doc and kselftest out of $package"
	mkdir "$tmp/files"
	# The files can be anywhere in the archive: tar reads all of it, which takes some seconds.
	dpkg --fsys-tarfile "$tmp"/*.deb | tar -xO "./usr/src/$package.tar.xz" |
		tar -C "$tmp/files" --strip-components=1 -xJ --wildcards \
			'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
			'*/scripts/const_structs.checkpatch' '*/scripts/kernel-doc' \
			'*/Documentation/sphinx' '*/tools/testing/selftests/kselftest.h' \
			'*/tools/testing/selftests/kselftest_harness.h' \
			'*/tools/testing/selftests/kselftest/ktap_helpers.sh'
	rm -rf "${cache:?}/$dest"
	sync -f "$tmp/files"
	mv "$tmp/files" "$cache/$dest"
	rm -rf "$tmp"
	ln -sfn "$dest" "$cache/source.new"
	mv -T "$cache/source.new" "$cache/source"
}

# --- main ---------------------------------------------------------------------

# Everything that changes the cache or the machine is done by one program at a time. What it fetches
# is on the disk before its name is, because a machine may stop at any time.
enter() {
	mkdir -p "$cache/kernels"
	! keeping || mkdir -p "$cache/packages"
	exec 9>"$cache/lock"
	flock 9
	# Programs that were killed have left these.
	rm -rf "$cache"/tmp.??????
}

quiet=
if [ "${1:-}" = --quiet ]; then
	quiet=1
	shift
fi
case ${1:-} in
--kernels)
	kernels | paste -s -d ' '
	exit
	;;
--key)
	shift
	{
		echo "$@"
		cat "$0" "$tools/packages"
		dpkg-query -W 2>/dev/null || rpm -qa | sort
	} | sha256sum | sed "s/\(.\{16\}\).*/vsm-$id-$version-\1/"
	exit
	;;
kernel)
	[ $# = 2 ] || usage
	demand_distribution
	if ! kernel_ready "$2"; then
		enter
		kernel_ready "$2" || kernel_fetch "$2" 1>&2
	fi
	echo "$cache/kernels/$2"
	exit
	;;
'' | -*)
	usage
	;;
esac

# With VSM_SETUP=no, a distribution without a list is the user's own business.
[ "${VSM_SETUP:-}" != no ] || [ -n "$(kernels)" ] || exit 0
demand_distribution

all=
purposes=()
for purpose; do
	if [ "$purpose" = all ]; then
		all=1
		# Those of them that can be had on this distribution.
		for part in run test check docs; do
			[[ $(packages $part) == *"-$part"* ]] || purposes+=("$part")
		done
	else
		purposes+=("$purpose")
	fi
done
mapfile -t wanted < <(packages "${purposes[@]}" | sort -u)
for name in "${wanted[@]}"; do
	# The same goes for a purpose without a list.
	[[ $name != -* ]] || [ "${VSM_SETUP:-}" != no ] || exit 0
	[[ $name != -* ]] || die "tools/packages has no packages for \"${name#-}\" on $id $version"
done
source=
mapfile -t names < <(printf '%s\n' "${wanted[@]}" | grep -v '^+')
[ ${#names[@]} = ${#wanted[@]} ] || source=1
mapfile -t gone < <(missing "${names[@]}")
late=
[ -z "$source" ] || source_ready || late=1
if [ -n "$all" ]; then
	for name in $(kernels); do kernel_ready "$name" || late=1; done
fi

if [ ${#gone[@]} != 0 ] || [ -n "$late" ]; then
	enter
	# Another program may have installed packages in the meantime.
	mapfile -t gone < <(missing "${names[@]}")
	install "$*" "${gone[@]}"
	[ -z "$source" ] || source_ready || source_fetch
	[ -z "$all" ] || for name in $(kernels); do
		kernel_ready "$name" || kernel_fetch "$name"
	done
fi

[ -n "$quiet" ] || say "nothing is missing"

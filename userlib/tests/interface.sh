#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library's interface to programs: its exported symbols, its headers and its man pages, in
# the source tree and installed. Prints TAP. Run it in userlib.
#
#	interface.sh OUT

out=$1
library=$(sed -n 's/^SONAME := //p' Makefile)
: "${CC:=cc}" "${CXX:=c++}" "${PKG_CONFIG:=pkg-config}" "${MAKE:=make}"

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

count=0
failed=0

# Usage: check NAME COMMAND...: the test NAME passes if COMMAND succeeds.
check() {
	what=$1
	shift
	count=$((count + 1))
	if "$@" >"$dir/log" 2>&1; then
		echo "ok $count - $what"
	else
		echo "not ok $count - $what"
		sed 's/^/# /' "$dir/log"
		failed=1
	fi
}

compile() {
	# shellcheck disable=SC2317 # called by check
	"$@" -o "$dir/program"
}

cat >"$dir/use.c" <<'USE'
#include <vsm.h>

int main(void)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(vsm_shared_addr(1, 8), VSM_SINK);
	struct vsm_thread thread = vsm_thread_at(0, 0, 0);

	vsm_device_close(0);
	return insn.op != DRM_VSM_OP_MBARRIER_ARRIVE || thread.cta;
}
USE
cp "$dir/use.c" "$dir/use.cc"

# Declarations begin in the first column; inline functions are not exported.
sed -n '/^static/d; s/^[a-z].*[ *]\(vsm_[a-z0-9_]*\)(.*/\1/p' vsm.h | sort >"$dir/declared"
exported() {
	nm -D --defined-only "$1" | sed 's/.* //' | sort
}
exported "$out/$library" >"$dir/exported"

# libvsm-ffi exports the inline functions of the headers as well.
headers='vsm.h vsm_insn.h ../uapi/drm/vsm_mbarrier.h ../uapi/drm/vsm_tensor.h'
inlines() {
	tr '\n' ' ' | grep -o 'static inline [^(]*(' | sed -n 's/.*[ *]\(vsm_[a-z0-9_]*\)($/\1/p'
}
# shellcheck disable=SC2086
cat $headers | inlines | sort - "$dir/declared" >"$dir/wanted"
exported "$out/libvsm-ffi.so" >"$dir/ffi"

# libvsm-ptx has vsm_ptx.h. Its static library has other symbols of its own, but they are local.
sed -n '/^static/d; s/^[a-z].*[ *]\(vsm_ptx_[a-z0-9_]*\)(.*/\1/p' ptx/vsm_ptx.h |
	sort >"$dir/ptx-declared"
exported "$out/libvsm-ptx.so" >"$dir/ptx-exported"
nm -g --defined-only "$out/libvsm-ptx.a" | sed -n 's/^[0-9a-f]* . //p' |
	sort >"$dir/ptx-static"

# Ignore warnings about libdrm's headers, which are not part of this project.
drm=$($PKG_CONFIG --cflags libdrm | sed 's/-I/-isystem /g')
tree="-I. -I../uapi/drm $drm"
strict='-Wall -Wextra -Werror'

check 'the library exports what vsm.h declares' diff "$dir/declared" "$dir/exported"
check 'libvsm-ffi exports the same, and all inline functions' diff "$dir/wanted" "$dir/ffi"
check 'libvsm-ptx exports what vsm_ptx.h declares' diff "$dir/ptx-declared" "$dir/ptx-exported"
check 'the static libvsm-ptx has the same symbols' diff "$dir/ptx-exported" "$dir/ptx-static"
for std in c99 c11 c17; do
	# shellcheck disable=SC2086
	check "the headers are clean $std" \
		$CC -std=$std -pedantic -Wconversion -Wno-sign-conversion $strict $tree \
		-fsyntax-only "$dir/use.c"
done
for std in c++11 c++20; do
	# shellcheck disable=SC2086
	check "the headers are clean $std" \
		$CXX -std=$std $strict $tree -fsyntax-only "$dir/use.cc"
done
for header in vsm.h vsm_insn.h ptx/vsm_ptx.h ../uapi/drm/vsm_drm.h \
	../uapi/drm/vsm_inject.h ../uapi/drm/vsm_mbarrier.h ../uapi/drm/vsm_tensor.h \
	../uapi/drm/vsm_trace.h; do
	echo "#include \"$PWD/$header\"" >"$dir/alone.c"
	# shellcheck disable=SC2086
	check "${header##*/} can be included alone" \
		$CC -std=c99 -pedantic $strict $tree -fsyntax-only "$dir/alone.c"
done

install_into() {
	# shellcheck disable=SC2317 # called by check
	"$MAKE" --no-print-directory install DESTDIR="$1" PREFIX="$2"
}
check 'it installs into DESTDIR' install_into "$dir/root" /usr
check 'where it says nothing of DESTDIR' \
	grep -qx 'prefix=/usr' "$dir/root/usr/lib/pkgconfig/libvsm.pc"
check 'it installs into PREFIX' install_into '' "$dir/usr"
export PKG_CONFIG_PATH="$dir/usr/lib/pkgconfig"
flags=$($PKG_CONFIG --cflags --libs libvsm)
static="$($PKG_CONFIG --cflags libvsm) $dir/usr/lib/libvsm.a"
libs=$($PKG_CONFIG --libs libdrm)
# shellcheck disable=SC2086
check 'a C program builds against what was installed' compile $CC "$dir/use.c" $flags
check 'it runs with the shared library' env LD_LIBRARY_PATH="$dir/usr/lib" "$dir/program"
# shellcheck disable=SC2086
check 'a C++ program builds against what was installed' compile $CXX "$dir/use.cc" $flags
# shellcheck disable=SC2086
check 'a C program builds with the static library' \
	compile $CC "$dir/use.c" $static $libs -pthread
check 'it runs' "$dir/program"

# Each function of the library's headers has a man page. Making them needs kernel-doc.
man=$dir/usr/share/man/man3
# shellcheck disable=SC2317 # called by check
every_function_has_a_page() {
	while read -r name; do
		[ -f "$man/$name.3" ] || echo "$name"
	done <"$dir/public" | tee "$dir/lacking"
	[ ! -s "$dir/lacking" ]
}
# shellcheck disable=SC2317 # called by check
pages_are_clean() {
	groff -man -Tutf8 -ww -z "$man"/*.3 2>&1 | tee "$dir/warnings"
	[ ! -s "$dir/warnings" ]
}
cat vsm.h vsm_insn.h ptx/vsm_ptx.h | inlines |
	sort - "$dir/declared" "$dir/ptx-declared" >"$dir/public"
if [ -f "$man/libvsm.3" ]; then
	check 'every function has a man page' every_function_has_a_page
else
	check 'every function has a man page # SKIP there is no kernel-doc' true
fi
if [ -f "$man/libvsm.3" ] && command -v groff >/dev/null; then
	check 'the man pages are clean' pages_are_clean
else
	check 'the man pages are clean # SKIP there is no groff or no kernel-doc' true
fi
cat >"$dir/foreign.c" <<'FOREIGN'
/* A program without the headers. */
unsigned int vsm_shared_addr(unsigned int rank, unsigned int offset);

int main(void)
{
	return vsm_shared_addr(1, 8) != 0x1000008;
}
FOREIGN
# shellcheck disable=SC2046,SC2086
check 'a program without the headers builds with libvsm-ffi' \
	compile $CC "$dir/foreign.c" $($PKG_CONFIG --libs libvsm-ffi)
check 'it runs with libvsm-ffi' env LD_LIBRARY_PATH="$dir/usr/lib" "$dir/program"

echo "1..$count"
exit $failed

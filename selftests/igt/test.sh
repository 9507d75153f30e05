#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Builds those tests of IGT that suit a device without a display, and runs them in virtual machines:
# selftests/igt/test.sh run CHECKOUT KERNEL...
# selftests/igt/test.sh check CHECKOUT
#
# CHECKOUT is a checkout of igt-gpu-tools, of which nothing is part of vsm. The script changes no
# file there. KERNEL is 6.1 or 6.12. The script prints KTAP for each kernel. The build takes some
# minutes and is kept in build/igt; only what has changed is built again. "check" only looks whether
# CHECKOUT is one.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=${here%/selftests/igt}
build=$top/build/igt

die() {
	echo "test-igt: $*" >&2
	exit 1
}

[ $# -ge 2 ] || die 'usage: selftests/igt/test.sh run|check CHECKOUT KERNEL...'
action=$1
igt=$2
shift 2
[ -n "$igt" ] || die 'IGT= must name a checkout of igt-gpu-tools (make test-igt IGT=DIR)'
[ -d "$igt" ] || die "$igt is no folder"
for file in meson.build meson_options.txt lib/igt_core.c tests/core_getversion.c; do
	[ -e "$igt/$file" ] || die "$igt is no checkout of igt-gpu-tools: it has no $file"
done
[ "$action" = run ] || exit 0
for kernel in "$@"; do
	[ -e "/usr/src/linux-source-$kernel.tar.xz" ] ||
		die "there is no linux-source-$kernel with the source of sw_sync; KERNEL= must be 6.1 or 6.12"
done
igt=$(realpath "$igt")
mkdir -p "$build"

# Prints options of meson that leave out what these tests do not need. Checkouts of different ages
# have different options.
options() {
	local name
	for name in chamelium docs man overlay runner testplan valgrind; do
		! grep -q "^option('$name'" "$igt/meson_options.txt" || echo "-D$name=disabled"
	done
	! grep -q "^option('libdrm_drivers'" "$igt/meson_options.txt" || echo '-Dlibdrm_drivers='
}

# A folder that was set up for another checkout, or whose set-up did not end, begins anew.
if [ "$(cat "$build/checkout" 2>/dev/null)" != "$igt" ]; then
	rm -rf "$build/tree" "$build/checkout"
	mapfile -t options < <(options)
	meson setup "$build/tree" "$igt" "${options[@]}" >"$build/meson.log" 2>&1 ||
		{ tail -n 20 "$build/meson.log" >&2; die "meson cannot set up $igt"; }
	echo "$igt" >"$build/checkout"
fi
targets=$("$here/run.py" --list | while read -r name; do
	[ ! -e "$igt/tests/$name.c" ] || echo "tests/$name"
done)
# shellcheck disable=SC2086 # names without spaces
ninja -C "$build/tree" $targets >"$build/ninja.log" 2>&1 ||
	{ tail -n 20 "$build/ninja.log" >&2; die "the tests of $igt cannot be built"; }

# sw_sync makes fences for tests. Debian's kernels have it neither built in nor as a module.
# Usage: sw_sync KERNEL. Builds sw_sync.ko from the source of that kernel and prints its path.
sw_sync() {
	local dir=$build/sw_sync-$1 kernel source=/usr/src/linux-source-$1.tar.xz
	kernel=$("$top/tools/vm/kernel.py" headers "$1")
	[ ! -e "$top/build/$1/headers" ] || kernel=$top/build/$1/headers
	# sync_trace.h names its own folder relative to include/trace.
	mkdir -p "$dir/drivers/dma-buf" "$dir/include/trace"
	[ -e "$dir/drivers/dma-buf/sync_trace.h" ] ||
		tar -C "$dir" -xJf "$source" --strip-components=1 --wildcards \
			'*/drivers/dma-buf/sw_sync.c' '*/drivers/dma-buf/sync_debug.[ch]' \
			'*/drivers/dma-buf/sync_trace.h'
	# sw_sync is not written as a module: give it what a module needs. sync_file_get_name(), which
	# is not exported, only serves a list in debugfs.
	cat >"$dir/debug.c" <<-'END'
		#include <linux/module.h>
		#include <linux/sync_file.h>
		#define sync_file_get_name(file, name, size) ({ snprintf(name, size, "?"); name; })
		#include "drivers/dma-buf/sync_debug.c"
	END
	cat >"$dir/sync.c" <<-'END'
		#include <linux/module.h>
		#include "drivers/dma-buf/sw_sync.c"
		MODULE_DESCRIPTION("sw_sync of the kernel, for tests");
		MODULE_LICENSE("GPL");
	END
	# shellcheck disable=SC2016 # make expands it
	printf '%s\n' 'ccflags-y := -I$(M)/include/trace' 'obj-m := sw_sync.o' \
		'sw_sync-y := debug.o sync.o' >"$dir/Kbuild"
	make -C "$kernel" M="$dir" CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$dir/log" 2>&1 ||
		{ tail -n 20 "$dir/log" >&2; die "sw_sync of Linux $1 cannot be built"; }
	echo "$dir/sw_sync.ko"
}

# Some tests expect that what they do between short sleeps takes less than 20 ms. With --icount that
# is true even if this machine is busy.
status=0
for kernel in "$@"; do
	module=$(sw_sync "$kernel")
	"$top/tools/vm/run" --kernel "$kernel" --icount --timeout 1800 -- \
		"$here/run.py" "$build/tree/tests" "$module" || status=1
done
exit $status

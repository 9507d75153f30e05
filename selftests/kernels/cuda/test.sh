#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs kernels of CUTLASS's and libcu++'s tests on the device, in a virtual machine:
# CUTLASS=DIR CCCL=DIR selftests/kernels/cuda/test.sh [KERNEL]
#
# CUTLASS and CCCL are checkouts of these projects. Without one of them its tests are left out.
# NVCC is the compiler. The script prints KTAP. The first run compiles for some minutes.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=${here%/selftests/kernels/cuda}
out=${CUDA_OUT:-$top/build/cuda}
nvcc=${NVCC:-nvcc}

skip() {
	echo 'TAP version 13'
	echo "1..0 # SKIP $1"
	exit 0
}

command -v "$nvcc" >/dev/null || skip "$nvcc is not installed (NVCC= names it)"
[ -n "$CUTLASS$CCCL" ] || skip 'CUTLASS= and CCCL= name no checkout'
for dir in "$CUTLASS" "$CCCL"; do
	[ -z "$dir" ] || [ -d "$dir" ] || skip "$dir is no folder"
done
mkdir -p "$out" || exit 1
[ -n "$CUTLASS" ] || echo '# CUTLASS= is not set: its tests are left out'
[ -n "$CCCL" ] || echo "# CCCL= is not set: the tests of libcu++ are left out"
"$here/prepare.py" --nvcc "$nvcc" ${CUTLASS:+--cutlass "$CUTLASS"} ${CCCL:+--cccl "$CCCL"} "$out"
prepared=$?
export LAUNCHES="$out"
"$top/tools/vm/run" ${1:+--kernel "$1"} --timeout 1800 -- "$here/../run.sh" || exit 1
exit $prepared

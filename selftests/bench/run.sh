#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the benchmark of a pipeline in PTX prints all of its figures, on a machine that has
# the device: tools/vm/run -- selftests/bench/run.sh
#
# No figure is compared with a limit, because each depends on the machine and its load.

here=$(dirname "$0")
bench=$(realpath "${BENCH:-$here/../../build/tools/vsm-bench}") || exit 1
out=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$out"' EXIT
status=0
number=0

# Usage: figure NAME PATTERN [LEAST]; the figure is greater than 0, or at least LEAST
figure() {
	number=$((number + 1))
	if awk -F '\t' -v pattern="$2" -v least="$3" '
		$1 ~ pattern && (least == "" ? $2 > 0 : $2 >= least + 0) { found = 1 }
		END { exit !found }' "$out/tsv"; then
		echo "ok $number $1"
	else
		echo "not ok $number $1"
		status=1
	fi
}

echo 'KTAP version 1'
echo '1..7'
"$bench" --pipeline "$here/../kernels/specialised.ptx" --mib 1 --out "$out/tsv" >"$out/text" 2>&1 ||
	status=1
sed 's/^/# /' "$out/text"
figure bytes_a_second '^a pipeline in PTX, KiB a second$'
figure time_of_a_tile '^tile of '
# The kernel may see no tick in one of these two.
figure share_of_the_library '^percent of it in the library' 0
figure share_of_system_calls '^percent in system calls' 0
# On a slow kernel the share of copying is too small for a whole percent.
figure share_of_copying '^percent in copying$' 0
figure instructions '^its instructions of threads'
figure calls_of_the_device '^its calls of the device$'
exit $status

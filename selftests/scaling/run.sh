#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the benchmark of costs against sizes prints all of its rows, on a machine that has the
# device and two processors: tools/vm/run -- selftests/scaling/run.sh
#
# No figure is compared with a limit, because without counting, each is a time.

here=$(dirname "$0")
scale=$(realpath "${SCALE:-$here/../../build/tools/vsm-bench-scale}") || exit 1
out=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$out"' EXIT
status=0
number=0

# Usage: rows NAME KIND COUNT; there are rows of this kind for COUNT operations, with times above 0
rows() {
	number=$((number + 1))
	if awk -F '\t' -v kind="$2" -v operations="$3" '
		$1 == kind && $4 > 0 { found[$3] = 1 }
		END { for (name in found) count++; exit count < operations }' "$out/rows"; then
		echo "ok $number $1"
	else
		echo "not ok $number $1"
		status=1
	fi
}

echo 'KTAP version 1'
echo '1..9'
{ "$scale" --shared && "$scale" --few; } >"$out/rows" 2>"$out/errors" || status=1
sed 's/^/# /' "$out/errors"
rows two_clients 'two clients' 10
rows two_clusters 'two clusters of a client' 9
rows two_threads 'two threads of a cluster' 9
rows copies 'clients that copy 16 MiB' 1
rows threads 'threads of the cluster' 11
rows waits_of_another_cluster 'waits of another cluster' 11
rows waits_of_other_clients 'waits of other clients' 11
rows clusters 'clusters of the client' 11
rows clients clients 11
exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that the preset h100 of `vsm device` has the times that were recorded. Prints TAP.

here=$(dirname "$0")
# shellcheck source=tap.sh
. "$here/tap.sh"

awk -F '\t' '
/^# device/ { ghz = $0; sub(/.*clock /, "", ghz); ghz = ghz / 1e6 }
{ cycles[$1, $2] = $3 }

# Bytes per second between two sizes of a copy
function bandwidth(name, from, to) {
	return sprintf("%.2e", (to - from) / (cycles[name, to] - cycles[name, from]) * ghz * 1e9)
}

function ns(cycles) {
	return sprintf("%.0f", cycles / ghz)
}

END {
	load = "cp.async.bulk load, L2 hit, bytes"
	store = "cp.async.bulk store to wait_group, bytes"
	next_load = "k loads of 128 bytes, L2 hit, k"
	print "try_wait_limit_ns=" cycles["try_wait False, hint ns: ns", 0]
	print "latency_ns=0"
	print "bandwidth=0"
	print "load_latency_ns=" ns(cycles[load, 16])
	printf "load_bandwidth=%.0f\n", bandwidth(load, 16, 131072)
	print "load_next_ns=" ns((cycles[next_load, 64] - cycles[next_load, 32]) / 32)
	print "store_latency_ns=" ns(cycles[store, 16])
	printf "store_bandwidth=%.0f\n", bandwidth(store, 16, 131072)
	print "remote_latency_ns=" ns(cycles["st.async to wake (half round trip)", 2])
	print "local_latency_ns=0"
}' "$here/../../selftests/golden/h100/timing.tsv" >"$dir/recorded"
sed -n '/ h100\[\]/,/NULL/s/^\t"\(.*\)",$/\1/p' "$here/../vsm/device/folder.c" >"$dir/preset"
[ -s "$dir/preset" ] && diff "$dir/recorded" "$dir/preset" >"$dir/err"
result $? 'the preset h100 has the recorded times'
grep -v -x -e latency_ns=0 -e bandwidth=0 "$dir/preset" | while read -r operand; do
	grep -q -F "\`\`$operand\`\`" "$here/../../Documentation/devices.rst" || echo "$operand"
done >"$dir/out"
[ ! -s "$dir/out" ]
result $? 'the manual has the times of the preset'
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs all scenarios, on a machine that has the device:
# tools/vm/run -- selftests/scenarios/run.sh
#
# Those below failing/ must fail, and say exactly what their lines behind #! tell,
# where MESSAGE stands for whatever the library says of the fault. Prints KTAP. VSM
# names the command, if it is not where the build leaves it.

here=$(dirname "$0")
vsm=${VSM:-$here/../../build/tools/vsm}
out=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$out"' EXIT
status=0

set -- "$here"/*.vsm "$here"/no-limit/*.vsm "$here"/failing/*.vsm
echo 'KTAP version 1'
echo "1..$#"

{
	"$vsm" run "$here"/*.vsm || status=1
	"$vsm" run --no-limit "$here"/no-limit/*.vsm || status=1
} >"$out/good" 2>&1
# What vsm says, in the numbering of this stream.
awk '/^(KTAP version|1\.\.)/ { next }
	/^(not )?ok [0-9]/ { sub(/ok [0-9]+/, "ok " ++number) }
	{ print }' "$out/good"
count=$(grep -cE '^(not )?ok [0-9]' "$out/good")

if "$vsm" run "$here"/failing/*.vsm >"$out/failing" 2>&1; then
	echo '# vsm run says that all is well with what must fail'
	status=1
fi
# First what the scenarios say of themselves, then what vsm says of them.
awk -v number="$count" -v out="$out/failing" '
	FILENAME != out {
		if (sub(/^#! /, ""))
			expected[FILENAME] = expected[FILENAME] "# " $0 "\n"
		next
	}
	/^(not )?ok [0-9]/ {
		good = $1 == "not"
		sub(/^.*ok [0-9]+ /, "")
		good = good && seen == expected[$0]
		if (!good) {
			printf "# it should have said\n%s# and said\n%s", expected[$0], seen
			failed = 1
		}
		print (good ? "" : "not ") "ok " ++number " " $0 " fails as it should"
		seen = ""
		next
	}
	sub(/^# [^:]*:/, "# ") {
		if (match($0, /seen fault [A-Z_]*: /))
			$0 = substr($0, 1, RSTART + RLENGTH - 1) "MESSAGE"
		seen = seen $0 "\n"
	}
	END { exit failed }' "$here"/failing/*.vsm "$out/failing" || status=1
exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs all scenarios, on a machine that has the device:
# tools/vm/run -- selftests/scenarios/run.sh
#
# The tests below failing/ must fail, and print exactly the lines that follow #! in the files.
# MESSAGE in such a line stands for the library's message about the fault. The script prints KTAP,
# one result for each test of each file. VSM is the path of vsm; the default is that of the build.

here=$(dirname "$0")
vsm=${VSM:-$here/../../build/tools/vsm}
out=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$out"' EXIT
status=0

# Prints the results of `vsm run` without subtests. A test in a file is named FILE:NAME.
flatten() {
	awk '/^ *(KTAP version|1\.\.)/ { next }
		sub(/^  # Subtest: /, "") { file = $0; next }
		/^(not )?ok / && file { file = ""; next }
		sub(/^  /, "") && /^(not )?ok / { sub(/ok [0-9]+ /, "&" file ":") }
		{ print }'
}

{
	"$vsm" run "$here"/*.vsm || status=1
	"$vsm" run --no-limit "$here"/no-limit/*.vsm || status=1
} >"$out/nested" 2>&1
flatten <"$out/nested" >"$out/good"
"$vsm" run "$here"/failing/*.vsm >"$out/nested" 2>&1
failing=$?
if [ $failing != 1 ]; then
	echo "# vsm run ends with status $failing for scenarios that must fail"
	status=1
fi
flatten <"$out/nested" >"$out/failing"

# Count the tests in the files for the plan, so that a test without a result is noticed.
plan=0
for file in "$here"/*.vsm "$here"/no-limit/*.vsm "$here"/failing/*.vsm; do
	tests=$(grep -c '^test ' "$file")
	plan=$((plan + (tests ? tests : 1)))
done

echo 'KTAP version 1'
echo "1..$plan"
awk '/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++number) } { print }' "$out/good"

# awk first reads the lines that the scenarios expect from vsm, then the output of vsm.
awk -v number="$(grep -cE '^(not )?ok ' "$out/good")" -v out="$out/failing" '
	FILENAME != out {
		if (FNR == 1)
			test = FILENAME
		if ($1 == "test")
			test = FILENAME ":" $2
		if (sub(/^#! /, ""))
			expected[test] = expected[test] "# " $0 "\n"
		next
	}
	/^(not )?ok / {
		good = $1 == "not"
		sub(/^.*ok [0-9]+ /, "")
		good = good && seen == expected[$0]
		if (!good) {
			printf "# it should have said\n%s# and said\n%s", expected[$0], seen
			failed = 1
		}
		print (good ? "" : "not ") "ok " ++number " " $0 " fails as it should"
		seen = ""
		delete expected[$0]
		next
	}
	sub(/^# [^:]*:/, "# ") {
		if (match($0, /seen fault [A-Z_]*: /))
			$0 = substr($0, 1, RSTART + RLENGTH - 1) "MESSAGE"
		seen = seen $0 "\n"
	}
	END {
		for (test in expected) {
			print "# no result, though expected: " test
			failed = 1
		}
		exit failed
	}' "$here"/failing/*.vsm "$out/failing" || status=1
exit $status

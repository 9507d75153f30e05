# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For test scripts that print TAP: a folder for temporary files, and results. The script reads this
# file, tests, and ends with `finish`, which prints the plan.

count=0
failed=0

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Usage: result STATUS WHAT. If STATUS is not 0, $dir/out and $dir/err are printed with the result.
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$dir/out" "$dir/err"
		failed=1
	fi
}

finish() {
	echo "1..$count"
	exit $failed
}

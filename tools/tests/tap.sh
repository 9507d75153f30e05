# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For test scripts that print TAP: a folder for temporary files, and results. The script reads this
# file, tests, and ends with `finish`.

count=0
failed=0

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Usage: result STATUS WHAT. If STATUS is not 0, $dir/out and $dir/err are printed with the result.
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2" >>"$dir/results"
	else
		echo "not ok $count - $2" >>"$dir/results"
		sed 's/^/# /' "$dir/out" "$dir/err" >>"$dir/results"
		failed=1
	fi
}

# Prints the results, and ends the script.
finish() {
	echo "1..$count"
	cat "$dir/results"
	exit $failed
}

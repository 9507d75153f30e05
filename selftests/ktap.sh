# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For test scripts that run on a machine that has the device and print KTAP: a folder for temporary
# files, which becomes the current one, and results. The script reads this file, tests, and ends
# with `finish`.

status=0
number=0

dir=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# Usage: result STATUS NAME. If STATUS is not 0, the first lines of the files out and err are printed
# with the result.
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2" >>results
	else
		head -n 20 out err | sed 's/^/# /' >>results
		echo "not ok $number $2" >>results
		status=1
	fi
}

# Usage: children_of PID. Prints the children of a process, the oldest first. Not all kernels have
# /proc/PID/task/PID/children.
children_of() {
	grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | cut -d / -f 3 | sort -n
}

# Prints the results, and ends the script.
finish() {
	echo 'KTAP version 1'
	echo "1..$number"
	cat results
	exit $status
}

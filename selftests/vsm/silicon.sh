#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes a header with a sample of what an H100 was recorded to do (selftests/golden/README.rst), for
# silicon.c: every 64th program, all operations at the edges of ranges, and every 50th random operation.

set -e
golden=$(dirname "$0")/../golden/h100

echo 'static const struct step steps[] = {'
xz -dc "$golden/words.xz" | awk '
	$1 == "init" { program++ }
	program % 64 == 1 {
		printf "\t{ \"%s\", 0x%s, 0x%s, { %s, %s }, 0x%s },\n", $1, $2, $3, $4, $5, $6
	}'
echo '};'
echo 'static const struct transition transitions[] = {'
xz -dc "$golden/transitions.xz" | awk '
	NR <= 237 || NR % 50 == 0 {
		after = $5 == "trap" ? "true, 0, 0" : "false, 0x" $5 ", 0x" $6
		printf "\t{ \"%s\", 0x%s, 0x%s, 0x%s, %s },\n", $1, $2, $3, $4, after
	}'
echo '};'

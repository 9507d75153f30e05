#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the Python package on a machine that has the device:
# tools/vm/run -- selftests/python/run.sh
#
# The script prints KTAP.

here=$(realpath "$(dirname "$0")") || exit 1
exec "$here/../../userlib/python/tests/run.sh" "$here"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `vsm top` in a terminal, which is that of tmux, on a machine that has the device:
# tools/vm/run -- selftests/top/run.sh
#
# The script prints KTAP. VSM is the path of vsm; the default is that of the build.

here=$(realpath "$(dirname "$0")") || exit 1
tools=$here/../../build/tools
VSM=$(realpath "${VSM:-$tools/vsm}") || exit 1
PIPELINE=$(realpath "${PIPELINE:-$tools/vsm-pipeline}") || exit 1
export VSM PIPELINE
dir=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$dir"' EXIT
# Without the modules of this machine's site, Python starts faster.
python3 -S "$here/top.py" "$dir"

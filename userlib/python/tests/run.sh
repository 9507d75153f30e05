#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs tests of the Python package with pytest, and prints TAP.
#
#	run.sh FOLDER [OPTION...]
#
# The options are those of pytest.
#
# PYTHON is the interpreter. By default it is the first python3 that has cffi and pytest, because a
# python3 in front of that of the distribution usually lacks its packages.

here=$(realpath "$(dirname "$0")") || exit 1
folder=$1
shift
for python in ${PYTHON:-python3 /usr/bin/python3}; do
	if "$python" -c 'import cffi, pytest' 2>/dev/null; then
		found=$python
		break
	fi
done
if [ -z "${found:-}" ]; then
	echo '1..1'
	echo 'ok 1 - python: the tests run # SKIP there is no python3 with cffi and pytest'
	exit
fi
PYTHONPATH=$here/..:$here PYTHONDONTWRITEBYTECODE=1 \
	exec "$found" -m pytest -p tap -p no:cacheprovider -c /dev/null --rootdir "$folder" \
	"$@" "$folder"

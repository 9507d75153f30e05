# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What programs in shell share; they source this file. tools/common.mk and tools/vm/common.py are the
# same for other languages.

# The folder with all that was fetched, and with what was built for kernels.
default_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/vsm
# shellcheck disable=SC2034 # others use it
cache=${VSM_CACHE:-$default_cache}

# Prints the version of the source tree in which the caller is.
vsm_version() {
	sed -n 's/^#define VSM_VERSION "\(.*\)"$/\1/p' userlib/vsm.h
}

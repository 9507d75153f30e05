# SPDX-License-Identifier: MIT
# What all makefiles share. tools/common.sh and tools/vm/common.py are the same for other languages.

# The folder with all that was fetched, and with what was built for kernels.
VSM_CACHE := $(or $(VSM_CACHE),$(or $(XDG_CACHE_HOME),$(or $(HOME),/root)/.cache)/vsm)
export VSM_CACHE

VERSION := $(shell sed -n 's/^\#define VSM_VERSION "\(.*\)"$$/\1/p' \
	'$(dir $(lastword $(MAKEFILE_LIST)))../userlib/vsm.h')

# $(call announce,NAME) in a recipe prints "building NAME", once in a run of make. "make -s" prints
# nothing.
announce = $(if $(announced-$(1))$(findstring s,$(firstword -$(MAKEFLAGS))),,$(info building $(1))$(eval announced-$(1) := 1))

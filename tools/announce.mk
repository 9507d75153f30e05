# SPDX-License-Identifier: MIT
# $(call announce,NAME) in a recipe prints "building NAME", once in a run of make. "make -s" prints
# nothing.
announce = $(if $(announced-$(1))$(findstring s,$(firstword -$(MAKEFLAGS))),,$(info building $(1))$(eval announced-$(1) := 1))

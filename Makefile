# SPDX-License-Identifier: MIT
#
# vsm: the module for the stock kernels, the library, tools, tests, documents.
# `make help` lists the targets. What the build needs is installed on the way.

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

PREFIX ?= /usr/local
DESTDIR ?=
VSM_CACHE := $(or $(VSM_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/vsm)
export VSM_CACHE

# The kernels to build for: both stock ones, or the one that KERNEL= names.
STOCK := 6.1 6.12
KERNELS := $(or $(KERNEL),$(STOCK))

# Parts with makefiles of their own.
PARTS := userlib tools
TESTS := selftests/unit selftests/vsm
present = $(patsubst %/Makefile,%,$(wildcard $(addsuffix /Makefile,$(1))))

.PHONY: all
all: module parts

.PHONY: help
help:
	@echo 'all           set-up, module for $(STOCK), library, tools (default)'
	@echo 'setup         install what is missing (apt-get), fetch the stock kernels'
	@echo 'module        build/NAME/vsm.ko; KERNEL=, CC= for one kernel, as tools/vm/run takes it'
	@echo 'test          unit tests here, kselftests in virtual machines with $(STOCK);'
	@echo '              KERNEL=, KO= for those with one kernel, and a module that is built already'
	@echo 'test-debug    kselftests in a kernel that looks for bugs (built on first use)'
	@echo 'test-faults   those of them in which allocations fail'
	@echo 'test-race     those whose tasks race, in a kernel that looks for data races'
	@echo 'test-latency  for how long the kernel is held up, at every documented maximum'
	@echo '              KO= for each of these test-...: a module that is built already'
	@echo 'coverage      which lines of the driver the kselftests never run'
	@echo 'check         checkpatch, sparse, W=1, layers, kernel-doc, shellcheck; silent when clean'
	@echo 'demo          streams a file (FILE=path, or a kernel) through the device and compares'
	@echo 'bench         measurements; KERNEL= with one kernel, BENCHFLAGS=--detail for more lines'
	@echo 'docs          Documentation as HTML'
	@echo 'install       library and tools into DESTDIR and PREFIX ($(PREFIX))'
	@echo 'clean         remove what was built here (the cache stays)'
	@echo 'tools/vm/run -- build/selftests/NAME runs one kselftest, or any program; see its --help.'

.PHONY: setup
setup:
	@tools/setup.sh

# What every other target starts with: silent when nothing is missing.
.PHONY: ready
ready:
	@tools/setup.sh --quiet

# --- the module ---------------------------------------------------------------

SOURCES := Kbuild $(sort $(wildcard uapi/drm/*.h driver/*.[ch] driver/*/*.[ch] \
	selftests/exporter/*.[ch] selftests/stall/*.c))

kernel-name = $(if $(filter $(STOCK),$(1)),$(1),$(notdir $(abspath $(1)))-$(shell echo '$(abspath $(1))' | md5sum | cut -c 1-8))
modules := $(foreach k,$(KERNELS),build/$(call kernel-name,$(k))/vsm.ko)

.PHONY: module
module: $(modules)

# A kernel's headers name a compiler; one that is asked for takes its place.
given-cc = $(if $(filter command environment,$(firstword $(origin CC))),'CC=$(CC)')

# A kernel tree that was built again makes the module as old as a source that changed.
tree-files = $(wildcard $(addprefix $(1)/,Module.symvers include/config/auto.conf \
	include/generated/utsrelease.h))

# $(1) kernel, $(2) its name below build
define module-rule
build/$(2)/vsm.ko: $$(SOURCES) $$(call tree-files,$(1)) build/$(2)/sources tools/build-module | ready
	+@headers=$$$$(tools/vm/kernel.py headers '$(1)') && \
		tools/build-module "$$$$headers" build/$(2) $$(given-cc)
	@touch $$@
endef
$(foreach k,$(KERNELS),$(eval $(call module-rule,$(k),$(call kernel-name,$(k)))))

# A source that is gone makes the module as old as one that changed.
.PRECIOUS: build/%/sources
build/%/sources: FORCE
	@mkdir -p $(@D)
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' >$@

.PHONY: FORCE
FORCE:

# --- virtual machines ---------------------------------------------------------

build/vm/agent: tools/vm/agent.c | ready
	@mkdir -p $(@D)
	@$(CC) -O2 -Wall -Wextra -static -o $@.$$$$ $< && mv $@.$$$$ $@

# What tools/vm/run asks for; the last line says where it is.
.PHONY: vm-agent vm-module
vm-agent: build/vm/agent
	@echo '$(CURDIR)/build/vm/agent'
vm-module: $(modules)
	@echo '$(CURDIR)/$(firstword $(modules))'

# --- library, tools, documents ------------------------------------------------

.PHONY: parts
parts: | ready
	+@set -e; for part in $(call present,$(PARTS)); do $(MAKE) -C $$part; done

.PHONY: install
install: parts
	+@set -e; for part in $(call present,userlib tools); do \
		$(MAKE) -C $$part install DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)'; done

.PHONY: demo
demo: parts build/vm/agent
	@tools/demo/demo --kernel '$(or $(KERNEL),6.12)' -- "$$FILE"

.PHONY: bench
bench: parts
	+@$(MAKE) -C tools bench

.PHONY: docs
docs: | ready
	+@$(MAKE) -C Documentation html

# --- tests --------------------------------------------------------------------

ifneq ($(KO),)
ifneq ($(filter test,$(MAKECMDGOALS)),)
$(if $(KERNEL),,$(error KO= is the module of one kernel: give KERNEL= too))
endif
endif

.PHONY: test
test: $(if $(KERNEL),usable) $(if $(KO),,module) parts build/vm/agent
	@tools/test $(if $(KO),--ko '$(KO)') $(if $(KERNEL),,unit runner) $(KERNELS)

# Says in words what the kernel lacks.
.PHONY: usable
usable: | ready
	@tools/vm/kernel.py check '$(KERNEL)'

.PHONY: test-debug test-faults test-race test-latency
test-debug test-faults test-race test-latency: parts build/vm/agent
	@tools/test $(if $(KO),--ko '$(KO)') $(@:test-%=%)

.PHONY: coverage
coverage: parts build/vm/agent
	@tools/coverage

.PHONY: check
check: | ready
	@tools/check

.PHONY: clean
clean:
	+@set -e; for part in $(call present,$(PARTS) $(TESTS) Documentation); do \
		$(MAKE) -C $$part clean; done
	@rm -rf build

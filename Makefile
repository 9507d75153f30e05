# SPDX-License-Identifier: MIT
# vsm: builds the module for the stock kernels, the library, the tools and the documents, and runs
# the tests. `make help` lists the targets. A target first installs the packages that it needs.

MAKEFLAGS += --no-print-directory
# These targets build with all processors if the caller gives no -j.
ifneq ($(filter demo quick gate test,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(shell nproc)
endif
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

PREFIX ?= /usr/local
DESTDIR ?=
include tools/common.mk

# Kernels are those that KERNEL= names. Otherwise programs run with the first stock kernel of this
# distribution, and tests with all of them. MODULES= is the directory with the modules of a kernel that
# is a file.
STOCK := $(shell tools/setup.sh --kernels)
DEFAULT := $(firstword $(STOCK))
LATEST := $(lastword $(STOCK))
KERNELS := $(or $(KERNEL),$(STOCK))

# Folders that have makefiles of their own.
PARTS := userlib tools
TESTS := selftests/unit selftests/vsm
present = $(patsubst %/Makefile,%,$(wildcard $(addsuffix /Makefile,$(1))))

.PHONY: all
all: ready-run module parts build/vm/agent

.PHONY: help
help:
	@echo 'all           all that is needed to run programs against the device (default): library,'
	@echo '              tools, and the module for Linux $(DEFAULT)'
	@echo 'setup         install and fetch all that make, test, check and docs need, now'
	@echo 'module        build/NAME/vsm.ko for Linux $(DEFAULT); KERNEL=, MODULES=, CC= for another'
	@echo '              kernel, as tools/vm/run takes it'
	@echo 'quick         after a change: the unit tests that it affects, and a few kselftests; T=NAME'
	@echo '              only this test'
	@echo 'test          unit tests and the manual here; kselftests in virtual machines with $(STOCK);'
	@echo '              KERNEL= only kselftests with that kernel; KO= use this vsm.ko'
	@echo 'gate          test, check, docs, and a few tests with debugging checks: what .ci/run runs'
	@echo '              after make setup'
	@echo 'nightly       the tests of what changes seldom, up to three hours; they need root;'
	@echo '              STEPS= only these, such as "race packages"'
	@echo 'test-debug    kselftests in a kernel with debugging checks (built on first use)'
	@echo 'test-faults   the kselftests in which allocations fail, in the same kernel'
	@echo 'test-race     kselftests whose tasks run in parallel, in a kernel that finds data races'
	@echo '              KO= for test-debug, test-faults, test-race, test-latency: use this vsm.ko'
	@echo 'test-arm64    run a program in a virtual machine with arm64 (installs QEMU and a compiler)'
	@echo 'test-kernel-tree  the series of patches for a kernel tree (tools/kernel-tree), with Linux 6.12'
	@echo 'test-page     the HTML page of vsm trace, in Chromium (installs it)'
	@echo 'test-latency  how long the driver keeps interrupts or preemption off, at documented maxima'
	@echo 'test-setup    make on a fresh Debian, and again without a network; SUITE= (default:'
	@echo '              the release of this machine)'
	@echo 'test-cuda     run kernels of other projects, compiled with nvcc: CUTLASS=DIR and CCCL=DIR'
	@echo '              name checkouts of CUTLASS (pipelines) and CCCL (barriers of libcu++)'
	@echo 'test-igt      run tests of IGT that need no display; IGT=DIR names a checkout of it'
	@echo 'test-lava     run the jobs of tools/ci/lava with lava-run; test-image builds the image of'
	@echo '              tools/ci/Containerfile and runs a test in it (each takes 10 to 15 minutes)'
	@echo 'record        record what the NVIDIA GPU of this machine does, with nvcc (NVCC=); OUT= the folder'
	@echo '              for the files (build/recorded)'
	@echo 'coverage      list the lines of the driver that the kselftests never run'
	@echo 'check         checkpatch, sparse, W=1, layers, kernel-doc, shellcheck; silent when clean'
	@echo 'demo          stream a file (FILE=path, or a kernel) through the device and compare;'
	@echo '              run a kernel in PTX'
	@echo 'gputop        show vsm in gputop, in a virtual machine; fetches gputop if it is missing'
	@echo 'bench         run benchmarks; KERNEL= with one kernel'
	@echo 'docs          build Documentation as HTML'
	@echo 'dist          build/vsm-VERSION.tar.xz, the source archive of a release'
	@echo 'install       install library, Python package, tools, vsm-vm (tools/vm/run), vsm-ci (tools/ci/run)'
	@echo '              and the sources of the module into DESTDIR and PREFIX ($(PREFIX)); uninstall removes them'
	@echo 'install-module install vsm.ko for the kernel that is running, or for KERNEL='
	@echo 'deb           build Debian packages in build/deb; test-packages installs and tests them'
	@echo 'clean         remove everything that was built in this tree (the cache stays)'
	@echo 'tools/vm/run -- build/selftests/NAME runs one kselftest, or any program; see its --help.'

.PHONY: setup
setup:
	@tools/setup.sh all

# ready-PURPOSE installs what tools/packages lists for a purpose. It prints nothing when no package
# is missing. Kernels are fetched when they are first used.
ready-%: FORCE
	@tools/setup.sh --quiet $*

# --- the module ---------------------------------------------------------------

SOURCES := Kbuild $(sort $(wildcard uapi/drm/*.h driver/*.[ch] driver/*/*.[ch] \
	selftests/exporter/*.[ch] selftests/stall/*.c))

kernel-name = $(if $(filter $(STOCK),$(1)),$(1),$(notdir $(abspath $(1)))-$(shell echo '$(strip $(abspath $(1)) $(MODULES))' | md5sum | cut -c 1-8))
ko = build/$(call kernel-name,$(1))/vsm.ko
modules := $(foreach k,$(KERNELS),$(call ko,$(k)))

.PHONY: module
module: $(if $(KERNELS),$(call ko,$(firstword $(KERNELS))),no-kernel)

.PHONY: no-kernel
no-kernel:
	@tools/vm/kernel.py check ''

# CC= of the caller replaces the compiler that the headers of a kernel name.
given-cc = $(if $(filter command environment,$(firstword $(origin CC))),'CC=$(CC)')

# The files that change when a kernel tree is built again. The module is then built again, too.
tree-files = $(wildcard $(addprefix $(1)/,Module.symvers include/config/auto.conf \
	include/generated/utsrelease.h))

# $(1) is the kernel, $(2) the name of the folder in build/ for its module.
define module-rule
build/$(2)/vsm.ko: $$(SOURCES) $$(call tree-files,$(1)) build/$(2)/sources tools/build-module | ready-build
	+@headers=$$$$(tools/vm/kernel.py headers '$(1)' $(if $(MODULES),'$(MODULES)')) && \
		echo 'building vsm.ko for Linux $(1)' >&2 && \
		tools/build-module "$$$$headers" build/$(2) -s $$(given-cc)
	@touch $$@
endef
$(foreach k,$(KERNELS),$(eval $(call module-rule,$(k),$(call kernel-name,$(k)))))

# This file lists the sources, so that the module is also built again when a source was removed.
.PRECIOUS: build/%/sources
build/%/sources: FORCE
	@mkdir -p $(@D)
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' >$@

.PHONY: FORCE
FORCE:

# --- virtual machines ---------------------------------------------------------

agent := build/vm/agent$(if $(VM_ARCH),-$(VM_ARCH))
$(agent): $(wildcard tools/vm/agent/*.[ch]) | ready-run
	+@$(MAKE) -C tools agent

# tools/vm/run makes these two targets. The last line that they print is the path of the file.
.PHONY: vm-agent vm-module
vm-agent: $(agent)
	@echo '$(CURDIR)/$(agent)'
vm-module: module
	@echo '$(CURDIR)/$(firstword $(modules))'

# --- library, tools, documents ------------------------------------------------

.PHONY: parts
parts: | ready-build
	+@set -e; for part in $(call present,$(PARTS)); do $(MAKE) -C $$part; done

.PHONY: demo
demo: ready-run
	+@tools/demo/busy 'still building' $(MAKE) module parts build/vm/agent
	@tools/demo/demo --kernel '$(or $(KERNEL),$(DEFAULT))' -- "$$FILE"

.PHONY: gputop
gputop: ready-run parts build/vm/agent
	@tools/demo/gputop --kernel '$(or $(KERNEL),$(LATEST))'

.PHONY: bench
bench: ready-run ready-ptx parts
	+@$(MAKE) -C tools bench

.PHONY: docs
docs: ready-docs
	+@$(MAKE) -C Documentation html

# The commit that is checked out is the release: nothing is built or installed for this.
.PHONY: dist
dist:
	@tools/dist

# --- installation -------------------------------------------------------------

# What root builds in the tree of a user is given to that user, who can then change and remove it.
OWNER := $(shell [ "$$(id -u)" != 0 ] || stat -c %u:%g . | grep -v '^0:')
give-back = status=$$?; $(if $(OWNER),find build userlib -uid 0 -exec chown -h $(OWNER) {} +;) exit $$status

.PHONY: install install-parts
install: ready-install
	+@$(MAKE) install-parts; $(give-back)
install-parts: parts
	+@set -e; for part in $(call present,userlib tools); do \
		$(MAKE) -C $$part install DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)'; done

# Removes what `make install` with the same PREFIX installs, what Python has compiled of it, and folders
# of vsm that are then empty.
.PHONY: uninstall
uninstall: parts
	+@rm -rf build/installed
	+@$(MAKE) install DESTDIR='$(CURDIR)/build/installed' PREFIX='$(PREFIX)'
	@cd build/installed && find . ! -type d -exec sh -c \
		'for file; do rm -f "$$0/$$file"; done' '$(DESTDIR)' {} + && \
	find . -name '*.py' -exec sh -c 'for file; do \
		name=$${file##*/} cache=$$0/$${file%/*}/__pycache__; \
		rm -f "$$cache/$${name%.py}".*.pyc; \
		rmdir "$$cache" 2>/dev/null || true; done' '$(DESTDIR)' {} + && \
	find . -depth -type d -path '*vsm*' -exec sh -c \
		'for dir; do rmdir "$$0/$$dir" 2>/dev/null || true; done' '$(DESTDIR)' {} +

# For one kernel. With SIGN_KEY= and SIGN_CERT= the module is signed, as Secure Boot needs it.
.PHONY: install-module
install-module: | ready-build
	+@SIGN_KEY='$(SIGN_KEY)' SIGN_CERT='$(SIGN_CERT)' tools/install-module \
		'$(or $(KERNEL),/lib/modules/$(shell uname -r)/build)' '$(DESTDIR)'; $(give-back)

.PHONY: deb
deb: ready-deb
	@tools/deb/build build/deb

.PHONY: test-packages
test-packages: ready-build parts deb
	@tools/test packages

# --- tests --------------------------------------------------------------------

ifneq ($(KO),)
ifneq ($(filter test,$(MAKECMDGOALS)),)
$(if $(KERNEL),,$(error KO= is the module of one kernel: give KERNEL= too))
endif
endif

.PHONY: quick
quick: ready-test $(call ko,$(DEFAULT)) parts build/vm/agent
	@VSM_TEST_SHARE=20 VSM_TEST_OPS=100000 tools/test $(if $(T),one:$(T),quick)

.PHONY: nightly
nightly:
	@tools/nightly

# What all stock kernels have to pass.
STOCK_TESTS = short:$(DEFAULT) $(addprefix driver:,$(filter-out $(DEFAULT),$(STOCK))) runner unit

.PHONY: gate
gate: ready-check ready-docs $(modules) parts build/vm/agent
	@tools/test $(STOCK_TESTS) debug-few style docs

.PHONY: test
test: ready-test $(if $(KERNEL),usable) $(if $(KO),,$(modules)) parts build/vm/agent
	@tools/test $(if $(KO),--ko '$(KO)') \
		$(if $(KERNEL),$(KERNELS),$(STOCK_TESTS))

# Fails with a message if the kernel lacks options that tools/vm/run needs.
.PHONY: usable
usable: | ready-test
	@tools/vm/kernel.py check '$(KERNEL)'

.PHONY: test-debug test-faults test-race test-latency
test-debug test-faults test-race test-latency: ready-test parts build/vm/agent
	@tools/test $(if $(KO),--ko '$(KO)') $(@:test-%=%) $(if $(filter test-race,$@),race-4)

.PHONY: test-arm64
test-arm64: ready-arm64 parts
	@tools/test arm64

.PHONY: test-page
test-page: ready-test parts ready-page
	@tools/test page

.PHONY: test-setup
test-setup: ready-fresh
	@tools/tests/fresh.sh $(SUITE)

.PHONY: test-kernel-tree
test-kernel-tree: ready-tree ready-test $(if $(KO),,build/6.12/vsm.ko) build/vm/agent
	@tools/test $(if $(KO),--ko '$(KO)') kernel-tree

.PHONY: test-cuda
test-cuda: ready-run module parts build/vm/agent
	@CUTLASS='$(CUTLASS)' CCCL='$(CCCL)' selftests/kernels/cuda/test.sh $(firstword $(KERNELS))

.PHONY: test-igt
test-igt: ready-test $(modules) build/vm/agent
	@selftests/igt/test.sh check '$(IGT)'
	@tools/setup.sh --quiet igt
	@selftests/igt/test.sh run '$(IGT)' $(KERNELS)

# Templates for servers of CI that take long to test.
.PHONY: test-lava
test-lava: deb ready-lava
	@tools/ci/lava/test build/deb

.PHONY: test-image
test-image: ready-image
	@tools/ci/test-image

# Needs a GPU and the compiler of CUDA, which no other target needs.
.PHONY: record
record:
	@selftests/record/record.py '$(or $(OUT),build/recorded)'

.PHONY: coverage
coverage: ready-test parts build/vm/agent
	@tools/coverage

.PHONY: check
check: ready-check
	@tools/check

.PHONY: clean
clean:
	+@set -e; for part in $(call present,$(PARTS) $(TESTS) Documentation); do \
		$(MAKE) -C $$part clean; done
	@rm -rf build

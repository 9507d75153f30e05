# SPDX-License-Identifier: MIT
#
# libvsm-ptx, which loads PTX modules and runs their kernels on a vsm device. userlib/Makefile
# includes this file. The files in PTX_FOLDERS and in ../syntax are the library; a file uses only
# files in ../syntax, in its own folder and in the folders before it (tools/layers). Each file
# tests/test_*.c is a test program, which is linked with the other files in tests.
#
#	build/userlib/libvsm-ptx.so.1, libvsm-ptx.a	have only the public symbols
#	build/userlib/libvsm-syntax.a		vsm_syntax.h, for the command vsm; it is not installed
#	build/userlib/ptx/libvsm-ptx-sanitized.a	for tests

PTX_SONAME := libvsm-ptx.so.1
PTX_HEADERS := $(wildcard ptx/vsm_ptx.h)
PTX_FOLDERS := load code run report
SYNTAX_SOURCES := $(sort $(wildcard syntax/*.c))
SYNTAX_OBJECTS := $(SYNTAX_SOURCES:%.c=$(OUT)/%.o)
PTX_SOURCES := $(SYNTAX_SOURCES) $(sort $(wildcard $(PTX_FOLDERS:%=ptx/%/*.c)))
PTX_OBJECTS := $(PTX_SOURCES:%.c=$(OUT)/%.o)
PTX_TEST_OBJECTS := $(PTX_SOURCES:%.c=$(OUT)/tests/lib/%.o)
PTX_TESTS := $(sort $(wildcard ptx/tests/test_*.c))
PTX_TEST_PROGRAMS := $(PTX_TESTS:%.c=$(OUT)/%)
PTX_TEST_HELPERS := $(filter-out $(PTX_TESTS),$(sort $(wildcard ptx/tests/*.c)))
PTX_TEST_HELPERS := $(PTX_TEST_HELPERS:%.c=$(OUT)/tests/lib/%.o)
# test_cost counts what these files do, and the memory that they allocate. They count the basic
# blocks that are executed.
PTX_COUNTED := $(filter-out ptx/code/alu_%,$(wildcard syntax/text.c ptx/load/*.c ptx/code/*.c)) \
	ptx/run/memory.c
PTX_COUNTED := $(PTX_COUNTED:%.c=$(OUT)/tests/count/%.o)
PTX_COUNT_CFLAGS := -O1 -fsanitize-coverage=trace-pc
PTX_COUNT_WRAPPED := malloc calloc realloc vsnprintf
.SECONDARY: $(PTX_TEST_OBJECTS) $(PTX_TEST_HELPERS) $(PTX_COUNTED)

# libvsm-ptx.o hides symbols, not the compiler: the objects also go into the archive for the tests.
PTX_CFLAGS := -Iptx -Isyntax -I$(OUT)/ptx -fvisibility=default -fno-semantic-interposition
# The arithmetic of kernels is that of PTX, bit by bit: the compiler must not change roundings.
PTX_CODE_CFLAGS := -ffp-contract=off -fno-strict-aliasing -frounding-math

$(OUT)/ptx/% $(OUT)/syntax/%: private MORE_CFLAGS := $(PTX_CFLAGS)
$(OUT)/ptx/code/%: private MORE_CFLAGS := $(PTX_CFLAGS) $(PTX_CODE_CFLAGS) -O3
$(OUT)/tests/lib/ptx/% $(OUT)/tests/lib/syntax/%: private MORE_CFLAGS := $(PTX_CFLAGS)
$(OUT)/ptx/tests/% $(OUT)/tests/lib/ptx/tests/%: private MORE_CFLAGS := $(PTX_CFLAGS) -Itests
$(OUT)/tests/count/ptx/% $(OUT)/tests/count/syntax/%: private MORE_CFLAGS := $(PTX_CFLAGS) $(PTX_COUNT_CFLAGS)
$(OUT)/tests/lib/ptx/code/%: private MORE_CFLAGS := $(PTX_CFLAGS) $(PTX_CODE_CFLAGS)
$(PTX_OBJECTS) $(PTX_TEST_OBJECTS) $(PTX_TEST_HELPERS) $(PTX_COUNTED): ptx/ptx.mk

# The tables of the special functions
$(OUT)/ptx/mufu_tables.h: ptx/code/mufu.py
	@mkdir -p $(@D)
	@python3 $< >$@.new && mv $@.new $@

$(OUT)/ptx/code/mufu.o $(OUT)/tests/lib/ptx/code/mufu.o: $(OUT)/ptx/mufu_tables.h

# The list of objects is newer than a library that has an object whose source was removed.
$(OUT)/ptx/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(PTX_OBJECTS)' | cmp -s - $@ || echo '$(PTX_OBJECTS)' >$@

.PHONY: FORCE
FORCE:

$(OUT)/ptx/libvsm-ptx.o: $(PTX_OBJECTS) $(OUT)/ptx/objects
	@$(LD) -r -o $@ $(PTX_OBJECTS)
	@$(OBJCOPY) --wildcard --keep-global-symbol='vsm_ptx_*' $@

$(OUT)/$(PTX_SONAME): $(OUT)/ptx/libvsm-ptx.o $(OUT)/libvsm.so
	@$(CC) -shared -pthread $(LDFLAGS) -Wl,-soname,$(PTX_SONAME) -Wl,-z,defs -o $@ $< \
		-L$(OUT) -lvsm -lm

$(OUT)/libvsm-ptx.so: $(OUT)/$(PTX_SONAME)
	@ln -sf $(PTX_SONAME) $@

# Without the old archive, ar keeps files with the same name from several folders.
$(OUT)/libvsm-syntax.a: $(SYNTAX_OBJECTS) $(OUT)/ptx/objects
	@rm -f $@
	@$(AR) rcsD $@ $(SYNTAX_OBJECTS)

$(OUT)/ptx/libvsm-ptx-sanitized.a: $(PTX_TEST_OBJECTS) $(OUT)/ptx/objects
	@rm -f $@
	@$(AR) rcsD $@ $(PTX_TEST_OBJECTS)

$(OUT)/libvsm-ptx.a: $(OUT)/ptx/libvsm-ptx.o
	@rm -f $@
	@$(AR) rcsD $@ $<

$(OUT)/tests/count/%.o: %.c Makefile
	@mkdir -p $(@D)
	@$(COMPILE) -c -o $@ $<

$(OUT)/ptx/tests/test_cost: $(PTX_COUNTED)
$(OUT)/ptx/tests/test_cost: private MORE_OBJECTS := $(PTX_COUNTED) \
	$(PTX_COUNT_WRAPPED:%=-Wl,--wrap=%)
# test_build decides how long it takes to decode a kernel.
$(OUT)/ptx/tests/test_build: private MORE_OBJECTS := -Wl,--wrap=ptx_program_build

# The tests run with the mock of libdrm, as those of libvsm.
$(OUT)/ptx/tests/%: ptx/tests/%.c $(PTX_TEST_HELPERS) $(OUT)/ptx/libvsm-ptx-sanitized.a \
	$(TEST_OBJECTS) ptx/ptx.mk
	@mkdir -p $(@D)
	@$(TEST_COMPILE) -o $@ $< $(WRAPPED:%=-Wl,--wrap=%) $(MORE_OBJECTS) $(PTX_TEST_HELPERS) \
		$(OUT)/ptx/libvsm-ptx-sanitized.a $(TEST_OBJECTS) $(LIBS) -lm \
		$(shell $(PKG_CONFIG) --libs cmocka)

.PHONY: libvsm-ptx
libvsm-ptx: $(OUT)/$(PTX_SONAME) $(OUT)/libvsm-ptx.so $(OUT)/libvsm-ptx.a $(OUT)/libvsm-syntax.a
	@:

.PHONY: ptx-sanitized
ptx-sanitized: $(OUT)/ptx/libvsm-ptx-sanitized.a
	@:

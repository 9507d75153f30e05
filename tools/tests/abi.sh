#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests tools/abi with a small repository, whose library has one function. Prints TAP.

# shellcheck source=tap.sh
. "${0%/*}/tap.sh"
top=$(realpath "${0%/*}/../..")
if ! command -v abidiff >/dev/null; then
	result 0 'tools/abi # SKIP there is no abidiff (abigail-tools)'
	finish
fi
cd "$dir" || exit 1
git init -q repository && cd repository || exit 1
git config user.name 'A Tester'
git config user.email tester@example.org
git config commit.gpgSign false
mkdir -p tools userlib uapi/drm
cp "$top/tools/abi" tools/
cat >userlib/Makefile <<'MAKEFILE'
SONAME := libvsm.so.1
OUT := ../build/userlib
libvsm:
	mkdir -p $(OUT)
	$(CC) $(CFLAGS) -I../uapi/drm -shared -Wl,-soname,$(SONAME) -o $(OUT)/$(SONAME) vsm.c
	ln -s $(SONAME) $(OUT)/libvsm.so
	ln -s $(SONAME) $(OUT)/libvsm-ffi.so
MAKEFILE
printf 'struct drm_vsm_info {\n\tint a;\n};\n' >uapi/drm/vsm_drm.h
printf '#include "vsm_drm.h"\nint vsm_info(struct drm_vsm_info info);\n' >userlib/vsm.h
printf '#include "vsm.h"\nint vsm_info(struct drm_vsm_info info)\n{\n\treturn info.a;\n}\n' >userlib/vsm.c
git add . && git commit -q -m 'a release' && git tag v1 || exit 1
git archive --format=tar --prefix=vsm-1/ v1 >"$dir/vsm-1.tar"

abi() {
	tools/abi "$1" >"$dir/out" 2>"$dir/err"
}

abi v1 && [ ! -s "$dir/out" ]
result $? 'a library has the ABI of its own tag'
abi "$dir/vsm-1.tar" && [ ! -s "$dir/out" ]
result $? 'and of its own archive'
printf 'int vsm_more(void);\n' >>userlib/vsm.h
printf 'int vsm_more(void)\n{\n\treturn 0;\n}\n' >>userlib/vsm.c
abi v1
result $? 'a function that is new is no incompatible change'
sed -i 's/int a;/long b, a;/' uapi/drm/vsm_drm.h
abi v1
[ $? = 1 ] && grep -q "'long int b'" "$dir/out" && grep -q 'still libvsm.so.1: raise its SONAME' "$dir/out"
result $? 'a structure of the uAPI that grows is one'
sed -i 's/so.1$/so.2/' userlib/Makefile
abi v1 && grep -q "'long int b'" "$dir/out"
result $? 'with another SONAME it is only printed'
git checkout -q v1 -- userlib/Makefile uapi/drm/vsm_drm.h
sed -i 's/vsm_info(/vsm_of(/' userlib/vsm.h userlib/vsm.c
abi v1
[ $? = 1 ] && grep -q 'vsm_info' "$dir/out"
result $? 'a function that is missing is one, too'
abi v0
[ $? -gt 1 ]
result $? 'a tag that there is not is an error'
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the small programs of releases: tools/commits, tools/dist and tools/abi, in small repositories, and
# tools/fresh, with an mmdebstrap that only shows what it is asked for. Prints TAP.

# shellcheck source=tap.sh
. "${0%/*}/tap.sh"
top=$(realpath "${0%/*}/../..")

# Usage: repository NAME. Makes an empty repository, and goes there.
repository() {
	git init -q "$dir/$1" && cd "$dir/$1" || exit 1
	git config user.name 'A Tester'
	git config user.email tester@example.org
	git config commit.gpgSign false
	git config tag.gpgSign false
}

# --- tools/commits --------------------------------------------------------------------------------

repository commits
program=$top/tools/commits
git commit -q --allow-empty -m 'an old commit that nobody checks.'

# Usage: commit MESSAGE [OPTION...]. Makes a commit, and checks it alone.
commit() {
	message=$1
	shift
	git commit -q --allow-empty --allow-empty-message -m "$message" "$@" >"$dir/out" 2>&1 || return
	"$program" HEAD^..HEAD >"$dir/out" 2>"$dir/err"
}

# Usage: refuses REASON MESSAGE [OPTION...]
refuses() {
	reason=$1
	shift
	commit "$@"
	[ $? = 1 ] && [ "$(wc -l <"$dir/out")" = 1 ] && grep -q "$reason" "$dir/out"
}

long="tools: $(printf '%068d' 0)"
commit 'driver, tools/vm, README.md: a plain subject' -s
result $? 'a commit of the right form passes'
commit "$long" -s && [ ${#long} = 75 ]
result $? 'a subject may have 75 characters'
commit 'driver: why

The reason, at length.' -s
result $? 'a message may have a text'
refuses 'has 76 characters, more than 75' "${long}0" -s
result $? 'a subject of 76 characters is found'
refuses 'begin with what is changed' 'fix things' -s
result $? 'a subject without a prefix is found'
refuses 'begin with what is changed' 'fixup! driver: a plain subject' -s
result $? 'a commit for git rebase --autosquash is found'
refuses 'begin with what is changed' 'driver:' -s
result $? 'a subject of a prefix only is found'
refuses 'ends with a full stop' 'driver: do it.' -s
result $? 'a full stop is found'
refuses 'no empty line' 'driver: do it
at once' -s --cleanup=verbatim
result $? 'a missing empty line is found'
refuses 'there is no line "Signed-off-by: A Tester <tester@example.org>"' 'driver: do it'
result $? 'a missing Signed-off-by is found'
refuses 'Signed-off-by: B Author <b@example.org>' 'driver: do it' -s --author='B Author <b@example.org>'
result $? 'the Signed-off-by of somebody else does not count'

git branch main-line
git checkout -q -b branch HEAD~2
commit 'tools: on a branch' -s
git merge -q -m 'Merge it.' main-line 2>"$dir/err"
"$program" HEAD^..HEAD^ >"$dir/out" 2>"$dir/err" && "$program" HEAD~1..HEAD >"$dir/out" 2>"$dir/err"
[ "$(grep -c Merge "$dir/out")" = 0 ] && [ -s "$dir/out" ]
result $? 'a merge is not checked, but what it brings is'
"$program" nowhere..HEAD >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q '^commits: .*nowhere' "$dir/err"
result $? 'a range that does not exist is an error'
"$program" --help >"$dir/out" 2>"$dir/err" && grep -q '^Checks the form' "$dir/out" && ! "$program" a b >/dev/null
result $? '--help prints the help, and two arguments are an error'

# --- tools/dist -----------------------------------------------------------------------------------

repository dist
mkdir -p tools userlib Documentation
cp "$top/tools/dist" "$top/tools/common.sh" tools/
cp "$top/userlib/vsm.h" userlib/
cp "$top/Documentation/changes.rst" Documentation/
sed -i 's/^\(#define VSM_VERSION\) .*/\1 "9.8.7"/' userlib/vsm.h
printf '\n9.8.7\n=====\n' >>Documentation/changes.rst
git add . && git commit -q -m 'a release' --date 2026-01-02T03:04:05Z || exit 1

dist() {
	tools/dist "$1" >"$dir/out" 2>"$dir/err"
}

# Usage: refused WHAT FILE EXPRESSION. The change of a file must be the only reason of a refusal.
refused() {
	sed -i "$3" "$2" && git commit -q -a -m 'a change' || return
	dist "$dir/refused"
	[ $? = 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$1" "$dir/err" && [ ! -e "$dir/refused" ]
	status=$?
	git reset -q --hard HEAD^
	return $status
}

dist "$dir/one" && [ "$(ls "$dir/one")" = "vsm-9.8.7.tar.xz
vsm-9.8.7.tar.xz.sha256" ]
result $? 'a release gets an archive and its checksum'
(cd "$dir/one" && sha256sum -c vsm-9.8.7.tar.xz.sha256) >"$dir/out" 2>"$dir/err"
result $? 'the checksum is right'
git ls-files | sed 's|^|vsm-9.8.7/|' >"$dir/expected"
tar -tJf "$dir/one/vsm-9.8.7.tar.xz" | grep -v '/$' | diff "$dir/expected" - >"$dir/out" 2>"$dir/err"
result $? 'the archive has the files of the commit'
(umask 077 && find . -path ./.git -prune -o -type f -exec touch {} + && git update-index -q --refresh &&
	dist "$dir/two") && cmp "$dir/one/vsm-9.8.7.tar.xz" "$dir/two/vsm-9.8.7.tar.xz" >"$dir/out" 2>&1
result $? 'another umask and other times give the same archive'
git tag v9.8.7 && dist "$dir/three"
result $? 'the tag of the version may be this commit'
git commit -q --allow-empty -m 'more' && ! dist "$dir/refused" && grep -q 'the tag v9.8.7 is another' "$dir/err"
result $? 'a version that is tagged elsewhere is refused'
git tag -d v9.8.7 >/dev/null
touch forgotten && ! dist "$dir/refused" && grep -q 'not committed' "$dir/err"
result $? 'a file that is not committed is refused'
rm forgotten
refused 'changes.rst has no section 9.8.7' Documentation/changes.rst 's/^9.8.7$/9.8.6/'
result $? 'a version without its section in the list of changes is refused'
sed -i 's/9.8.7/next/' userlib/vsm.h
! dist "$dir/refused" && grep -q 'VSM_VERSION in userlib/vsm.h is "next"' "$dir/err"
result $? 'a version that is no number is refused'

# --- tools/abi ------------------------------------------------------------------------------------

repository abi
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

abi_tests() {
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
}

if command -v abidiff >/dev/null; then
	abi_tests
else
	result 0 'tools/abi # SKIP there is no abidiff (abigail-tools)'
fi

# --- tools/fresh ----------------------------------------------------------------------------------

mkdir "$dir/bin" "$dir/lists" "$dir/sources"
cat >"$dir/bin/mmdebstrap" <<-'END'
	#!/bin/sh
	for last; do :; done
	cat "$last"
	exit 1
END
chmod +x "$dir/bin/mmdebstrap"
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# Usage: asked SOURCE. Writes to "err" the sources for a root, where apt has fetched nothing and has
# only this source.
asked() {
	echo "$1" >"$dir/sources/one.list"
	printf '%s\n' "Dir::State::lists \"$dir/lists\";" 'Dir::Etc::sourcelist "/dev/null";' \
		"Dir::Etc::sourceparts \"$dir/sources\";" >"$dir/apt.conf"
	APT_CONFIG=$dir/apt.conf PATH=$dir/bin:$PATH "$top/tools/fresh" -- true >"$dir/out" 2>"$dir/err"
	[ $? = 125 ]
}

if [ "$(id -u)" = 0 ]; then
	asked "deb http://mirror.example/debian $suite main" &&
		grep -qx "deb http://mirror.example/debian/ $suite main" "$dir/err"
	result $? 'a fresh Debian comes from the mirror of apt, also if apt has fetched nothing'
	asked "deb http://mirror.example/debian other main" &&
		grep -qx "fresh: apt knows no mirror of $suite" "$dir/err"
	result $? 'there is no fresh Debian without a mirror'
else
	result 0 'a fresh Debian comes from the mirror of apt # SKIP needs root'
fi
finish

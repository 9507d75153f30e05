#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests tools/dist with a small repository that has what the program looks at. Prints TAP.

# shellcheck source=tap.sh
. "${0%/*}/tap.sh"
top=$(realpath "${0%/*}/../..")
cd "$dir" || exit 1
git init -q repository && cd repository || exit 1
git config user.name 'A Tester'
git config user.email tester@example.org
git config commit.gpgSign false
git config tag.gpgSign false
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
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests tools/commits. Prints TAP.

# shellcheck source=tap.sh
. "${0%/*}/tap.sh"
program=$(realpath "${0%/*}/../commits")
cd "$dir" || exit 1
git init -q repository && cd repository || exit 1
git config user.name 'A Tester'
git config user.email tester@example.org
git config commit.gpgSign false
git commit -q --allow-empty -m 'an old commit that nobody checks.'

# Usage: commit MESSAGE [OPTION...]. Makes a commit, and checks it alone.
commit() {
	message=$1
	shift
	git commit -q --allow-empty --allow-empty-message -m "$message" "$@" >"$dir/out" 2>&1 || return
	"$program" HEAD^..HEAD >"$dir/out" 2>"$dir/err"
}

# Usage: refused REASON MESSAGE [OPTION...]
refused() {
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
refused 'has 76 characters, more than 75' "${long}0" -s
result $? 'a subject of 76 characters is found'
refused 'begin with what is changed' 'fix things' -s
result $? 'a subject without a prefix is found'
refused 'begin with what is changed' 'fixup! driver: a plain subject' -s
result $? 'a commit for git rebase --autosquash is found'
refused 'begin with what is changed' 'driver:' -s
result $? 'a subject of a prefix only is found'
refused 'ends with a full stop' 'driver: do it.' -s
result $? 'a full stop is found'
refused 'no empty line' 'driver: do it
at once' -s --cleanup=verbatim
result $? 'a missing empty line is found'
refused 'there is no line "Signed-off-by: A Tester <tester@example.org>"' 'driver: do it'
result $? 'a missing Signed-off-by is found'
refused 'Signed-off-by: B Author <b@example.org>' 'driver: do it' -s --author='B Author <b@example.org>'
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
finish

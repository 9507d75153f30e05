#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/ci/ktap and tools/ci/run, without a virtual machine: a program takes the place of the
# runner and executes the command here. Prints TAP.

here=$(dirname "$0")
ci=$here/../ci
# shellcheck source=tap.sh
. "$here/tap.sh"

# --- ktap -----------------------------------------------------------------------------------------

# Usage: reads WHAT ROWS <<TAP. ROWS has the rows that ktap must print, with "|" for tabs. It must
# print the same with each awk that this machine has.
reads() {
	cat >"$dir/tap"
	printf '%s' "${2:+$2
}" >"$dir/expected"
	: >"$dir/err"
	for awk in mawk gawk original-awk 'busybox awk'; do
		command -v "${awk%% *}" >/dev/null || continue
		mkdir -p "$dir/bin"
		printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$dir/bin/awk"
		chmod 755 "$dir/bin/awk"
		PATH=$dir/bin:$PATH "$ci/ktap" "$dir/tap" 2>>"$dir/err" | tr '\t' '|' >"$dir/out"
		cmp "$dir/out" "$dir/expected" >>"$dir/err" 2>&1 || break
	done
	[ ! -s "$dir/err" ]
	result $? "ktap: $1"
}

reads 'results of TAP, with and without dashes, numbers and names' 'pass|2||first|
fail|3||second one|
pass|4||test 3|
pass|5||no number|
fail|6||with a reason|exit=1
pass|7||a # in a name|' <<'END'
1..6
ok 1 - first
not ok 2 second one
ok 3
ok - no number
not ok 5 - with a reason # exit=1
ok 6 a \# in a name
END

reads 'skipped tests, and those that may fail' 'skip|2||a test|no device
skip|3||name of kselftest|
skip|4||b|expected to fail: later
skip|5||c|expected to fail
pass|6||d|
skip|7||e|why' <<'END'
1..6
ok 1 a test # SKIP no device
ok 2 # SKIP name of kselftest
not ok 3 b # TODO later
not ok 4 - c # xfail
ok 5 d # TODO
not ok 6 e # skip: why
END

reads 'nested subtests of KTAP get the names of the tests around them' 'pass|9|outer/inner|leaf|
fail|10|outer/inner|twig|
pass|12|outer|other|
pass|14||last|' <<'END'
KTAP version 1
1..2
  KTAP version 1
  # Subtest: outer
  1..2
    KTAP version 1
    # Subtest: inner
    1..2
    ok 1 leaf
    not ok 2 twig
  not ok 1 inner
  ok 2 other
not ok 1 outer
ok 2 last
END

reads 'a test that failed though its subtests passed has a result' 'pass|3|outer|inner|
fail|4||outer|leak
skip|7|second|a|x
pass|9||third|' <<'END'
1..3
  1..1
  ok 1 inner
not ok 1 outer # leak
    # Subtest: second
    1..1
    ok 1 a # SKIP x
ok 2 second
ok 3 third
END

reads 'the programs of kselftest' 'pass|6|selftests: drivers/vsm: a|x.y|
fail|8|selftests: drivers/vsm: a|z|
fail|13||selftests: drivers/vsm: b|TIMEOUT 45 seconds' <<'END'
TAP version 13
1..2
# selftests: drivers/vsm: a
# TAP version 13
# 1..2
# ok 1 x.y
# # ok 3 is not a result
# not ok 2 z
# # Totals: pass:1 fail:1 xfail:0 xpass:0 skip:0 error:0
not ok 1 selftests: drivers/vsm: a # exit=1
# timeout set to 45
# selftests: drivers/vsm: b
not ok 2 selftests: drivers/vsm: b # TIMEOUT 45 seconds
# ok 7 is not a result
END

reads 'missing and additional results' 'pass|2||a|
error|3||plan|1 results instead of 2
pass|5||b|
pass|6||c|
error|7||plan|2 results instead of 1
pass|8||d|
error|8||plan|no plan' <<'END'
1..2
ok 1 a
TAP version 13
1..1
ok 1 b
ok 2 c
KTAP version 1
ok 1 d
END

reads 'the end in the middle of subtests' 'pass|4|crash|x|
error|4|crash|plan|1 results instead of 3
error|4||crash|the test did not end
error|4||plan|0 results instead of 1' <<'END'
1..1
  # Subtest: crash
  1..3
  ok 1 x
END

reads 'several plans, at the beginning and at the end' 'pass|2||a|
pass|4||b|
pass|5||c|
pass|8||d|' <<'END'
1..1
ok 1 a
TAP version 13
ok 1 b
ok 2 c
1..2
1..1
ok 1 d
END

reads 'a test that gives up' 'pass|2||a|
error|3||Bail out!|no device' <<'END'
1..3
ok 1 a
Bail out! no device
END

reads 'a plan without tests' 'error|2||plan|no tests
skip|2||all tests|no device' <<'END'
1..0
1..0 # SKIP no device
END

cr=$(printf '\r')
reads 'carriage returns of a serial line, and lines that are no results' 'pass|3||a|
pass|4||tab in a name|' <<END
[    1.0] booting$cr
1..2$cr
ok 1 a$cr
ok 2 tab	in a name
okay then
  ok then
1..x
END

reads 'no results at all' '' <<'END'
hello
END

"$ci/ktap" a b >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q '^usage: ' "$dir/err"
result $? 'ktap: two files are refused'

# --- run ------------------------------------------------------------------------------------------

# Takes the place of the runner: writes its arguments to args, one on each line, and executes the
# command. SAYS is what it prints about the virtual machine, STATUS its exit status.
cat >"$dir/vm" <<'END'
#!/bin/sh
cd "${0%/*}" || exit
: >args
while [ "$1" != -- ]; do
	echo "$1" >>args
	[ "$1" != --keep-log ] || echo '[ 0.0] Linux version 9.9-x (a@b)' >"$2"
	shift
done
shift
[ "$STATUS" ] || exec "$@"
"$@"
echo "vm/run: $SAYS" >&2
exit "$STATUS"
END
chmod 755 "$dir/vm"
VSM_VM_RUN=$dir/vm
export VSM_VM_RUN STATUS SAYS
kept=$dir/kept

# Usage: ci STATUS ARGUMENT... Runs tools/ci/run with these arguments. Succeeds if its exit status is
# STATUS and its JUnit XML is valid.
ci() {
	expected=$1
	shift
	"$ci/run" --results "$kept" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	[ $? = "$expected" ] &&
		xmllint --noout --schema "$here/junit.xsd" "$kept/junit.xml" 2>"$dir/lint"
}

# Usage: case_is NAME KIND MESSAGE. Succeeds if the JUnit XML has one test case NAME, and in it an
# element KIND with this message.
case_is() {
	[ "$(xmllint --xpath "count(//testcase[@name='$1'])" "$kept/junit.xml")" = 1 ] &&
		[ "$(xmllint --xpath "string(//testcase[@name='$1']/$2/@message)" \
			"$kept/junit.xml")" = "$3" ]
}

sums_are() {
	[ "$(xmllint --xpath 'concat(/testsuites/@tests, " ", /testsuites/@failures, " ",
		/testsuites/@errors, " ", /testsuites/@skipped)' "$kept/junit.xml")" = "$1" ]
}

ci 0 -- sh -c 'echo 1..2; echo ok 1 a; echo note >&2; echo "ok 2 b # SKIP no c"' && sums_are '2 0 0 1' &&
	case_is b skipped 'no c' && [ "$(cat "$kept/errors.txt" "$dir/err")" = "$(printf 'note\nnote')" ] &&
	cmp "$kept/output.txt" "$dir/out" && grep -q 'Linux version' "$kept/kernel.log" &&
	grep -q '^### sh: passed$' "$kept/summary.md" && [ ! -e "$kept/device.trace" ]
result $? 'run: a test that passes, with all its files'

ci 3 --name unit -- sh -c 'printf "1..2\n# why\nnot ok 1 a\nok 2 b\n"; exit 3' && sums_are '2 1 0 0' &&
	case_is a failure 'not ok' && grep -q '^# why$' "$kept/summary.md" &&
	[ "$(xmllint --xpath 'string(//property[@name="kernel"]/@value)' "$kept/junit.xml")" = 9.9-x ] &&
	[ "$(xmllint --xpath 'string(//testcase[1]/@classname)' "$kept/junit.xml")" = unit ]
result $? 'run: a failure has the lines around it, and the status is that of the test'

ci 1 -- sh -c 'echo 1..1; echo not ok 1 a' && sums_are '1 1 0 0'
result $? 'run: a test with status 0 fails if one of its results is "not ok"'

ci 1 -- sh -c 'echo 1..2; echo ok 1 a' && case_is plan error '1 results instead of 2'
result $? 'run: a test with status 0 fails if a result is missing'

ci 0 -- true && sums_are '1 0 0 0' && ci 9 -- sh -c 'echo reason; exit 9' && sums_are '1 1 0 0' &&
	case_is sh failure 'exit status 9' && grep -q '^reason$' "$kept/summary.md"
result $? 'run: a command without results is a test'

ci 6 -- sh -c 'echo 1..1; echo ok 1 a; exit 6' && case_is sh failure 'exit status 6'
result $? 'run: a status that no result explains is a failure'

SAYS='the kernel complained: BUG' STATUS=125 ci 125 -- sh -c 'echo 1..1; echo ok 1 a' &&
	sums_are '2 0 1 0' && case_is sh error 'the kernel complained: BUG'
result $? 'run: a problem in the kernel is an error'

SAYS='timed out' STATUS=124 ci 124 --timeout 7 -- true && case_is true error 'timed out after 7 s'
result $? 'run: a virtual machine that does not end is an error'

ci 124 --timeout 0.2 -- sh -c 'echo 1..2; echo ok 1 a; sleep 100' && case_is a error '' &&
	case_is sh error 'timed out after 0.2 s'
result $? 'run: a command that does not end is an error, and its results are kept'

printf '#!/bin/sh\n[ "$*" = "ps --why" ] && echo "1 arrival of 2 is missing"\n' >"$dir/vsm" &&
	chmod +x "$dir/vsm" && VSM=$dir/vsm ci 124 --timeout 0.2 --timeline never -- sh -c 'echo begin; sleep 100' &&
	case_is sh error 'timed out after 0.2 s' &&
	xmllint --xpath 'string(//error)' "$kept/junit.xml" | grep -q '^1 arrival of 2 is missing$'
result $? 'run: of a command that does not end, the results say why'

VSM_VM_RUN=/nonexistent ci 125 -- true && case_is true error '/nonexistent: No such file or directory'
result $? 'run: a runner that is missing is an error'

rm -f "$dir/args"
ci 125 -- /nonexistent && case_is nonexistent error '/nonexistent: No such file or directory' && [ ! -e "$dir/args" ]
result $? 'run: nothing boots for a command that is missing'

ci 0 --smp 4 --timeout 9 --kernel 6.12 -- true && printf '%s\n' --keep-log "$kept/kernel.log" --timeout 129 \
	--fetch "$kept/device.trace" --smp 4 --kernel 6.12 | cmp - "$dir/args"
result $? 'run: options of the runner are passed on'

ci 0 --name '<&"x*' -- sh -c 'printf "1..2\nok 1 <a>&\033\nok 2 <a>&\033\n"' && sums_are '2 0 0 0' &&
	grep -q '^### \\<\\&"x\\\*: passed$' "$kept/summary.md"
result $? 'run: names with any characters, and equal names'

for arguments in '' '--' '--timeline sometimes -- true' '--timeout x -- true'; do
	# shellcheck disable=SC2086 # a list of arguments
	"$ci/run" $arguments >"$dir/out" 2>>"$dir/err"
	[ $? = 125 ] || break
done
[ "$(grep -c '^vsm-ci: ' "$dir/err")" = 4 ]
result $? 'run: wrong arguments are refused'

"$ci/run" --help >"$dir/out" 2>"$dir/err" && grep -q junit.xml "$dir/out"
result $? 'run: --help'

make -s --no-print-directory -C "$here/.." install-vm install-ci DESTDIR="$dir/installed" PREFIX=/usr \
	>"$dir/out" 2>"$dir/err" &&
	"$dir/installed/usr/bin/vsm-ci" --results "$kept" -- sh -c 'echo 1..1; echo ok 1 a' \
		>"$dir/out" 2>"$dir/err" && sums_are '1 0 0 0' &&
	[ -x "$dir/installed/usr/lib/vsm/ci/lava/report" ]
result $? 'run: as it is installed'

# Makes FIFOs that nothing of an earlier test has open.
fifos() {
	rm -f "$dir/started" "$dir/ended"
	mkfifo "$dir/started" "$dir/ended"
}

# Usage: meet '<' FIFO. Opens a FIFO, which blocks until a program has opened its other end.
meet() {
	timeout 60 sh -c ": $1 '$2'"
}

# Usage: passes_on WHAT PROGRAM... A signal ends the command of vsm-ci, which PROGRAM runs, and the
# results are written. timeout does not pass on a signal that comes before fork() has returned in it.
# The command therefore closes its output, and ends in any case.
passes_on() {
	what=$1
	shift
	fifos
	rm -f "$kept/junit.xml"
	timeout --foreground 60 "$@" "$ci/run" --results "$kept" -- sh -c "echo 1..2; echo ok 1 a
		exec >'$dir/started' 2>&1; echo; exec timeout 30 cat '$dir/ended'" \
		>"$dir/out" 2>"$dir/err" </dev/null &
	timeout 60 head -n 1 "$dir/started" >/dev/null
	kill -TERM $!
	wait $!
	status=$?
	: <>"$dir/ended"
	[ $status = 143 ] && case_is a error '' && case_is sh error 'ended by signal 15'
	result $? "run: $what"
}

passes_on 'a signal is passed on, and the results are written' env
${CC:-cc} -shared -fPIC -o "$dir/late.so" "$here/late.c" || exit
passes_on 'a signal that comes just before a system call is not lost' env LD_PRELOAD="$dir/late.so"

# These need a runner that handles the signal itself. Its `cat` ends when somebody opens the FIFO.
cat >"$dir/handles" <<END
#!/bin/sh
trap 'exit 0' TERM
cat '$dir/ended' >'$dir/started' 2>&1 &
wait
END
chmod 755 "$dir/handles"
fifos
VSM_VM_RUN=$dir/handles "$ci/run" --results "$kept" -- true >"$dir/out" 2>"$dir/err" </dev/null &
meet '<' "$dir/started"
kill -TERM $!
wait $!
status=$?
meet '>' "$dir/ended"
[ $status = 1 ] && case_is true error 'ended by signal 15' && grep -q '^### true: failed$' "$kept/summary.md"
result $? 'run: what a signal has ended has not passed, though the runner ends with 0'

fifos
(
	trap '' HUP
	VSM_VM_RUN=$dir/handles exec "$ci/run" --results "$kept" -- true >"$dir/out" 2>"$dir/err" </dev/null
) &
meet '<' "$dir/started"
kill -HUP $!
meet '>' "$dir/ended"
wait $! && sums_are '1 0 0 0'
result $? 'run: a signal that is ignored stays ignored'

{
	timeout 60 "$ci/run" --results "$kept" -- sh -c 'echo 1..1; seq 200000; echo not ok 1 a' \
		2>"$dir/err" </dev/null
	echo $? >"$dir/status"
} | head -n 1 >"$dir/out"
[ "$(cat "$dir/status")" = 125 ] && case_is a failure 'not ok' &&
	case_is sh error 'standard output is not complete: Broken pipe' &&
	[ "$(cat "$dir/out" "$dir/err")" = "$(printf '1..1\nvsm-ci: standard output is not complete: Broken pipe')" ]
result $? 'run: nobody reads the output any more'

(
	ulimit -f 64
	exec timeout 60 "$ci/run" --results "$kept" -- sh -c 'echo 1..1; echo ok 1 a; seq 20000' \
		>/dev/null 2>"$dir/err" </dev/null
)
[ $? = 125 ] && case_is a pass '' && case_is sh error 'output.txt is not complete: File too large'
result $? 'run: the file of the output cannot grow any more'

: >"$dir/file"
for results in "$dir/file" /dev/null/x; do
	"$ci/run" --results "$results" -- true >"$dir/out" 2>"$dir/err" </dev/null
	[ "$? $(wc -l <"$dir/err")" = '125 1' ] || break
done
grep -q '^vsm-ci: .*/dev/null/x' "$dir/err"
result $? 'run: results that cannot be written are an error'

# A form feed, a file separator, NEL and LINE SEPARATOR.
ci 1 -- sh -c "printf '1..3\nok 1 \fa\n# \034b\302\205\nok 2 c\342\200\250d\n# why\nnot ok 3 e\n'" &&
	sums_are '3 1 0 0' && [ "$(xmllint --xpath "string(//testcase[@name='e']/failure)" \
	"$kept/junit.xml")" = "$(printf '# why\nnot ok 3 e')" ]
result $? 'run: lines with characters that end lines elsewhere'

# --- lava/report ----------------------------------------------------------------------------------

# These take the place of LAVA's commands.
for name in lava-test-case lava-test-set lava-test-raise; do
	# shellcheck disable=SC2016 # the scripts expand it
	printf '#!/bin/sh\necho "${0##*/lava-test-}" "$@" >>"%s"\n' "$dir/signals" >"$dir/bin/$name"
	chmod 755 "$dir/bin/$name"
done

# Takes the place of dmesg: a kernel that has warned before the test.
log=$dir/log
export log
cat >"$dir/bin/dmesg" <<'END'
#!/bin/sh
cat "$log"
END
chmod 755 "$dir/bin/dmesg"
# Usage: logs LINE...
logs() {
	printf '[ 1.0] %s\n' "$@" >"$log"
}
logs 'WARNING: old' 'a\b'

# Usage: reports WHAT SECONDS COMMAND... <<SIGNALS. Tests that lava/report tells LAVA this.
reports() {
	what=$1
	shift
	cat >"$dir/expected"
	rm -f "$dir/signals"
	PATH=$dir/bin:$PATH "$ci/lava/report" "$@" >"$dir/out" 2>"$dir/err" &&
		diff "$dir/expected" "$dir/signals" >>"$dir/err"
	result $? "lava/report: $what"
}

FATAL=
export FATAL
reports 'results are test cases, and those of subtests are in test sets' 60 \
	printf '1..3\n  1..2\n  ok 1 a: b\n  not ok 2 c\nnot ok 1 the (set)\nok 2 d # SKIP e' <<'END'
set start the-set
case a-b --result pass
case c --result fail
set stop the-set
case d --result skip
case plan --result fail
case exit-status --result pass
case kernel --result pass
END

FATAL=yes
reports 'a failure ends the job if it is fatal' 60 sh -c 'echo 1..1; echo not ok 1 - "a b"; exit 3' <<'END'
case a-b --result fail
case exit-status --result fail
case kernel --result pass
raise a-b-exit-status
END

reports 'no failure, nothing fatal' 60 true <<'END'
case exit-status --result pass
case kernel --result pass
END

# shellcheck disable=SC2016 # the scripts expand it
for line in 'WARNING: CPU: 0 PID: 1 at x.c:1' 'BUG: soft lockup - CPU#1 stuck for 22s!' 'Oops: 0000'; do
	logs 'WARNING: old' 'a\b'
	reports "a board that has warned before: $line" 60 \
		sh -c 'printf "%s\n" "[ 2.0] $1" "[ 3.0] last" >>"$2"' sh "$line" "$log" <<'END'
case exit-status --result pass
case kernel --result fail
raise kernel
END
	grep -q 'WARNING: old' "$dir/out"
	result $? 'lava/report: the log of the kernel is shown'
done

FATAL=
# shellcheck disable=SC2016 # the script expands it
reports 'a log of the kernel that has lost its oldest lines' 60 \
	sh -c 'echo "[ 9.0] BUG: new" >"$1"' sh "$log" <<'END'
case exit-status --result pass
case kernel --result fail
END

reports 'a command that does not end' 0.2 sh -c 'echo 1..1; echo ok 1 a; sleep 100' <<'END'
case a --result pass
case exit-status --result fail
case kernel --result pass
END

finish

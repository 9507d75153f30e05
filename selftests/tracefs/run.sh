#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `vsm trace record`, on a machine that has the device:
# tools/vm/run -- selftests/tracefs/run.sh
#
# The script prints KTAP. VSM is the path of vsm; the default is that of the build.

here=$(realpath "$(dirname "$0")") || exit 1
vsm=$(realpath "${VSM:-$here/../../build/tools/vsm}") || exit 1
tracing=/sys/kernel/tracing
# shellcheck source=../ktap.sh
. "$here/../ktap.sh"
chmod 777 "$dir"

# Usage: record STATUS ARGUMENT... Runs `vsm trace record`, and tests its exit status.
record() {
	expected=$1
	shift
	"$vsm" trace record "$@" >out 2>err
	[ $? = "$expected" ]
}

# Is no recording left, and are the tracepoints off?
is_clean() {
	[ "$(ls $tracing/instances)" = "" ] && [ "$(cat $tracing/events/vsm/enable)" = 0 ]
}

# Usage: refuses STATUS PATTERN NAME ARGUMENT... Tests that nothing is recorded or written.
refuses() {
	expected=$1
	pattern=$2
	name=$3
	shift 3
	record "$expected" -o none.txt "$@" && [ ! -s out ] && grep -q -e "$pattern" err &&
		[ ! -e none.txt ] && is_clean
	result $? "$name"
}

cat >one.vsm <<'END'
cluster ctas=1 threads=32 smem=1024
0.0: mbarrier.init.shared::cta.b64 [0x10], 1;
0.0: mbarrier.arrive.shared::cta.b64 %rd1, [0x10];
expect word 0 0x10 == 0xfffff800001ffffe
END

record 0 "$vsm" run one.vsm && is_clean && grep -q '^ok 1' out &&
	grep -qx 'vsm: [1-9][0-9]* events in vsm.trace' err &&
	"$vsm" trace show vsm.trace >out 2>err && grep -q 'mbarrier.arrive 0x10: parity 0 -> 1' out
result $? 'the trace has what a command does'

for file in a.html a.svg a.pftrace a.txt; do
	record 0 -o $file -- "$vsm" run one.vsm && [ -s $file ]
	result $? "the ending of the name says the format: $file"
done
record 0 -o none.txt true && grep -q '^vsm: 0 events in none.txt' err && [ -s none.txt ] &&
	rm none.txt
result $? 'a command that does not use the device has no events'

record 7 -o a.txt sh -c 'exit 7' && [ -s a.txt ] && is_clean
result $? 'the exit status is that of the command'
# shellcheck disable=SC2016 # the command expands it
record 137 -o a.txt sh -c 'kill -KILL $$' && [ -s a.txt ] && is_clean
result $? 'a command that a signal has killed'

# The command waits until the test has sent a signal to vsm. A background job of a shell ignores
# SIGINT and SIGQUIT, unless env changes that.
for signal in INT TERM HUP QUIT; do
	rm -f a.txt begun
	mkfifo begun
	env --default-signal "$vsm" trace record -o a.txt sh -c \
		"'$vsm' run one.vsm >/dev/null; sleep 1000 & trap 'kill \$!; exit 9' $signal
		echo >begun; wait" >out 2>err &
	read -r _ <begun
	kill -$signal $!
	wait $!
	[ $? = 9 ] && is_clean && grep -q ' insn ' a.txt
	result $? "SIG$signal goes to the command, and the trace is written"
done

mkfifo go1 go2 begun1 begun2 begun3
for i in 1 2; do
	"$vsm" trace record -o both$i.txt sh -c "echo >begun$i; read _ <go$i" >out 2>err &
	read -r _ <begun$i
done
[ "$(find $tracing/instances -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] &&
	"$vsm" run one.vsm >out 2>err
run=$?
echo >go1
echo >go2
wait
[ $run = 0 ] && is_clean && [ "$(grep -c ' insn ' both1.txt)" = 2 ] &&
	sed '1,2d; s/^[0-9]* //' both1.txt >both1 && sed '1,2d; s/^[0-9]* //' both2.txt >both2 &&
	diff both1 both2 >out
result $? 'two recordings at the same time have the same events'

"$vsm" trace record -o a.txt sh -c "echo >begun3; exec sleep 1000" >out 2>err &
recorder=$!
read -r _ <begun3
children=$(children_of $recorder)
kill -KILL $recorder
wait $recorder 2>/dev/null
for child in $children; do kill -KILL "$child"; done
! is_clean && record 0 -o a.txt true && is_clean
result $? 'the next recording removes what one that was killed has left'

# --- mistakes -----------------------------------------------------------------------

refuses 127 'record: no-such-program: No such file' 'a command that does not exist' no-such-program
: >plain
refuses 126 'record: ./plain: Permission denied' 'a command that is not executable' ./plain
refuses 2 'record: missing/a.txt: No such file' 'a file that cannot be written' \
	-o missing/a.txt touch ran
[ ! -e ran ]
result $? 'the command does not run if the file cannot be written'
refuses 1 'record: device 7: No such device' 'a device that does not exist' --device 7 true

chmod 666 /dev/dri/*
# A user without rights.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
}
as_nobody "$vsm" trace record -o none.txt true >out 2>err
[ $? = 1 ] && grep -q 'only root may read tracepoints' err && [ ! -e none.txt ] && is_clean
result $? 'a user without rights gets a clear message'
# Where tracefs is not mounted.
without_tracefs() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m sh -c 'umount -l /sys/kernel/debug /sys/kernel/tracing && exec "$@"' sh "$@"
}
without_tracefs setpriv --reuid 65534 --regid 65534 --clear-groups -- \
	"$vsm" trace record -o none.txt true >out 2>err
[ $? = 1 ] && grep -q 'only root may read tracepoints' err
result $? 'a user without rights gets a clear message where tracefs is not mounted'
without_tracefs "$vsm" trace record -o a.txt true >out 2>err && [ -s a.txt ] && is_clean
result $? 'root mounts tracefs where it is not mounted'
# shellcheck disable=SC2016 # the inner shell expands it
unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing/events && exec "$@"' sh \
	"$vsm" trace record -o none.txt true >out 2>err
[ $? = 1 ] && grep -q 'the driver has no tracepoints' err && [ ! -e none.txt ] && is_clean
result $? 'a driver without tracepoints'

finish

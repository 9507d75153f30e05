#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the results of `vsm run` in all formats, on a machine that has the device:
# tools/vm/run -- selftests/results/run.sh
#
# The script prints KTAP. VSM is the path of vsm; the default is that of the build.

here=$(realpath "$(dirname "$0")") || exit 1
vsm=$(realpath "${VSM:-$here/../../build/tools/vsm}") || exit 1
tests=$here/../../tools/tests
# shellcheck source=../ktap.sh
. "$here/../ktap.sh"

# Python starts slowly in an emulated machine. One process therefore reads all files.
mkfifo ask answer || exit 1
python3 "$tests/results.py" serve <ask >answer &
exec 3>ask 4<answer

# Usage: reads FORMAT FILE
reads() {
	echo "$1 $dir/$2 $dir/out" >&3
	read -r answer <&4 && return "$answer"
}

# Usage: reads_json FILE, reads_junit FILE. Checks FILE, and prints what it says to the file out.
reads_json() {
	reads json "$1" 2>err
}

reads_junit() {
	xmllint --noout --schema "$tests/junit.xsd" "$1" >out 2>err && reads junit "$1"
}

# Usage: says WHAT <<EXPECTED. Tests that the file out is EXPECTED, and that the command before has
# succeeded.
says() {
	[ $? = 0 ] && cat >expected && cmp -s out expected
	result $? "$1"
}

# Usage: like_ktap FILE. Compares the file out, the results as results.py prints them, with the results
# and messages in FILE, which is KTAP of vsm run.
like_ktap() {
	awk '/^ *(KTAP version|1\.\.)|^(ok|not ok) .*many.vsm$|Subtest:/ { next }
		/^ *# / { sub(/^ *# [^:]*:/, "") }
		/^[0-9]+:[0-9]+: / { sub(/:[0-9]+/, "") }
		/^[0-9]+: / { messages = messages $0 "\n"; next }
		{ sub(/^ */, ""); sub(/^ok [0-9]+/, "pass"); sub(/^not ok [0-9]+/, "fail") }
		{ printf "%s\n%s", $0, messages; messages = "" }' "$1" >expected
	sed -E "/^[a-z]/ s/ '[^']*'//; s/ [0-9]+ None.None$//; s/^  ([0-9]*): '(.*)'$/\1: \2/" out |
		diff expected - >differences
}

cat >many.vsm <<'END'
cluster threads=2
test good
0.0: mov.u32 %r1, 7;
expect 0.0 %r1 == 7
test differs
0.0: mov.u32 %r1, 7;
expect 0.0 %r1 == 8
expect 0.0 %r1 == 9
test fault
0.0: mov.u32 %r1, 7;
0.0: mbarrier.inval.shared.b64 [0x40];
expect 0.0 %r1 == 7
test wrong
0.0: mov.u32 %r1;
END
cat >one.vsm <<'END'
cluster threads=1
0.0: mov.u32 %r1, 7;
expect 0.0 %r1 == 7
END

"$vsm" run many.vsm >ktap 2>err
[ $? = 1 ] && [ ! -s err ]
result $? 'run fails if a test fails'
"$vsm" run --json=json --junit=junit many.vsm >out 2>err
[ $? = 1 ] && [ ! -s err ] && cmp -s ktap out
result $? 'run --json=FILE --junit=FILE leaves the output'
reads_json json && like_ktap ktap
result $? 'run --json=FILE says the same as KTAP'
"$vsm" run --seed 3 --json=json many.vsm one.vsm >both 2>err
"$vsm" results merge json >out 2>err
[ $? = 1 ] && [ ! -s err ] && cmp -s both out && grep -q '^  # many.vsm:14:[0-9]*: mov lacks' out
result $? 'results merge prints what run has printed'
"$vsm" run --json many.vsm one.vsm >json 2>err
[ $? = 1 ] && [ ! -s err ] && reads_json json &&
	sed -i 's/seen fault NOT_AN_MBARRIER: .*/seen .../' out
says 'run --json has a test for each test of each file' <<'END'
pass 'many.vsm' good 2 None/None
fail 'many.vsm' differs 5 None/None
  7: 'expected 0.0 %r1 == 8 (0x8), seen 7 (0x7)'
  8: 'expected 0.0 %r1 == 9 (0x9), seen 7 (0x7)'
fail 'many.vsm' fault 9 None/None
  11: 'expected no fault, seen ...
fail 'many.vsm' wrong 13 None/None
  14: 'mov lacks its value; PTX has mov.type d, a'
pass 'one.vsm' None None None/None
END
python3 - >out 2>err <<'END'
import json
tests = json.load(open("json"))["files"][0]["tests"]
print(*(tests[1]["failures"][0][key] for key in ("expected", "seen", "fault")), sep=", ")
print(tests[2]["failures"][0]["expected"], tests[2]["failures"][0]["fault"], sep=", ")
print(tests[3]["failures"][0]["column"])
END
says 'run --json takes failures apart' <<'END'
0.0 %r1 == 8 (0x8), 7 (0x7), None
no fault, NOT_AN_MBARRIER
18
END
"$vsm" run --junit many.vsm one.vsm >junit 2>err
[ $? = 1 ] && [ ! -s err ] && reads_junit junit &&
	sed -i 's/seen fault NOT_AN_MBARRIER: .*/seen .../' out
says 'run --junit has a testcase for each test of each file' <<'END'
pass 'many.vsm' 'good'
fail 'many.vsm' 'differs'
  expectation: 'expected 0.0 %r1 == 8 (0x8), seen 7 (0x7)'
fail 'many.vsm' 'fault'
  NOT_AN_MBARRIER: 'expected no fault, seen ...
fail 'many.vsm' 'wrong'
  expectation: 'mov lacks its value; PTX has mov.type d, a'
pass 'one.vsm' 'one.vsm'
END
"$vsm" run --json one.vsm >json 2>err && reads_json json && "$vsm" run --junit one.vsm >junit &&
	reads_junit junit
result $? 'run --json and --junit succeed if all tests pass'

name=$(printf '\001<a&"'\''>\377\t]]>\303\251.vsm')
cp many.vsm "$name"
"$vsm" run --json=json --junit=junit "$name" >out 2>err
[ $? = 1 ] && [ ! -s err ] && reads_json json && grep -q "^pass '\\\\x01<a&\"" out &&
	reads_junit junit
result $? 'run --json and --junit escape the name of a file'
mkdir folder
"$vsm" run --json=folder one.vsm >out 2>err
[ $? = 2 ] && [ ! -s out ] && grep -q 'folder: Is a directory' err
result $? 'run runs nothing if the results cannot be written'
"$vsm" run --json none.vsm >out 2>err
[ $? = 2 ] && [ ! -s out ]
result $? 'run --json prints nothing if a file cannot be read'

escape=$(printf '\033')
"$vsm" run --color=always many.vsm >out 2>err
grep -q "^  $escape\[32mok$escape\[m 1 good$" out &&
	grep -q "^  # $escape\[36mmany.vsm:11$escape\[m: " out &&
	grep -q " fault $escape\[1;31mNOT_AN_MBARRIER$escape\[m: " out &&
	sed "s/$escape\[[0-9;]*m//g" out | cmp -s - ktap
result $? 'run --color=always colours results, faults and lines'

"$vsm" info --json >json 2>err && "$vsm" info >plain 2>>err && [ ! -s err ] &&
	python3 - >out 2>err <<'END'
import json
import re
device = json.load(open("json"))["devices"][0]
plain = dict(re.findall(r"^  (.*?)  +(.*)$", open("plain").read().split("\n\n")[0], re.M))
assert plain["node"] == device["node"]
assert plain["driver"] == f"{device['driver']} {device['driver_version']}"
assert plain["ABI"] == device["abi"]
assert plain["cluster"] == f"{device['max_ctas']} CTAs of {device['max_threads']} threads"
assert plain["exec"] == f"{device['max_exec']} instructions"
assert plain["device memory"].startswith(f"{device['device_bytes']} bytes")
unknown = [device["unknown_features"]] if device["unknown_features"] != "0x0" else []
assert plain["features"].split() == device["features"] + unknown
END
result $? 'info --json says the same as info'

# --- seeds --------------------------------------------------------------------

cat >threads.vsm <<'END'
cluster threads=3
0.0: mbarrier.init.shared.b64 [0x40], 1;
test stores
0.0& st.shared.u32 [0x100], 7;
0.1: mov.u32 %r1, 1;
0.2: ld.shared.u32 %r1, [0x100];
expect 0.2 %r1 == 7
test joins
0.0& st.shared.u32 [0x100], 7;
0.1: mov.u32 %r1, 1;
join 0.0
0.2: ld.shared.u32 %r1, [0x100];
expect 0.2 %r1 == 7
test meets
0.0-1& bar.warp.sync 7;
0.2: bar.warp.sync 7;
join 0.0-1
0.2: mov.u32 %r1, 7;
expect 0.2 %r1 == 7
END
# Without a seed, the scenario waits until the thread has stored.
sed 's/^0.1: mov.*/&\n'"$(printf '0.1: mov.u32 %%r1, 1;\\n%.0s' $(seq 200))"'/' threads.vsm \
	>default.vsm
"$vsm" run default.vsm >out 2>err
result $? 'threads that are started begin at once without a seed'
"$vsm" run --seeds 1..20 --json threads.vsm >json 2>err
[ $? = 1 ] && reads_json json && [ "$(grep -c '^pass .* [0-9]* 20/20$' out)" = 2 ] &&
	grep -q '^fail .* stores 3 ' out
result $? 'run --seeds finds a load that does not wait for a store'
seed=$(sed -n 's/^fail .* stores 3 \([0-9]*\)\/.*/\1/p' out)
for name in stores stores stores; do
	"$vsm" run --seed "$seed" "threads.vsm:$name"
done >out 2>err
[ "$(grep -c "^  # seed $seed (--seed $seed repeats it)$" out)" = 3 ] &&
	[ "$(grep -c 'expected 0.2 %r1 == 7 (0x7), seen 0 (0x0)$' out)" = 3 ]
result $? 'run --seed repeats the failure'

# One copy takes so long that a slow kernel can wake the thread before the other copy has ended.
cat >copies.vsm <<'END'
cluster threads=1 smem=32768
buffer gbl 16384
fill gbl 0 16384 7
0.0: mbarrier.init.shared.b64 [0x0], 1;
0.0: mbarrier.init.shared.b64 [0x8], 1;
0.0: mbarrier.arrive.expect_tx.shared.b64 _, [0x0], 8192;
0.0: mbarrier.arrive.expect_tx.shared.b64 _, [0x8], 8192;
hold
0.0: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [0x400], [gbl], 8192, [0x0];
0.0: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [0x2400], [gbl+8192], 8192, [0x8];
release
test both
0.0: mbarrier.try_wait.parity.shared.b64 %p1, [0x0], 0, 4000000000;
0.0: mbarrier.try_wait.parity.shared.b64 %p1, [0x8], 0, 4000000000;
0.0: ld.shared.u8 %r1, [0x400];
expect 0.0 %r1 == 7
test second
0.0: mbarrier.try_wait.parity.shared.b64 %p1, [0x8], 0, 4000000000;
0.0: ld.shared.u8 %r1, [0x400];
expect 0.0 %r1 == 7
END
"$vsm" run copies.vsm >out 2>err && [ ! -s err ]
result $? 'copies complete in the order of their issue without a seed'
"$vsm" run --seeds 1..20 --json copies.vsm >json 2>err
[ $? = 1 ] && [ ! -s err ] && reads_json json && grep -q '^pass .* both 12 20/20$' out &&
	grep -q '^fail .* second 17 ' out
result $? 'run --seeds finds a wait for the wrong copy'
seeds=$(for seed in 1 2 3 4 5 6 7 8; do
	"$vsm" run --seed $seed copies.vsm:second >out 2>err && echo $seed
done)
[ "$seeds" ] && [ "$seeds" != "$(seq 8)" ]
result $? 'seeds choose different orders of copies'
grep -qx 0 /sys/kernel/debug/dri/*/vsm_copy/shuffle_seed &&
	grep -qx 0 /sys/kernel/debug/dri/*/vsm_copy/bandwidth
result $? 'run --seed restores the model of the device'

# A user who is not root cannot shuffle copies. The seed still chooses when they complete.
cat >forgets.vsm <<'END'
cluster threads=1
buffer gbl 64
fill gbl 0 64 7
0.0: mbarrier.init.shared.b64 [0x40], 1;
0.0: mbarrier.arrive.expect_tx.shared.b64 _, [0x40], 64;
0.0: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [0x100], [gbl], 64, [0x40];
test forgets
0.0: ld.shared.u8 %r1, [0x100];
expect 0.0 %r1 == 7
test waits
0.0: mbarrier.try_wait.parity.shared.b64 %p1, [0x40], 0, 4000000000;
0.0: ld.shared.u8 %r1, [0x100];
expect 0.0 %r1 == 7
test faults
0.0: mbarrier.init.shared.b64 [0x48], 1;
0.0: mbarrier.arrive.expect_tx.shared.b64 _, [0x48], 16;
0.0: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [0x200], [gbl], 32, [0x48];
expect fault TX_OVERDELIVERY
END
chmod a+rx .
if [ -n "$VSM_VM" ]; then
	chmod a+rw /dev/dri/renderD*
	user='setpriv --reuid 65534 --regid 65534 --clear-groups'
	$user "$vsm" run --seeds 1..20 forgets.vsm >out 2>err
	[ $? = 1 ] && grep -q '^  not ok 1 forgets$' out && grep -q '^  ok 2 waits$' out &&
		grep -q '^  ok 3 faults$' out && [ "$(grep -c 'only root can shuffle' err)" = 1 ]
	result $? 'run --seeds finds a copy that nobody waits for, without root'
fi
for file in pipeline cluster named-barrier cp-async job; do
	"$vsm" run --seeds 1..2 "$here/../scenarios/$file.vsm" >out 2>err && [ ! -s err ]
	result $? "$file.vsm passes with seeds"
done

# --- several tests at the same time, and parts ---------------------------------

# Usage: without_times FILE. Prints the file without durations.
without_times() {
	sed -E 's/"duration_ns": [0-9]+/"duration_ns": 0/; s/ time="[0-9.]*"//' "$1"
}

mkdir -p all/deep
cp many.vsm one.vsm all
sed 's/^cluster.*/&\nmodel latency=1000/' one.vsm >all/deep/time.vsm
for jobs in 1 5; do
	"$vsm" run --jobs $jobs --json=json.$jobs --junit=junit.$jobs --timeline time.$jobs.txt \
		all "$here"/../scenarios/*.vsm >ktap.$jobs 2>err
	[ $? = 1 ] && [ ! -s err ]
	result $? "run --jobs $jobs fails if a test fails"
	without_times json.$jobs >same.json.$jobs
	without_times junit.$jobs >same.junit.$jobs
done
for kind in ktap same.json same.junit; do
	diff $kind.1 $kind.5 >out 2>err
	result $? "run --jobs writes the same ${kind#same.} as without it"
done
grep -q '^title "all/deep/time.vsm and [0-9]* more"' time.5.txt &&
	[ "$(grep -c ' insn ' time.1.txt)" -gt 100 ] &&
	[ "$(grep -c ' op=mbarrier_init ' time.1.txt)" = "$(grep -c ' op=mbarrier_init ' time.5.txt)" ]
result $? 'run --jobs records the events of all tests'

# The first test waits for a minute, if nothing ends it: longer than a slow kernel needs to find it.
{
	echo 'cluster threads=1'
	echo '0.0: mbarrier.init.shared.b64 [0x40], 1;'
	echo 'test waits'
	for _ in $(seq 15); do
		echo '0.0: mbarrier.try_wait.parity.shared.b64 %p1, [0x40], 0, 4000000000;'
	done
	echo 'expect 0.0 %p1 == 1'
	echo 'test after'
	echo '0.0: mov.u32 %r1, 7;'
	echo 'expect 0.0 %r1 == 7'
} >waits.vsm
for jobs in 1 3; do
	"$vsm" run -j $jobs waits.vsm >killed.$jobs 2>err &
	pid=$!
	# The oldest child of the process is the test that waits.
	until first=$(children_of $pid | head -n 1) && [ "$first" ]; do
		kill -0 $pid || break
	done
	[ -z "$first" ] || kill -SEGV "$first"
	wait $pid
	[ $? = 1 ] && grep -q 'waits.vsm: ended by signal 11$' killed.$jobs &&
		grep -q '^  ok 2 after$' killed.$jobs
	result $? "run -j $jobs says which signal has ended a test"
done
cmp killed.1 killed.3 >out 2>err
result $? 'run -j 3 says the same about a test that was killed'

for part in 1 2 3; do
	"$vsm" run -j 2 --shard $part/3 --seeds 1..20 --json=part.$part threads.vsm copies.vsm \
		>out 2>err
done
"$vsm" run --seeds 1..20 --json=json threads.vsm copies.vsm >out 2>err
# Usage: verdicts FILE. Prints the results in a JSON file without seeds.
verdicts() {
	reads_json "$1" && sed -E 's, [^ ]*/[^ ]*$,,; /^ /d' out | sort
}
"$vsm" results merge --json=merged part.3 part.1 part.2 >ktap 2>err
[ $? = 1 ] && [ ! -s err ] && [ "$(grep -c '^not ok' ktap)" = 2 ] && verdicts json >expected &&
	verdicts merged >seen && cmp -s expected seen && grep -q '^pass .* both 12 20/20$' out &&
	[ "$(grep -c '^fail' out)" = 2 ]
result $? 'the parts of seeds have the same results as all seeds'
"$vsm" run --shard 2/3 --seeds 1..20 --json=fewer.2 threads.vsm >out 2>err
"$vsm" run --shard 2/3 --seeds 1..21 --json=longer.2 threads.vsm copies.vsm >out 2>err
for other in fewer longer; do
	"$vsm" results merge part.1 $other.2 part.3 >out 2>err
	[ $? = 1 ] && [ ! -s err ] && grep -q '^not ok [0-9]* part 1 of 3$' out &&
		[ "$(grep -c '^# part 2 of 3: .*; part.1 has a part of the same ' out)" = 1 ]
	result $? "parts of other tests or seeds do not fit together: $other"
done
"$vsm" run --shard 2/4 --seeds 3..3 one.vsm >out 2>err && grep -q '^1..0 # SKIP' out
result $? 'a part may have no seed'

finish

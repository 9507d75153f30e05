#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests --timeline of `vsm launch` and `vsm run`, on a machine that has the device:
# tools/vm/run -- selftests/timeline/run.sh
#
# The script prints KTAP. VSM is the path of vsm; the default is that of the build.

here=$(realpath "$(dirname "$0")") || exit 1
vsm=$(realpath "${VSM:-$here/../../build/tools/vsm}") || exit 1
kernels=$here/../../build/kernels
# shellcheck source=../ktap.sh
. "$here/../ktap.sh"

# Usage: launch STATUS ARGUMENT... Runs `vsm launch`, and tests its exit status.
launch() {
	expected=$1
	shift
	"$vsm" launch --time-limit 5m "$@" >out 2>err
	[ $? = "$expected" ]
}

# Usage: events FILE. Prints the events, without what differs from run to run.
events() {
	sed -nE '/^[0-9]/ {
		s/^[0-9]+ //
		s/ (id|cause|serial|cluster|client|value)=[0-9]+//g
		p
	}' "$1"
}

launch 0 --timeline ring.txt "$kernels/ring.launch" && ! grep '^lost' ring.txt &&
	[ "$(grep -c '^[0-9]' ring.txt)" -gt 20000 ]
result $? 'more events than the device keeps for a cluster are all there'

# The launches have several kernels, and a number means another instruction in each of them.
awk '/^site / { line[$2] = $3 $4; insn[$2] = $NF; next }
	$2 ~ /^(insn|suspend|wait_arm)$/ && match($0, / op=mbarrier_[a-z]+/) {
		op = substr($0, RSTART + 4, RLENGTH - 4)
		gsub("_", ".", op)
		if (!match($0, / site=[0-9]+/))
			wrong = bad[$0] = 1
		site = substr($0, RSTART + 6, RLENGTH - 6)
		text = insn[site]
		sub("^\"mbarrier.test", "\"mbarrier.try", text)
		if (index(text, "\"" op) != 1 || line[site] !~ /^"ring.cu:[0-9]+,ring.ptx:[0-9]+"$/)
			wrong = bad[$0 ": " line[site] ": " insn[site]] = 1
		checked++
	}
	END {
		for (event in bad)
			print event
		exit wrong || checked < 500
	}' ring.txt >out
result $? 'the instructions of events are those of their sites'

grep -q '^name "full" offset=0x0 size=[0-9]* stride=8 cluster=' ring.txt &&
	"$vsm" trace show ring.txt 2>err | grep -q 'try_wait full\[1\].*ring\.cu:'
result $? 'shared memory has the names of the source'

for i in 1 2; do
	launch 0 --seed 7 --timeline $i.txt "$kernels/bugs/tail_not_drained.launch"
	launched=$?
	events $i.txt >$i.events
done
[ "$launched" = 0 ] && [ -s 1.events ] && diff 1.events 2.events >out
result $? 'runs with the same seed have the same events'

launch 0 --seed 7 --timeline hang.svg "$kernels/bugs/tail_not_drained.launch" &&
	grep -q '^note "DEADLOCK at .*tail_not_drained.cu:[0-9]*,' 1.txt &&
	xmllint --noout hang.svg 2>err && grep -q 'Wrong: try_wait empty\[1\]: DEADLOCK' hang.svg
result $? 'a hang is marked, and the report is in the file'

launch 0 --timeline a.html --seed 1 "$kernels/pipeline.launch" && grep -q 'full\[1\]' a.html &&
	launch 0 --timeline a.pftrace --seed 1 "$kernels/pipeline.launch" &&
	grep -aq 'full\[1\]' a.pftrace &&
	launch 0 --timeline a.trace --seed 1 "$kernels/pipeline.launch" &&
	"$vsm" trace show a.trace 2>err | grep -q 'full\[1\]'
result $? 'the ending of the name says the format'

launch 0 --seeds 1..3 --timeline seeds.txt "$kernels/reuse.launch" &&
	launch 0 --seed 3 --timeline seed.txt "$kernels/reuse.launch" &&
	[ "$(grep -c '^cluster' seeds.txt)" = "$(grep -c '^cluster' seed.txt)" ]
result $? 'of several seeds, the file has the last one'

printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry none() { ret; }' \
	>none.ptx
launch 0 --timeline none.txt none.ptx && [ "$(grep -c '^[0-9]' none.txt)" = 0 ] &&
	grep -q 'none.txt has no events' err
result $? 'a kernel that executes nothing on the device has no events'

launch 1 --timeline missing/a.txt "$kernels/reuse.launch" &&
	grep -q '^vsm: missing/a.txt: No such file' err
result $? 'a file that cannot be written is an error'

# --- vsm run ------------------------------------------------------------------------

cat >two.vsm <<'END'
cluster ctas=2 threads=32 smem=1024
symbol full 0x10
symbol data 0x20
test good
0.0: mbarrier.init.shared::cta.b64 [0x10], 1;
0.0: mbarrier.arrive.shared::cta.b64 %rd1, [0x10];
expect word 0 0x10 == 0xfffff800001ffffe
test bad
0.0: mbarrier.init.shared::cta.b64 [0x10], 2;
0.0: mbarrier.arrive.shared::cta.b64 %rd1, [0x10];
expect word 0 0x10 == 0
END
"$vsm" run --timeline run.txt two.vsm >out 2>err
[ $? = 1 ] && [ "$(grep -c '^cluster [0-9]* ctas=2 threads=32' run.txt)" = 2 ] &&
	grep -q '^name "full" offset=0x10 size=16 cluster=' run.txt &&
	grep -q '^name "data" offset=0x20 size=992 cluster=' run.txt &&
	grep -q '^note "two.vsm:11: ' run.txt
result $? 'the timeline of tests has their clusters, names and failures'

awk '/^site / { text[$2] = $3 }
	match($0, / site=[0-9]+/) { print text[substr($0, RSTART + 6, RLENGTH - 6)], $2 }' \
	run.txt >sites
diff sites - >out <<'END'
"two.vsm:5" insn
"two.vsm:6" insn
"two.vsm:6" phase
"two.vsm:9" insn
"two.vsm:10" insn
END
result $? 'events of tests have the lines of the file'

"$vsm" run --seeds 1..4 --timeline seeds.txt two.vsm:good >out 2>err &&
	[ "$(grep -c '^cluster' seeds.txt)" = 1 ]
result $? 'of several seeds of a test, the file has the last one'

finish

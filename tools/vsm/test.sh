#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the vsm command without a device. Prints TAP.
#
#	test.sh VSM SANITIZED
#
# SANITIZED is the same program with sanitizers. It parses the scenarios here.

vsm=$1
sanitized=$2
here=$(dirname "$0")
scenarios=$here/../../selftests/scenarios
# shellcheck source=../tests/tap.sh
. "$here/../tests/tap.sh"

# Usage: says WHAT ARGUMENT... <<EXPECTED. Tests that vsm succeeds, prints EXPECTED on standard
# output, and prints nothing on standard error.
says() {
	what=$1
	shift
	"$vsm" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	cat >"$dir/expected"
	cmp -s "$dir/out" "$dir/expected" && [ $status = 0 ] && [ ! -s "$dir/err" ]
	result $? "$what"
}

# Usage: refuses WHAT STATUS PATTERN ARGUMENT... Tests that vsm exits with STATUS, prints a message
# with PATTERN on standard error, and prints nothing on standard output.
refuses() {
	what=$1
	expected=$2
	pattern=$3
	shift 3
	"$vsm" "$@" >"$dir/out" 2>"$dir/err"
	[ $? = "$expected" ] && [ ! -s "$dir/out" ] && grep -q -e "^vsm: .*$pattern" "$dir/err"
	result $? "$what"
}

# Usage: has_errors WHAT STATUS FILE ARGUMENT... Tests that vsm ARGUMENT... FILE ends with STATUS,
# and finds exactly the expected errors in FILE. Each line with an error ends with the expected
# message, as "#! COLUMN: MESSAGE".
has_errors() {
	what=$1
	expected=$2
	file=$3
	shift 3
	"$sanitized" "$@" "$file" >"$dir/out" 2>"$dir/err"
	status=$?
	awk -v path="$file" 'match($0, / #! /) {
			print path ":" FNR ":" substr($0, RSTART + 4)
			if (++count == 20)
				print path ": too many errors"
		}' "$file" >"$dir/expected"
	[ $status = "$expected" ] && [ ! -s "$dir/out" ] && cmp -s "$dir/err" "$dir/expected"
	result $? "$what"
}

# Usage: wrong WHAT FILE. Tests that vsm finds exactly the expected errors in the scenario FILE.
wrong() {
	has_errors "$1" 1 "$2" run --check
}

# Usage: messages FILE. Prints FILE:LINE: MESSAGE for each line of FILE that ends with "#! MESSAGE".
messages() {
	awk -v path="$1" 'match($0, / #! /) { print path ":" FNR ": " substr($0, RSTART + 4) }' "$1"
}

# Usage: refuses_file WHAT PATTERN FILE [STATUS]. Tests that vsm finds one error in FILE, which has
# PATTERN, and exits with STATUS, or with 1.
refuses_file() {
	"$sanitized" run --check "$3" >"$dir/out" 2>"$dir/err"
	[ $? = "${4:-1}" ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
		grep -q "$2" "$dir/err"
	result $? "$1"
}

# Usage: wrong_cluster COLUMN MESSAGE KEYS... Tests the error in the statement "cluster KEYS".
wrong_cluster() {
	column=$1
	message=$2
	shift 2
	printf 'cluster %s #! %s: %s\n9.9: mov.u32 %%r1, 1\nexpect 9.9 %%r1 == 1\n' \
		"$*" "$column" "$message" >"$dir/cluster.vsm"
	wrong "run finds what is wrong with 'cluster $*'" "$dir/cluster.vsm"
}

says 'decode takes init(32) apart' decode 0x7fff0000001fffc0 <<-END
	0x7fff0000001fffc0 sm_90
	  phase     0 (wait on parity 0: False, on parity 1: True)
	  pending   32
	  expected  32
	  tx-count  0
	  poison    0
	  reserved  0
	  as token  phase 0, pending_count 32
END
says 'decode takes init(3), expect_tx(64) apart' decode 0x7fffebfff81ffffa <<-END
	0x7fffebfff81ffffa sm_90
	  phase     0 (wait on parity 0: False, on parity 1: True)
	  pending   3
	  expected  3
	  tx-count  64
	  poison    0
	  reserved  0
	  as token  phase 0, pending_count 3
END
says 'decode takes init(2), arrive, arrive apart' decode 0xfffff000001ffffc <<-END
	0xfffff000001ffffc sm_90
	  phase     1 (wait on parity 0: True, on parity 1: False)
	  pending   2
	  expected  2
	  tx-count  0
	  poison    0
	  reserved  0
	  as token  phase 1, pending_count 2
END
says 'decode shows poison, reserved bits and a negative tx-count' \
	decode 0x7fff0400021fffc1 <<-END
	0x7fff0400021fffc1 sm_90
	  phase     0 (wait on parity 0: False, on parity 1: True)
	  pending   32
	  expected  32
	  tx-count  -16
	  poison    1 (the next operation traps)
	  reserved  not 0 (no operation sets these bits)
	  as token  phase 0, pending_count 32
END
says 'decode knows layout sm_80' decode --layout sm_80 0x7fffffe03fffffe0 <<-END
	0x7fffffe03fffffe0 sm_80
	  phase     0 (wait on parity 0: False, on parity 1: True)
	  pending   32
	  expected  32
	  reserved  0
	  as token  phase 0, not of a .noComplete
END
says 'decode knows a .noComplete token of layout sm_80' \
	decode --layout=sm_80 0xfffffffdfffffffd <<-END
	0xfffffffdfffffffd sm_80
	  phase     1 (wait on parity 0: True, on parity 1: False)
	  pending   3
	  expected  3
	  reserved  not 0 (no operation sets these bits)
	  as token  phase 1, pending_count 3
END
says 'decode takes decimal words, and several' decode 9223090561880162240 0X0 <<-END
	0x7fff0000001fffc0 sm_90
	  phase     0 (wait on parity 0: False, on parity 1: True)
	  pending   32
	  expected  32
	  tx-count  0
	  poison    0
	  reserved  0
	  as token  phase 0, pending_count 32

	0x0000000000000000 sm_90
	  phase     0 (wait on parity 0: False, on parity 1: True)
	  pending   0
	  expected  0
	  tx-count  0
	  poison    0
	  reserved  0
	  as token  phase 0, pending_count 1048576
END

refuses 'decode refuses no word' 2 'no WORD' decode
refuses 'decode refuses an empty word' 2 'not a word' decode ''
refuses 'decode refuses hexadecimal without 0x' 2 'not a word' decode 7fff0000001fffc0
refuses 'decode refuses 0x alone' 2 'not a word' decode 0x
refuses 'decode refuses 0x twice' 2 'not a word' decode 0x0x1
refuses 'decode refuses trailing characters' 2 'not a word' decode 12,
refuses 'decode refuses a space' 2 'not a word' decode ' 1'
refuses 'decode refuses a sign' 2 'not a word' decode +1
refuses 'decode refuses a negative word' 2 "no option '-1'" decode -1
refuses 'decode refuses 65 bits' 2 'more than 64 bits' decode 0x10000000000000000
refuses 'decode refuses a bad word before it prints a good one' 2 'not a word' decode 1 x
refuses 'decode refuses an unknown layout' 2 "--layout is sm_90 or sm_80, not 'sm_70'" decode --layout sm_70 1
refuses 'decode refuses --layout alone' 2 'needs a value: sm_90 or sm_80' decode --layout
refuses 'decode refuses an unknown option' 2 "no option '--token'" decode --token 1
refuses 'info refuses an operand' 2 "no operand 'x'" info x
refuses 'an unknown command is refused' 2 "no command 'play'" play
refuses 'no command is refused' 2 'no command'
# This test needs a machine without a device.
ls /sys/bus/platform/drivers/vsm/vsm* >/dev/null 2>&1 ||
	refuses 'info fails where there is no device' 1 'no vsm device' info

says 'ops prints an operation in all languages, and where it may run' ops A0TX <<-END
	mbarrier.complete_tx [addr], txCount
	  NVVM     -
	  machine  SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [a], Rs
	  libvsm   vsm_prep_mbarrier_complete_tx
	  runs in  EXEC, SUBMIT
	  layouts  sm_90
	  orders   .relaxed
	  refused  layout sm_80: EOPNOTSUPP; another order: BAD_ORDER
END
says 'ops knows what is not for jobs, and what stays in its window' ops mbarrier.test.wait.shared <<-END
	mbarrier.test_wait waitComplete, [addr], state
	  NVVM     nvvm.mbarrier.test.wait, nvvm.mbarrier.test.wait.shared
	  machine  SYNCS.PHASECHK.TRANS64 Pd, [a], Rs
	  libvsm   vsm_prep_mbarrier_test_wait
	  runs in  EXEC
	  layouts  sm_80, sm_90
	  orders   .relaxed, .acquire
	  refused  SUBMIT: EINVAL; another CTA's window: REMOTE_FORBIDDEN; another order: BAD_ORDER
END
says 'ops finds the name of a function, in any case' ops PREP_EXIT <<-END
	exit
	  NVVM     nvvm.exit
	  machine  EXIT
	  libvsm   vsm_prep_exit
	  runs in  EXEC
	  layouts  sm_80, sm_90
	  orders   -
	  refused  SUBMIT: EINVAL
END
says 'ops breaks a name that is longer than a line' ops im2col_multicast <<-END
	cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
	    .multicast::cluster [dstMem], [tensorMap, {c0, c1, c2}], [mbar], {o0}, ctaMask
	  NVVM     -
	  machine  UTMALDG
	  libvsm   vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast
	  runs in  EXEC, SUBMIT
	  layouts  sm_90
	  orders   -
	  refused  layout sm_80: EOPNOTSUPP
END
"$vsm" ops >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] && ! grep -q '.\{101\}' "$dir/out" &&
	[ "$(grep -c '^  libvsm ' "$dir/out")" = "$(grep -c '^[a-z]' "$dir/out")" ]
result $? 'ops prints all operations in at most 100 columns'
refuses 'ops refuses a name that nothing has' 1 "no operation has 'mbarrier.fly'" ops mbarrier.fly
refuses 'ps refuses an option that it does not have' 2 "no option '--fast'" ps --fast
refuses 'ps refuses what is not a number' 2 "'x' is not the number of a cluster" ps x
refuses 'ps refuses the cluster 0' 2 "'0' is not the number of a cluster" ps 0
refuses 'ps refuses two clusters' 2 "takes \[CLUSTER\], not also '2'" ps 1 2
refuses 'ps refuses an interval that is too short' 2 "'0' is not a number of seconds" ps -w -d 0
refuses 'ps refuses an interval that is no number' 2 "'x' is not a number of seconds" ps -w -d x
refuses 'ps refuses no iterations' 2 "'0' is not how often" ps -w -n 0
refuses 'ps refuses a number of iterations that has more' 2 "'3x' is not how often" ps -w -n 3x
refuses 'ps refuses an interval without --watch' 2 'need --watch' ps -d 1
refuses 'ops refuses two names' 2 "not also 'b'" ops a b
refuses 'ops refuses an option' 2 "no option '--json'" ops --json

# Scenario files: without errors, with known errors, and with random mistakes.
"$sanitized" run --check "$scenarios"/*.vsm "$scenarios"/no-limit/*.vsm \
	>"$dir/out" 2>"$dir/err" && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
result $? 'run --check takes all scenarios of the selftests'
mkdir "$dir/errors"
# The first line of each file is the line ===, as a comment.
LC_ALL=C awk -v dir="$dir/errors" '/^# === / { file = dir "/" $3 } file { print >file }' \
	"$here/errors.txt"
for file in "$dir"/errors/*.vsm; do
	wrong "run finds what is wrong in $(basename "$file")" "$file"
done
# vsm reports at most 20 errors of a file, so split the list.
grep -v '^#' "$here/lacking.txt" | split -l 20 - "$dir/lacking."
for file in "$dir"/lacking.??; do
	{
		printf 'cluster threads=1\nbuffer gbl 64\n'
		while read -r name rest; do
			case $rest in
			.* | '') insn=$name$rest ;;
			*) insn="$name $rest" ;;
			esac
			echo "0.0: $insn #! 6: vsm does not have $name"
		done <"$file"
	} >"$file.vsm"
	wrong "run says what vsm does not have, from $(head -n 1 "$file" | cut -d ' ' -f 1) on" "$file.vsm"
done
grep -o '"[^"]*",' "$here/../../userlib/syntax/lacking.c" | tr -d '",' | sort >"$dir/out"
grep -v '^#' "$here/lacking.txt" | cut -d ' ' -f 1 | sort >"$dir/err"
cmp -s "$dir/out" "$dir/err"
result $? 'lacking.txt has an instruction for each name that vsm does not have'
wrong_cluster 14 'ctas cannot be 0' ctas=0
wrong_cluster 14 "'65536' is too large for ctas, which is at most 65535" ctas=65536
wrong_cluster 17 'threads cannot be 0' threads=0
wrong_cluster 14 'smem must be a multiple of 16' smem=24
wrong_cluster 16 "expected sm_90 or sm_80, found 'sm_70'; did you mean sm_90?" layout=sm_70
wrong_cluster 16 "expected strict or hardware, found 'lax'" policy=lax
wrong_cluster 16 'ctas is given twice' ctas=2 ctas=2
wrong_cluster 14 "expected '=', found '2'" ctas 2
wrong_cluster 9 \
	"expected ctas, threads, smem, layout, policy, report or enforce, found 'polcy'; did you mean policy?" \
	polcy=strict
wrong_cluster 17 "expected a rule, found 'LATE'" enforce=LATE
wrong_cluster 29 "expected a rule, found 'SHUFFLE_SOURCE'; did you mean SHFL_SOURCE?" \
	enforce=SHFL_SOURCE,SHUFFLE_SOURCE
wrong_cluster 16 "expected a rule, found 'STALE_TOKE'; did you mean STALE_TOKEN?" report=STALE_TOKE
wrong_cluster 16 'expected a rule, found the end of the line' report=

file=$here/checks/wrong.vsm
"$sanitized" run --check "$file" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ ! -s "$dir/out" ] && messages "$file" | sort >"$dir/expected" &&
	sort "$dir/err" | cmp -s - "$dir/expected"
result $? 'run --check finds what compilers verify'
printf 'cluster %s\n0.0: mbarrier.init.shared.b64 [0x40], 1\n' policy=hardware >"$dir/lax.vsm"
echo '0.0: mbarrier.arrive.shared.b64 _, [0x40], 2' >>"$dir/lax.vsm"
sed 's/policy=hardware/report=ARRIVAL_OVERFLOW/' "$dir/lax.vsm" >"$dir/report.vsm"
sed 's/policy=hardware//' "$dir/lax.vsm" >"$dir/strict.vsm"
"$sanitized" run --check "$dir/lax.vsm" "$dir/report.vsm" >"$dir/out" 2>"$dir/err" &&
	[ ! -s "$dir/err" ] && ! "$sanitized" run --check "$dir/strict.vsm" >"$dir/out" 2>"$dir/err"
result $? 'run --check accepts wrong programs where they are to be seen'
file=$here/checks/kinds.vsm
"$sanitized" run --check --objects "$file" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
	messages "$file" | cmp -s - "$dir/out"
result $? 'run --check --objects says the kind of each mbarrier'
refuses 'run refuses --objects without --check' 2 'needs --check' run --objects "$file"

printf '# nothing\n\n' >"$dir/empty.vsm"
refuses_file 'run refuses a file without statements' 'empty.vsm:3:1: the file has no statements' \
	"$dir/empty.vsm"
printf 'cluster\n0.0: mov.u32 %%r1, 1\ntest good\nexpect 0.0 %%r1 == 1\ntest bad\nexpect\n' \
	>"$dir/tests.vsm"
"$sanitized" run --check "$dir/tests.vsm:good" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ]
result $? 'run takes one test of a file, whatever errors the others have'
refuses_file 'run refuses a test of a file' 'tests.vsm:6:7: ' "$dir/tests.vsm:bad"
refuses_file 'run refuses a test that the file does not have' \
	"tests.vsm: there is no test 'better'" "$dir/tests.vsm:better" 2
refuses_file 'run refuses a test of a file that names none' "empty.vsm: there is no test 'good'" \
	"$dir/empty.vsm:good" 2
printf 'cluster x\ntest a\n0.0: mov.u32 %%r1, 1\ntest b\n0.0: mov.u32 %%r1, 1\n' \
	>"$dir/common.vsm"
refuses_file 'run reports errors of the common lines once' 'common.vsm:1:9: expected' \
	"$dir/common.vsm"
refuses_file 'run refuses a file that is not there' "none.vsm: No such file or directory" \
	"$dir/none.vsm" 2
refuses_file 'run refuses a file without an end' 'File too large' /dev/zero 2
"$sanitized" run "$dir/gone.vsm" "$dir/empty.vsm" "$dir/none.vsm" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(cat "$dir/err")" = \
	"$(printf '%s: No such file or directory\n' "$dir/gone.vsm" "$dir/none.vsm")" ]
result $? 'run runs nothing if a file cannot be read'
printf 'cluster\r\n0.0:mov.u32\t%%r1,1;\r\nexpect 0.0 %%r1==1' >"$dir/spaces.vsm"
"$sanitized" run --check "$dir/spaces.vsm" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ]
result $? 'run needs no spaces, and minds no carriage returns and no missing newline'

python3 "$here/mutate.py" 1500 "$dir/mutants" "$scenarios"/*.vsm "$scenarios"/*/*.vsm \
	"$dir"/errors/*.vsm "$here"/checks/*.vsm
"$sanitized" run --check "$dir/mutants"/*.vsm >"$dir/out" 2>"$dir/mutants.err"
status=$?
grep -v "^$dir/mutants/[0-9]*.vsm: *" "$dir/mutants.err" | head -n 50 >"$dir/err"
[ $status = 1 ] && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
result $? 'run reports errors and ends, whatever the file contains'

refuses 'run refuses no file' 2 'no FILE' run
refuses 'run refuses an unknown option' 2 "no option '--fast'" run --fast x
refuses 'run refuses a bad option before it reads files' 2 "no option '-x'" run /none -x
ls /sys/bus/platform/drivers/vsm/vsm* >/dev/null 2>&1 ||
	refuses 'run fails where there is no device, and names --vm' 1 'no vsm device.*--vm' \
		run "$scenarios/pipeline.vsm"

# A program in place of tools/vm/run.
cat >"$dir/runner" <<-'END'
	#!/bin/sh
	echo "$@" | sed 's/--out [^ ]* //'
	exit "${STATUS:-0}"
END
chmod +x "$dir/runner"
unset VSM_VM
export VSM_VM_RUN="$dir/runner"
vm_says() {
	what=$1
	expected=$2
	shift 2
	"$vsm" "$@" >"$dir/out" 2>"$dir/err"
	[ $? = "${STATUS_SEEN:-0}" ] && grep -qx -e "$expected" "$dir/out" && [ ! -s "$dir/err" ]
	result $? "$what"
}
cp "$scenarios/pipeline.vsm" "$dir/a.vsm"
vm_says 'run --vm calls the runner with the same command' \
	'--timeout 0 -- .*/vsm run --vm --no-limit .*/a.vsm' run --vm --no-limit "$dir/a.vsm"
"$vsm" run --vm "$dir/a.vsm" b.vsm >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && [ ! -s "$dir/out" ] && grep -qx 'b.vsm: No such file or directory' "$dir/err"
result $? 'run --vm boots for no file that is missing'
refuses 'run --vm boots for no result that cannot be written' 2 'run: none/a: No such file' \
	run --vm --json=none/a "$dir/a.vsm"
refuses 'run --vm boots for no result that is a folder' 2 'run: \.: Is a directory' \
	run --vm --junit=. "$dir/a.vsm"
refuses 'trace record --vm boots for no command that is missing' 127 'a.vsm.exe: No such file' \
	trace record --vm -- a.vsm.exe
refuses 'trace record --vm boots for no program that is missing' 127 './b.vsm: No such file' \
	trace record --vm -- ./b.vsm
vm_says 'run --vm leaves standard input to the virtual machine' '.*/vsm run --vm -' run --vm - <<-'END'
	not a scenario
END
vm_says 'run --vm=KERNEL passes the name of the kernel' \
	'--kernel 6.12 --timeout 0 -- .*/vsm run .*/a.vsm --vm=6.12' run "$dir/a.vsm" --vm=6.12
export STATUS=1
STATUS_SEEN=1 vm_says 'run --vm ends with the status of the command' '.*/vsm run --vm .*/a.vsm' \
	run --vm "$dir/a.vsm"
STATUS=7 STATUS_SEEN=7 vm_says 'trace record --vm ends with the status of its command' \
	'--timeout 0 -- .*/vsm trace record --vm -o a.txt -- ls -o' \
	trace record --vm -o a.txt -- ls -o
STATUS=125 STATUS_SEEN=1 vm_says 'run --vm ends with 1 if the virtual machine fails' \
	'.*/vsm run --vm .*/a.vsm' run --vm "$dir/a.vsm"
unset STATUS

# A program in the virtual machine can write to the folder for files that come back.
cat >"$dir/hostile" <<-'END'
	#!/bin/sh
	trace=file-18446744073709551599
	echo trace >"$VSM_VM_OUTPUT/$trace.txt"
	printf %s "${0%/*}/other.txt" >"$VSM_VM_OUTPUT/path-7"
	echo other >"$VSM_VM_OUTPUT/file-7.txt"
	[ ! "$LINK" ] || ln -sf "$LINK" "$VSM_VM_OUTPUT/$trace.txt"
END
chmod +x "$dir/hostile"
VSM_VM_RUN=$dir/hostile "$vsm" trace record --vm -o "$dir/a.txt" -- true &&
	[ "$(cat "$dir/a.txt")" = trace ] && [ ! -e "$dir/other.txt" ] && rm "$dir/a.txt" &&
	LINK=$dir/runner VSM_VM_RUN=$dir/hostile "$vsm" trace record --vm -o "$dir/a.txt" -- true &&
	[ ! -e "$dir/a.txt" ]
result $? 'trace record --vm takes only its trace from the virtual machine'
VSM_VM=1 refuses 'run --vm starts no virtual machine in a virtual machine' 1 \
	'no vsm device' run --vm "$scenarios/pipeline.vsm"
VSM_VM_RUN=/none refuses 'run --vm says which runner is missing' 1 '/none: No such file' \
	run --vm "$dir/a.vsm"
cp "$vsm" "$dir/moved"
unset VSM_VM_RUN
vsm_here=$vsm
vsm=$dir/moved
path=$PATH
mkdir "$dir/path"
ln -s "$(command -v grep)" "$dir/path/grep"
PATH=$dir/path refuses 'run --vm says which program it needs' 1 'needs vsm-vm.*VSM_VM_RUN=PATH names it' \
	run --vm "$dir/a.vsm"
printf '#!/bin/sh\necho "in PATH: $*"\n' >"$dir/path/vsm-vm"
chmod +x "$dir/path/vsm-vm"
PATH=$dir/path:$path
vm_says 'run --vm finds vsm-vm in PATH' 'in PATH: .* -- .*/moved run --vm .*/a.vsm' run --vm "$dir/a.vsm"
cp "$dir/runner" "$dir/vsm-vm"
vm_says 'run --vm finds vsm-vm beside it, before that in PATH' '--timeout 0 -- .*/moved run --vm .*/a.vsm' \
	run --vm "$dir/a.vsm"
PATH=$path
vsm=$vsm_here

# Launch files and --arg: with known errors, and with random mistakes.
kernels=$here/../../build/kernels
vecadd=$kernels/vecadd.ptx
for file in "$dir"/errors/*.launch; do
	has_errors "launch finds what is wrong in $(basename "$file")" 2 "$file" launch
done
says 'launch --list prints the kernels of a module' launch --list "$vecadd" <<-END
	vecadd
	  arg 1    u64     8 bytes, vecadd_param_0
	  arg 2    u64     8 bytes, vecadd_param_1
	  arg 3    u64     8 bytes, vecadd_param_2
	  arg 4    u32     4 bytes, vecadd_param_3
	check
	  arg 1    u64     8 bytes, check_param_0
	  arg 2    u64     8 bytes, check_param_1
	  arg 3    u64     8 bytes, check_param_2
	  arg 4    u32     4 bytes, check_param_3
	  arg 5    u32     4 bytes, check_param_4
END
cat >"$dir/mixed.ptx" <<-END
	.version 8.6
	.target sm_90a
	.address_size 64
	.entry bad(.param .u64 a) .reqntid 32
	{
		.reg .b32 %r<9>;
		movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;
		nosuch.u32 %r1;
	}
	.entry good() { ret; }
END
says 'launch --list marks a kernel that cannot run, and lists the others' launch --list "$dir/mixed.ptx" <<-END
	bad
	  arg 1    u64     8 bytes, a
	  block    32,1,1
	  refused  $dir/mixed.ptx:7:1: movmatrix.sync.aligned.m8n8.trans.b16: vsm has no matrix instructions
	good
END
"$vsm" launch "$dir/mixed.ptx" good >"$dir/out" 2>"$dir/err"
result $? 'launch runs the other kernels of the module'
failed_files=
for file in "$kernels"/*.launch "$kernels"/*/*.launch; do
	"$sanitized" launch --list "$file" >"$dir/out" 2>"$dir/err" && [ -s "$dir/out" ] &&
		[ ! -s "$dir/err" ] || failed_files="$failed_files $file"
done
echo "$failed_files" >"$dir/out"
[ -z "$failed_files" ]
result $? 'launch --list reads all launch files and modules of the selftests'
"$vsm" launch --list - <"$vecadd" >"$dir/out" 2>"$dir/err" && grep -qx vecadd "$dir/out"
result $? 'launch reads a module from standard input'
printf 'module %s\nlaunch vecadd\n' "$vecadd" >"$dir/input.launch"
"$vsm" launch --list - <"$dir/input.launch" >"$dir/out" 2>"$dir/err" && grep -qx vecadd "$dir/out"
result $? 'launch reads a launch file from standard input'
printf 'bad PTX\n' >"$dir/bad.ptx"
"$sanitized" launch "$dir/bad.ptx" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && [ ! -s "$dir/out" ] && grep -q "^$dir/bad.ptx:1:[0-9]*: " "$dir/err"
result $? 'launch reports the place of an error in a module'

arg_refused() {
	refuses "launch refuses --arg $1" 2 "$2" launch "$vecadd" vecadd --arg "$1"
}
arg_refused i33:4 "'i33' is no kind of argument"
arg_refused i8:256 "'256' is too large for i8, which is at most 255"
arg_refused i8:-129 "'129' is too large for i8, which is at most 128"
arg_refused u8:-1 "expected u8, a number .decimal or 0x., found '-'"
arg_refused f32:1.5x "expected a number of type f32, found '1.5x'"
arg_refused buf:1T "'1T' is no value for a size"
arg_refused buf:0 'a size cannot be 0'
arg_refused buf:1K:iotta 'did you mean iota?'
arg_refused buf:1K:iota:in=x 'the contents are given twice'
arg_refused buf:1K:in=/none '/none: No such file'
arg_refused "buf:1K:in=$vecadd" 'the file is larger than the buffer'
arg_refused buf:1K:print=257 'the buffer does not have so many elements'
arg_refused buf:1K:buf=1 'found .buf.'
arg_refused tensor:f32:dims=4,4:buf=1:box=4,4 'argument 1 is no buffer before this one'
arg_refused tensor:f32:dims=4,4:box=4 'box must have 2 elements'
arg_refused tensor:f32:dims=4,0:box=4,4 'dims cannot be 0'
arg_refused tensor:f32:dims=4294967296,4294967296:box=4,4 'the tensor is too large'
arg_refused tensor:bytes=/none '/none: No such file'
arg_refused "tensor:bytes=$vecadd" 'this is not a CUtensorMap of 128 bytes'
arg_refused "tensor:bytes=$kernels/recorded_map.bin:box=4,4" 'the CUtensorMap has the box'
{
	head -c 12 "$kernels/recorded_map.bin"
	head -c 18 /dev/zero
	tail -c +31 "$kernels/recorded_map.bin"
} >"$dir/stride0.bin"
refuses 'launch takes a CUtensorMap whose strides are 0' 2 "'i33' is no kind of argument" \
	launch "$vecadd" vecadd --arg "tensor:bytes=$dir/stride0.bin" --arg i33:4

args_refused() {
	what=$1
	pattern=$2
	shift 2
	refuses "launch compares arguments: $what" 2 "$pattern" launch "$vecadd" "$@"
}
args_refused 'kernel' 'has no kernel .vecad.; did you mean vecadd?' vecad
args_refused 'several kernels' 'has 2 kernels: name one' --grid 4
args_refused 'number' 'vecadd has 4 parameters; 1 argument is given' vecadd --arg buf:1K
args_refused 'size' 'argument 4 of vecadd is i64, but parameter vecadd_param_3 is .u32 of 4 bytes' \
	vecadd --arg buf:1K --arg buf:1K --arg buf:1K --arg i64:1
args_refused 'kind' 'a floating-point number is no integer' \
	vecadd --arg buf:1K --arg buf:1K --arg buf:1K --arg f32:1
args_refused 'tensor map' 'a tensor map has 128 bytes' \
	vecadd --arg tensor:f32:dims=4:box=4 --arg buf:1K --arg buf:1K --arg i32:1

"$vsm" launch --help >"$dir/out" 2>"$dir/err" && grep -q -e '--seeds A..B' "$dir/out" &&
	! grep -q '.\{101\}' "$dir/out"
result $? 'launch --help lists the options'
refuses 'launch refuses no file' 2 'no FILE' launch
refuses 'launch refuses two kernels' 2 "not also 'c'" launch a.ptx b c
refuses 'launch refuses an unknown option' 2 "no option '--gird'" launch --gird 4 x
refuses 'launch refuses an option without its value' 2 'grid needs a value' launch x.ptx --grid
refuses 'launch refuses 0 CTAs' 2 'grid cannot be 0' launch --grid 0 x.ptx
refuses 'launch refuses a time without unit' 2 'the units are ns, us' launch --time-limit 5 x.ptx
refuses 'launch refuses seed 0' 2 'a seed cannot be 0' launch --seed 0 x.ptx
refuses 'launch refuses one seed as a range' 2 'as in 1..100' launch --seeds 5 x.ptx
refuses 'launch refuses a range that goes down' 2 'not below the first' launch --seeds 5..4 x.ptx
refuses 'launch refuses an unknown policy' 2 'is strict or hardware' launch --policy x x.ptx
refuses 'launch refuses --grid for a launch file' 2 'says itself what --grid is' \
	launch --grid 4 "$kernels/vecadd.launch"
refuses 'launch refuses --cooperative for a launch file' 2 'says itself what --cooperative is' \
	launch --cooperative "$kernels/vecadd.launch"
refuses 'launch refuses a file that is not there' 2 'none.ptx: No such file' launch none.ptx
refuses 'launch refuses a launch file that is not there' 2 'none.launch: No such file' \
	launch none.launch
refuses 'launch refuses a file without an end' 2 'File too large' launch /dev/zero
refuses 'launch refuses a rule that is none' 2 "expected a rule, found 'NONE'" launch --enforce NONE "$dir/k.ptx"
refuses 'launch refuses a device that is none' 1 '/dev/null' launch --device /dev/null \
	"$kernels/vecadd.launch"

# A kernel without instructions for the device needs none.
printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry fill(' \
	'	.param .u64 at, .param .u32 value' ')' '{' '	.reg .b64 %a;' '	.reg .b32 %v, %i;' \
	'	ld.param.u64 %a, [at];' '	ld.param.u32 %v, [value];' '	mov.u32 %i, %tid.x;' \
	'	mad.wide.u32 %a, %i, 4, %a;' '	add.u32 %v, %v, %i;' '	st.global.u32 [%a], %v;' \
	'	ret;' '}' '.visible .entry stray()' '{' '	trap;' '}' '.visible .entry loop()' '{' \
	'again:' '	bra again;' '}' >"$dir/k.ptx"
says 'launch runs a kernel and prints a buffer' launch "$dir/k.ptx" fill --block 10 \
	--arg "buf:40:out=$dir/k.bin:print=10" --arg i32:5 <<-END
	arg1[0]: 5 6 7 8 9 10 11 12
	arg1[8]: 13 14
END
says 'launch writes and reads buffers' launch "$dir/k.ptx" fill --arg "buf:40:in=$dir/k.bin:print=3" \
	--arg i32:-1 <<-END
	arg1[0]: 4294967295 6 7
END
printf '%s\n' 'buffer a 16' 'launch fill args a, i32:1' 'write a /nowhere/a' \
	'launch fill args a, i32:7' 'print a 1' >"$dir/k.launch"
"$sanitized" launch "$dir/k.launch" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q '^vsm: launch: /nowhere/a: No such file' "$dir/err" && grep -qx 'a\[0\]: 7' "$dir/out"
result $? 'launch fails if a file cannot be written, and runs later launches'
cat >"$dir/k.launch" <<-'END'
	buffer a 16 iota
	buffer f 16 iotaf
	buffer r 10 random 7
	buffer g 16 randomf 7
	buffer t 12 bytes text
	launch fill args a+4, i32:100
	print a 4
	print f 4 f32
	print r 5 b16
	print g 4 f32
	print t 12 u8
	launch stray block 2
	expect fault at k.ptx:20
	launch loop limit 50ms
	expect hang
	expect report k.ptx:25
END
printf 'bytes\n' >"$dir/text"
"$sanitized" launch "$dir/k.launch" >"$dir/out" 2>"$dir/err"
status=$?
cat >"$dir/expected" <<-END
	a[0]: 0 100 2 3
	f[0]: 0 1 2 3
	r[0]: 0xe1e4 0x63cb 0x3cd7 0x044c 0x4080
	g[0]: -0.22034061 -0.966423512 0.801521301 0.165860534
	t[0]: 98 121 116 101 115 10 0 0
	t[8]: 0 0 0 0
END
[ $status = 0 ] && [ ! -s "$dir/err" ] && head -n 6 "$dir/out" | cmp -s - "$dir/expected"
result $? 'launch runs a launch file, with every fill and outcome'
"$vsm" launch --tap "$dir/k.launch" >"$dir/tap" 2>"$dir/err"
status=$?
grep -v '^#' "$dir/tap" >"$dir/out"
cat >"$dir/expected" <<-END
	TAP version 13
	1..3
	ok 1 - $dir/k.launch:6 fill
	ok 2 - $dir/k.launch:12 stray
	ok 3 - $dir/k.launch:14 loop
END
[ $status = 0 ] && [ ! -s "$dir/err" ] && cmp -s "$dir/out" "$dir/expected"
result $? 'launch --tap prints a result for each launch'
printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.const .align 4 .u32 c = 7;' \
	'.global .align 4 .b8 v[8] = {1, 2};' '.const .align 64 .b8 map[128];' \
	'.visible .entry k(.param .align 8 .b8 s[24])' '{' '	.reg .b64 %a, %n;' \
	'	.reg .b32 %v, %x;' '	ld.param.u64 %a, [s+8];' '	ld.param.u8 %x, [s];' \
	'	ld.param.u16 %v, [s+16];' '	mad.lo.u32 %v, %v, 1000, %x;' \
	'	st.global.u32 [%a], %v;' '	ld.const.u32 %v, [c];' '	st.global.u32 [%a+4], %v;' \
	'	ret;' '}' '.visible .entry m(.param .u32 n, .param .align 16 .b8 p[208])' '{' \
	'	.reg .b64 %a, %b;' '	.reg .b32 %t, %v;' '	mov.u32 %t, %tid.x;' \
	'	mov.b64 %a, p;' '	cvta.param.u64 %a, %a;' '	mad.wide.u32 %a, %t, 4, %a;' \
	'	ld.u32 %v, [%a];' '	ld.param.u64 %b, [p+8];' '	mad.wide.u32 %b, %t, 4, %b;' \
	'	st.global.u32 [%b], %v;' '	ret;' '}' >"$dir/s.ptx"
cat >"$dir/s.launch" <<-'END'
	buffer out 16
	variable v 8
	variable c 4 iota
	launch k args {u8:5, out+4, u16:3}
	print out 3
	print v 4 b8
END
says 'launch passes structures and sets variables' launch "$dir/s.launch" <<-END
	out[0]: 0 3005 0
	v[0]: 0x01 0x02 0x00 0x00
END
printf 'abcdefgh' >"$dir/s.bin"
cat >"$dir/m.launch" <<-'END'
	module s.ptx
	buffer out 208 random
	launch m block 52 args i32:0, {0=i8:-1, 8=out, f32:1, 24=f64:1, 64=bytes:s.bin, 68=u8:0x21, u16:3, 204=u8:9}
	print out 2 b32
	print out+16 6 b32
	print out+64 4 b32
	print out+200 2 b32
END
says 'launch puts the members of a structure at their offsets, and zeros between them' \
	launch "$dir/m.launch" <<-END
	out[0]: 0x000000ff 0x00000000
	out[0]: 0x3f800000 0x00000000 0x00000000 0x3ff00000 0x00000000 0x00000000
	out[0]: 0x64636261 0x00036621 0x00000000 0x00000000
	out[0]: 0x00000000 0x00000009
END
cat >"$dir/all.launch" <<-'END'
	module k.ptx
	buffer a 16
	launch fill block 2 cooperative args a, i32:7
	print a 3
	launch fill grid 5000 cooperative args a, i32:7
	expect refused
	expect report a cooperative launch needs all 5000 CTAs
END
says 'launch runs all CTAs of a cooperative launch, or none' launch "$dir/all.launch" <<-END
	a[0]: 7 8 0
	a cooperative launch needs all 5000 CTAs at the same time, and at most 4096 can run
END
"$vsm" launch "$dir/k.ptx" fill --cooperative --grid 4097 --arg buf:8 --arg i32:1 >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'a cooperative launch needs all 4097 CTAs' "$dir/out"
result $? 'launch takes --cooperative'
# Usage: mismatch WHAT STATUS PATTERN STATEMENT. Tests what a statement for s.ptx leads to.
mismatch() {
	what=$1
	expected=$2
	pattern=$3
	printf 'module s.ptx\nbuffer out 16\n%s\nlaunch k args {u8:5, out, u16:3}\n' "$4" \
		>"$dir/mismatch.launch"
	"$sanitized" launch "$dir/mismatch.launch" >"$dir/out" 2>"$dir/err"
	[ $? = "$expected" ] && [ ! -s "$dir/out" ] && grep -q "$pattern" "$dir/err"
	result $? "launch refuses $what"
}
mismatch 'a structure of another size' 2 'argument 1 of k is a structure, but .* of 24 bytes' \
	'launch k args {out, u8:1}'
# Usage: member WHAT PATTERN LAUNCH. Tests what a launch with a structure leads to.
member() {
	mismatch "a structure with $1" 2 "$2" "tensor t out f32 dims 4 box 4
launch $3"
}
member 'a member behind its end' \
	'4:29: parameter s of k: u16 at offset 23 ends at byte 25, and the parameter has 24$' \
	'k args {8=out, u8:1, 23=u16:1}'
member 'a map behind its end' 'p of m: a tensor map at offset 112 ends at byte 240, .* has 208$' \
	'm args i32:1, {112=tensor:t}'
member 'members that overlap' 's of k: u16 at offset 14 overlaps a buffer at offset 8$' \
	'k args {8=out, 14=u16:1}'
member 'a file over a member' 's of k: a file at offset 0 overlaps u8 at offset 7$' \
	'k args {7=u8:1, 0=bytes:s.bin}'
member 'a misaligned number' 's of k: u32 at offset 2 is not at a multiple of 4 bytes$' \
	'k args {2=u32:1}'
member 'a misaligned pointer' 's of k: a buffer at offset 4 is not at a multiple of 8 bytes$' \
	'k args {4=out}'
member 'a misaligned map' 'map at offset 32 is not at a multiple of 64 bytes: the parameter is not either$' \
	'm args i32:1, {32=tensor:t}'
member 'the number of another parameter' 'argument 1 of m is a structure, but .* of 4 bytes: it is no structure$' \
	'm args {i32:1}, {0=u8:1}'
refuses 'launch refuses a structure as --arg' 2 'a structure needs a launch file' \
	launch "$dir/s.ptx" k --arg '{0=u8:1}'
mismatch 'an unknown variable' 1 'has no variable w' 'variable w 8'
mismatch 'a variable of another size' 1 'variable v has 8 bytes, not 9' 'variable v 9'
{
	echo 'module k.ptx'
	sed 's/report k.ptx/report x.ptx/' "$dir/k.launch"
} >"$dir/differs.launch"
"$vsm" launch --tap "$dir/differs.launch" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ "$(grep -cE '^(not )?ok ' "$dir/out")" = 3 ] &&
	grep -q '^not ok 3 - .*differs.launch:15 loop$' "$dir/out" &&
	grep -q 'differs.launch:16: expected a report with "x.ptx:25"' "$dir/out"
result $? 'launch compares reports with expectations'
sed '/^expect fault/d' "$dir/k.launch" >"$dir/more.launch"
cp "$dir/k.ptx" "$dir/more.ptx"
"$vsm" launch --tap "$dir/more.launch" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q '^not ok 2 - .*:12 stray$' "$dir/out" &&
	grep -q '^not ok 3 - .*:13 loop (did not run)$' "$dir/out"
result $? 'launch runs nothing after a launch that ends in another way than expected'
says 'launch --seeds runs every seed' launch "$dir/k.ptx" fill --seeds 3..5 --arg buf:40 --arg i32:1 \
	<<-END
	3 seeds, from 3 to 5: everything ended as expected
END
"$vsm" launch "$dir/k.ptx" stray --seeds 2..5 >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ "$(grep -c '^seed 2 ' "$dir/out")" = 1 ] && ! grep -q '^seed 3' "$dir/out"
result $? 'launch --seeds stops at the first seed that fails'
"$vsm" launch "$dir/k.ptx" stray --seeds 2..4 --tap >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -qx '1..3' "$dir/out" && grep -q '^not ok 1 - seed 2$' "$dir/out" &&
	grep -q '^ok 3 - seed 4 # SKIP' "$dir/out"
result $? 'launch --seeds --tap skips the seeds after the first that fails'
env --default-signal=INT timeout --foreground -s INT 3 "$vsm" launch "$dir/k.ptx" loop >"$dir/out" 2>"$dir/err"
[ $? = 124 ] && grep -q '^loop: cancelled$' "$dir/out"
result $? 'launch ends at SIGINT'
ls /sys/bus/platform/drivers/vsm/vsm* >/dev/null 2>&1 ||
	{
		"$vsm" launch "$kernels/pipeline.launch" >"$dir/out" 2>"$dir/err"
		[ $? = 1 ] && grep -q 'no vsm device.*--vm' "$dir/err"
		result $? 'launch fails where a kernel needs the device, and names --vm'
	}

rm -r "$dir/mutants"
python3 "$here/mutate.py" 600 "$dir/mutants" "$kernels"/*.launch "$kernels"/*/*.launch \
	"$dir"/errors/*.launch
for file in "$dir/mutants"/*; do
	"$sanitized" launch --list "$file" >/dev/null 2>"$dir/err"
	[ $? -le 2 ] || echo "crash: $file"
	cat "$dir/err"
done >"$dir/mutants.err"
grep -v -e "^$dir/mutants/[0-9]*.launch: *" -e '^vsm: launch: .*: No such file' \
	"$dir/mutants.err" >"$dir/err"
: >"$dir/out"
[ -s "$dir/mutants.err" ] && [ ! -s "$dir/err" ]
result $? 'launch reports errors and ends, whatever the launch file contains'

cat >"$dir/a.txt" <<-END
	vsm trace 1
	title "a test"
	lost 3
	name "full" offset=0x1000 size=16 stride=8
	site 7 "kernel.cu:3" "mbarrier.init.shared::cta.b64"
	# These times are not in order.
	2000 insn cluster=1 cta=1 thread=32 lanes=0x3 op=mbarrier_arrive mods=2 addr=0x1001008 word=0x7ffff800001ffffe next=0x000003fffe1ffffe
	1000 insn cluster=1 cta=1 thread=32 lanes=0x5 op=mbarrier_init addr=0x1001008 next=0x7ffff800001ffffe site=7
	3500 insn cluster=1 lanes=0xf op=mbarrier_try_wait addr=0x1001008 word=0x3fffe1ffffe next=0x3fffe1ffffe
	3501 suspend id=4 cluster=1 lanes=0xf op=mbarrier_try_wait addr=0x1001008 word=0x3fffe1ffffe
	4000 resume id=4 cause=9 value=499 cluster=1 lanes=0xf op=mbarrier_try_wait addr=0x1001008 error=-5
	5000 copy_issue id=5 cluster=1 lanes=0x1 op=cp_async_bulk_g2s size=64
	5100 copy_begin id=5 client=2 channel=1 op=cp_async_bulk_g2s
	5200 job_end id=6 client=2 channel=1 error=-62
	6000 fault cluster=1 lanes=0x1 op=fence fault=BAD_ORDER error=-71
	7000 commit cluster=1 lanes=0x1 op=cp_async_commit_group value=3
	7100 suspend id=7 cluster=1 lanes=0xf op=bar_warp_sync value=255
	7200 arrive id=8 cluster=1 lanes=0xf0 op=bar_warp_sync value=255
	7201 release id=8 cluster=1 lanes=0xf0 op=bar_warp_sync value=255
	7300 resume id=7 cause=8 cluster=1 lanes=0xf op=bar_warp_sync value=200
	7400 arrive id=9 cluster=1 lanes=0x1 op=barrier_arrive addr=5 value=64
	8000 device_lost
	9000 type77 op=300
	note "the end"
END
shown() {
	cat <<-END
		a test
		17 events, 3 lost
		        0.000 us  cluster 1, CTA 1, warp 1, lanes 0x5: mbarrier.init full[1]: parity 0, pending 1 (kernel.cu:3)
		        1.000 us  cluster 1, CTA 1, warp 1, lanes 0-1: mbarrier.arrive.expect_tx full[1]: parity 0, pending 1 -> 0, tx 0 -> 16
		        2.500 us  cluster 1, CTA 0, warp 0, lanes 0-3: mbarrier.try_wait full[1] of CTA 1, False: parity 0, pending 0, tx 16
		        2.501 us  cluster 1, CTA 0, warp 0, lanes 0-3: suspended in mbarrier.try_wait full[1] of CTA 1: parity 0, pending 0, tx 16 #4
		        3.000 us  cluster 1, CTA 0, warp 0, lanes 0-3: resumed from mbarrier.try_wait full[1] of CTA 1, after 499 ns #4 by #9, EIO
		        4.000 us  cluster 1, CTA 0, warp 0, lane 0: copy issued: cp.async.bulk, 64 bytes #5
		        4.100 us  client 2, channel 1: copy begun: cp.async.bulk #5
		        4.200 us  client 2, channel 1: job ended #6, ETIME
		        5.000 us  cluster 1, CTA 0, warp 0, lane 0: fault: fence, BAD_ORDER, EPROTO
		        6.000 us  cluster 1, CTA 0, warp 0, lane 0: group committed: cp.async.commit_group 3
		        6.100 us  cluster 1, CTA 0, warp 0, lanes 0-3: suspended in bar.warp.sync 0xff #7
		        6.200 us  cluster 1, CTA 0, warp 0, lanes 4-7: arrived: bar.warp.sync 0xff #8
		        6.201 us  cluster 1, CTA 0, warp 0, lanes 4-7: releases threads at bar.warp.sync 0xff #8
		        6.300 us  cluster 1, CTA 0, warp 0, lanes 0-3: resumed from bar.warp.sync, after 200 ns #7 by #8
		        6.400 us  cluster 1, CTA 0, warp 0, lane 0: arrived: barrier.cta.arrive 5 #9
		        7.000 us  device: device lost
		        8.000 us  device: unknown event operation 300
		the end
	END
}
shown >"$dir/shown"
says 'trace show prints the events of a text' trace show "$dir/a.txt" <"$dir/shown"
"$sanitized" trace export "$dir/a.txt" -o "$dir/a.trace" >"$dir/out" 2>"$dir/err" &&
	[ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
result $? 'trace export writes a trace'
says 'trace show prints the events of a trace' trace show "$dir/a.trace" <"$dir/shown"
"$sanitized" trace export -o "$dir/b.txt" "$dir/a.trace" 2>"$dir/err" &&
	"$sanitized" trace export "$dir/b.txt" -o "$dir/c.txt" 2>"$dir/err" &&
	cmp -s "$dir/b.txt" "$dir/c.txt" && grep -q '^9000 type77 op=300$' "$dir/b.txt"
result $? 'trace export writes text that it reads again'
head -c 600 "$dir/a.trace" >"$dir/cut.trace"
refuses 'trace show refuses a trace that is cut off' 1 'cut.trace: the trace is damaged: .*the file ends' \
	trace show "$dir/cut.trace"
refuses 'trace show refuses another file' 1 'test.sh: this is not a trace' trace show "$0"
refuses 'trace show needs a file' 1 'none.trace: No such file' trace show "$dir/none.trace"
refuses 'trace show takes one file' 2 'no FILE' trace show
refuses 'trace record needs a command' 2 'no COMMAND' trace record -o "$dir/r.txt" --
refuses 'trace record refuses an unknown option' 2 "no option '--fast'" trace record --fast ls
refuses 'trace record needs the value of an option' 2 '-o needs a value' trace record -o
refuses 'trace record says which endings there are' 2 'r.doc does not end in .pftrace' \
	trace record -o "$dir/r.doc" ls
for size in 0 -1 x 4X 2G 17179869184G ''; do
	refuses "trace record refuses a buffer of '$size' bytes" 2 'expected 1 to 1G' \
		trace record --buffer "$size" ls
done
refuses 'trace record refuses too many events' 2 'expected 1 to 9000000' \
	trace record --events 9000001 ls
refuses 'trace record refuses a device without a number' 2 '--device x: expected a number' \
	trace record --device x ls
ls /sys/bus/platform/drivers/vsm/vsm* >/dev/null 2>&1 || {
	refuses 'trace record fails where there is no device, and names --vm' 1 \
		'no vsm device.*--vm' trace record -o "$dir/r.txt" touch "$dir/ran"
	[ ! -e "$dir/r.txt" ] && [ ! -e "$dir/ran" ]
	result $? 'trace record does not run the command where there is no device'
}
refuses 'trace needs a subcommand' 2 'no subcommand; try' trace
refuses 'trace names an unknown subcommand' 2 "no subcommand 'shwo'" trace shwo
refuses 'trace export needs a file to write' 2 '-o OUT is missing' trace export "$dir/a.txt"
refuses 'trace export says which endings there are' 2 'a.doc does not end in .pftrace' \
	trace export "$dir/a.txt" -o "$dir/a.doc"
refuses 'trace export knows which formats have a range' 2 '.pftrace always has the whole trace' \
	trace export "$dir/a.txt" -o "$dir/a.pftrace" --from 1us
"$sanitized" trace export "$dir/a.txt" -o "$dir/a.html" 2>"$dir/err" &&
	grep -q '</html>' "$dir/a.html" && [ ! -s "$dir/err" ]
result $? 'trace export writes a page'
"$sanitized" trace export "$dir/a.txt" -o "$dir/a.svg" 2>"$dir/err" &&
	"$sanitized" trace export "$dir/a.txt" -o "$dir/same.svg" --from 0 --to 1ms 2>"$dir/err" &&
	"$sanitized" trace export "$dir/a.txt" -o "$dir/part.svg" --from 0.9us --to 1500ns 2>"$dir/err" &&
	grep -q '</svg>' "$dir/a.svg" && cmp -s "$dir/a.svg" "$dir/same.svg" &&
	grep -q 'try_wait' "$dir/a.svg" && ! grep -q 'try_wait' "$dir/part.svg" &&
	grep -q 'arrive' "$dir/part.svg"
result $? 'trace export draws the whole trace, or a part of it'
refuses 'trace export refuses what is no time' 2 "'3 days' is not a time" \
	trace export "$dir/a.txt" -o "$dir/a.pftrace" --to '3 days'
refuses 'trace export refuses a range without an end' 2 'from must be before --to' \
	trace export "$dir/a.txt" -o "$dir/a.pftrace" --from 2us --to 1.5us
refuses 'trace export needs a folder' 1 'none/a.pftrace: No such file' \
	trace export "$dir/a.txt" -o "$dir/none/a.pftrace"
cat >"$dir/wrong.txt" <<-END
	vsm trace 1
	10 insn op=mbarrier_arive #! 12: expected an operation, such as mbarrier_arrive, found 'mbarrier_arive'
	10 insm op=1 #! 4: expected the type of an event, found 'insm'; did you mean insn?
	x #! 1: expected title, note, lost, cluster, name or site, found 'x'
	title abc #! 7: expected '"', found 'abc'
END
sed 's/ *#! .*//' "$dir/wrong.txt" >"$dir/wrong.text"
awk -v path="$dir/wrong.text" 'match($0, / #! /) { print path ":" FNR ":" substr($0, RSTART + 4) }' \
	"$dir/wrong.txt" >"$dir/expected"
"$sanitized" trace show "$dir/wrong.text" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ ! -s "$dir/out" ] && cmp -s "$dir/err" "$dir/expected"
result $? 'trace show finds what is wrong in a text'

mkdir "$dir/dumps"
python3 "$here/../tests/dump.py" "$dir/dumps"
cat >"$dir/expected.dump" <<-END
	device 0, cluster 3: job 2 of channel 1 faulted (EIO)
	  client 5, process 123 (trainer)
	  thread 7 of CTA 0, site 77
	  CTAs 1, threads 32, bytes of shared memory 4096, sm_90, strict
	  4 dumps before this one were given up

	instructions (3 of 3, 2 were issued)
	      0  mbarrier.arrive.b64 _, [0x40]
	>     1  mbarrier.arrive.b64 _, [0x60]: NOT_AN_MBARRIER
	-     2  mbarrier.arrive.b64 _, [0x48]

	mbarriers (2 of 2)
	  CTA 0 0x000040  word 0x7fff0000001fffc0: phase parity 0, pending 32, expected 32, tx-count 0
	  CTA 1 0x000060  word 0x0000040000000000: phase parity 0, pending 0, expected 0, tx-count 0, poison

	events (the last 2 of 2)
	   -1000.000 us  client 5, channel 1: job queued #2
	      -1.000 us  client 5, channel 1: job ended #2, EIO
END
says 'dump prints a job that faulted' dump "$dir/dumps/job.dump" <"$dir/expected.dump"
says 'dump reads structures that are longer than those it knows' dump "$dir/dumps/other.dump" \
	<"$dir/expected.dump"
says 'dump prints a job that took too long' dump "$dir/dumps/late.dump" <<-END
	device 0, cluster 3: job 1 of channel 0 took too long, and the channel was reset (ETIMEDOUT)
	  client 5, process 123 (trainer)
	  thread 0 of CTA 0, site 0
	  CTAs 1, threads 32, bytes of shared memory 4096, sm_90, strict
END
says 'dump prints a lost cluster, and no control characters' dump "$dir/dumps/lost.dump" <<-END
	device 0, cluster 3: the cluster was lost
	  client 5, process 123 (?[2Jevil)
	  CTAs 1, threads 32, bytes of shared memory 4096, sm_80, hardware, lost

	mbarriers (1 of 1)
	  CTA 0 0x000048  word 0x7fffffe03fffffe0: phase parity 0, pending 32, expected 32, tx-count 0
END
"$vsm" dump - <"$dir/dumps/job.dump" >"$dir/out" 2>"$dir/err" &&
	cmp -s "$dir/out" "$dir/expected.dump"
result $? 'dump reads standard input'
"$vsm" dump --json "$dir/dumps/job.dump" >"$dir/out" 2>"$dir/err" && python3 - "$dir/out" <<-END
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["version"] == 1 and d["reason"] == "fault" and d["error"] == "EIO", d
	assert d["comm"] == "trainer" and d["job"] == 2 and d["site"] == 77 and d["missed"] == 4, d
	assert [i["fault"] for i in d["instructions"]] == [None, "NOT_AN_MBARRIER", None], d
	assert [m["poisoned"] for m in d["mbarriers"]] == [False, True], d
	assert d["mbarriers"][0]["pending"] == 32 and len(d["events"]) == 2, d
END
result $? 'dump writes JSON'
for file in "$dir/dumps/damaged"/*; do
	for option in '' --json; do
		# shellcheck disable=SC2086
		"$sanitized" dump $option "$file" >"$dir/out" 2>"$dir/err"
		[ $? -le 1 ] || echo "crash: $file"
		grep -v "^vsm: .*: \(this is not a dump\|the dump is \)" "$dir/err"
	done
done >"$dir/damaged.err"
[ ! -s "$dir/damaged.err" ]
result $? 'dump ends, whatever the file contains'
head -c 200 "$dir/dumps/job.dump" >"$dir/cut.dump"
refuses 'dump refuses a dump that is cut off' 1 'cut.dump: the dump is damaged: a part' \
	dump "$dir/cut.dump"
head -c 100 "$dir/dumps/job.dump" >"$dir/cut.dump"
refuses 'dump refuses a dump without its begin' 1 'cut.dump: the dump is damaged: its begin' \
	dump "$dir/cut.dump"
refuses 'dump refuses another file' 1 'test.sh: this is not a dump' dump "$0"
refuses 'dump needs a file' 1 'none.dump: No such file' dump "$dir/none.dump"
refuses 'dump takes one file' 2 'no FILE' dump
refuses 'dump takes no second file' 2 "takes FILE, not also 'b'" dump a b
refuses 'dump refuses an unknown option' 2 "no option '--fast'" dump --fast a

"$vsm" help >"$dir/out" 2>"$dir/err" && grep -q 'vsm decode' "$dir/out"
result $? 'help names the commands'
"$vsm" --version >"$dir/out" 2>"$dir/err" && grep -qx 'vsm [0-9.]*' "$dir/out"
result $? '--version says the version'
if [ -w /dev/full ]; then
	"$vsm" help >/dev/full 2>"$dir/err"
	[ $? = 1 ] && grep -q 'cannot write' "$dir/err"
	result $? 'a full disk is noticed'
fi

finish

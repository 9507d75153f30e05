#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the results that `vsm launch` and `vsm run` write, and their colours, without a device.
# Prints TAP.
#
#	results.sh VSM SANITIZED
#
# SANITIZED is the same program with sanitizers.

vsm=$1
sanitized=$2
here=$(dirname "$0")
# shellcheck source=tap.sh
. "$here/tap.sh"

# Usage: refuses WHAT PATTERN ARGUMENT... Tests that vsm refuses its arguments.
refuses() {
	what=$1
	pattern=$2
	shift 2
	"$vsm" "$@" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] && [ ! -s "$dir/out" ] && grep -q -e "^vsm: .*$pattern" "$dir/err"
	result $? "$what"
}

# Usage: reads_json FILE, reads_junit FILE. Checks FILE, and prints what it says to $dir/out.
reads_json() {
	python3 "$here/results.py" json "$1" >"$dir/out" 2>"$dir/err"
}

reads_junit() {
	xmllint --noout --schema "$here/junit.xsd" "$1" >"$dir/out" 2>"$dir/err" &&
		python3 "$here/results.py" junit "$1" >"$dir/out" 2>"$dir/err"
}

# Usage: says WHAT <<EXPECTED. Tests that $dir/out is EXPECTED, and that the command before has
# succeeded.
says() {
	[ $? = 0 ] && cat >"$dir/expected" && cmp -s "$dir/out" "$dir/expected"
	result $? "$1"
}

# Kernels without instructions for the device need none.
printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry fill(' \
	'	.param .u64 at)' '{' '	.reg .b64 %a;' '	ld.param.u64 %a, [at];' \
	'	st.global.u32 [%a], 7;' '	ret;' '}' '.visible .entry stray()' '{' '	trap;' \
	'}' '.visible .entry loop()' '{' 'again:' '	bra again;' '}' >"$dir/k.ptx"
cat >"$dir/k.launch" <<-'END'
	buffer a 16
	launch fill args a
	print a 2
	launch stray block 2
	expect fault at k.ptx:14
	launch fill args a+4
	print a 2
END
cp "$dir/k.ptx" "$dir/bad.ptx"
sed 's/k.ptx:14/k.ptx:15/' "$dir/k.launch" >"$dir/bad.launch"
cd "$dir" || exit 1
case $vsm in /*) ;; *) vsm=$OLDPWD/$vsm ;; esac
case $sanitized in /*) ;; *) sanitized=$OLDPWD/$sanitized ;; esac
case $here in /*) ;; *) here=$OLDPWD/$here ;; esac

"$sanitized" launch --json k.launch >json 2>err && [ ! -s err ] && reads_json json
says 'launch --json has a test for each launch' <<-END
	pass 'k.launch' fill 2 None/None
	pass 'k.launch' stray 4 None/None
	pass 'k.launch' fill 6 None/None
END
python3 - >out 2>err <<-'END'
	import json
	tests = json.load(open("json"))["files"][0]["tests"]
	print(tests[0]["output"], tests[1]["output"], tests[2]["output"], tests[0]["report"])
	print(tests[1]["report"].split()[:3])
END
says 'launch --json has reports, and what kernels print' <<-END
	a[0]: 7 0
	 None a[0]: 7 7
	 None
	['trap', 'at', 'k.ptx:14:']
END
"$sanitized" launch --junit k.launch >junit 2>err && [ ! -s err ] && reads_junit junit
says 'launch --junit has a testcase for each launch' <<-END
	pass 'k.launch' 'fill (line 2)'
	pass 'k.launch' 'stray'
	pass 'k.launch' 'fill (line 6)'
END

"$sanitized" launch --json bad.launch >json 2>err
[ $? = 1 ] && [ ! -s err ] && reads_json json
says 'launch --json has failures, and launches that did not run' <<-END
	pass 'bad.launch' fill 2 None/None
	fail 'bad.launch' stray 4 None/None
	  5: 'expected a fault at k.ptx:15, seen a fault (bad.ptx:14)'
	skip 'bad.launch' fill 6 None/None
END
python3 - >out 2>err <<-'END'
	import json
	failure = json.load(open("json"))["files"][0]["tests"][1]["failures"][0]
	print(failure["expected"], failure["seen"], failure["fault"], sep=", ")
END
says 'launch --json takes a failure apart' <<-END
	a fault at k.ptx:15, a fault (bad.ptx:14), None
END
"$sanitized" launch --junit bad.launch >junit 2>err
[ $? = 1 ] && [ ! -s err ] && reads_junit junit
says 'launch --junit has failures, and launches that did not run' <<-END
	pass 'bad.launch' 'fill (line 2)'
	fail 'bad.launch' 'stray'
	  expectation: 'expected a fault at k.ptx:15, seen a fault (bad.ptx:14)'
	skip 'bad.launch' 'fill (line 6)'
END
"$sanitized" launch --json k.ptx stray >json 2>err
[ $? = 1 ] && reads_json json
says 'launch --json has the failure of a PTX file' <<-END
	fail 'k.ptx' stray None None/None
	  None: 'expected the end of all threads, seen a fault (k.ptx:14)'
END

# Files of results leave standard output as it is.
for options in '' --tap; do
	for file in k bad; do
		# shellcheck disable=SC2086 # no option is no argument
		"$sanitized" launch $options $file.launch >plain 2>&1
		status=$?
		# shellcheck disable=SC2086
		"$sanitized" launch $options --json=json.$file --junit=junit.$file $file.launch \
			>out 2>&1
		[ $? = $status ] && cmp -s plain out && reads_json json.$file && reads_junit junit.$file
		result $? "launch $options --json=FILE --junit=FILE leaves the output of $file.launch"
	done
done

"$vsm" launch k.ptx fill --seeds 3..5 --arg buf:4 --json >json 2>err && reads_json json
says 'launch --json has the last of several seeds, and their number' <<-END
	pass 'k.ptx' fill None 5/3
END
"$vsm" launch bad.launch --seeds 3..5 --json >json 2>err
[ $? = 1 ] && reads_json json
says 'launch --json has the first seed that fails' <<-END
	pass 'bad.launch' fill 2 3/1
	fail 'bad.launch' stray 4 3/1
	  5: 'expected a fault at k.ptx:15, seen a fault (bad.ptx:14)'
	skip 'bad.launch' fill 6 3/None
END
"$vsm" launch bad.launch --seed 9 --junit >junit 2>err
grep -qx -e '--seed 9 repeats it' junit
result $? 'launch --junit says which seed repeats a failure'

# The name of a file may contain anything.
name=$(printf '\001<a&"'\''>\377\t]]>\303\251')
cp k.launch "$name.launch"
echo 'module k.ptx' | cat - k.launch >"$name.launch"
"$sanitized" launch --json=json --junit=junit "$name.launch" >out 2>err && reads_json json
says 'launch --json escapes the name of a file' <<-END
	pass '\x01<a&"\'>\ufffd\t]]>\xe9.launch' fill 3 None/None
	pass '\x01<a&"\'>\ufffd\t]]>\xe9.launch' stray 5 None/None
	pass '\x01<a&"\'>\ufffd\t]]>\xe9.launch' fill 7 None/None
END
reads_junit junit
says 'launch --junit escapes the name of a file' <<-END
	pass '\ufffd<a&"\'>\ufffd\t]]>\xe9.launch' 'fill (line 3)'
	pass '\ufffd<a&"\'>\ufffd\t]]>\xe9.launch' 'stray'
	pass '\ufffd<a&"\'>\ufffd\t]]>\xe9.launch' 'fill (line 7)'
END

env --default-signal=INT timeout --foreground -s INT 3 "$vsm" launch --json k.ptx loop >json 2>err
[ $? = 124 ] && reads_json json
says 'launch --json is complete after a signal' <<-END
	fail 'k.ptx' loop None None/None
	  None: 'cancelled'
END

refuses 'launch --timeline refuses a name without a format' 'a.png does not end in ' \
	launch --timeline a.png "$dir/fill.ptx"
refuses 'run --timeline refuses a name without a format' 'timeline does not end in ' \
	run --timeline timeline "$dir/a.vsm"
refuses 'run --check has no timeline' 'need tests that run' \
	run --check --timeline a.svg "$dir/a.vsm"
refuses 'one use of standard output, launch' '--json and --junit both' \
	launch --json --junit k.launch
refuses 'one use of standard output, TAP' '--tap and --json both' launch --json --tap k.launch
refuses 'one use of standard output, run' '--json and --junit both' run --junit --json x.vsm
refuses 'run --check has no results' 'need tests that run' run --check --json x.vsm
refuses 'launch refuses a file that cannot be written' 'none/x: No such' \
	launch --json=none/x k.launch
refuses 'run --check has no seeds' 'need tests that run' run --check --seeds 1..2 x.vsm
refuses 'run refuses seed 0' '--seed 0: a seed cannot be 0' run --seed 0 x.vsm
refuses 'run refuses a range that goes down' 'not below the first' run --seeds 5..4 x.vsm
refuses 'run refuses an unknown colour' "not 'x'" run --color=x x.vsm
refuses 'launch refuses an unknown colour' "not 'x'" launch --color=x x.ptx
refuses 'run refuses --color without its value' 'color needs a value' run --color
"$vsm" launch --json nothing.launch >out 2>err
[ $? = 2 ] && [ ! -s out ]
result $? 'launch --json prints nothing if the file is malformed'

# The errors of the module are found after the files have been tried.
echo '.version' >wrong.ptx
echo 'launch fill' >wrong.launch
echo 'older' >older
"$sanitized" launch --json=older --junit=newer wrong.launch >out 2>err
[ $? = 2 ] && [ "$(cat older)" = older ] && [ ! -e newer ]
result $? 'files of results stay as they were if the exit status is 2'
echo 'older results are longer than the new ones' >linked
yes | head -c 10000 >>linked
ln -s linked link
"$sanitized" launch --json=link k.launch >out 2>err && [ -L link ] && reads_json linked
result $? 'new results take the place of older ones, also behind a link'
mkfifo pipe
cat pipe >piped &
"$sanitized" launch --json=pipe k.launch >out 2>err && wait $! && reads_json piped
result $? 'results can go into a pipe'

# In place of tools/vm/run: runs the command here, and lists the files that will come back.
cat >runner <<-'END'
	#!/bin/sh
	while [ "$1" != -- ]; do shift; done
	shift
	VSM_VM=1 "$@" && ls "$VSM_VM_OUTPUT" >listed
END
chmod +x runner
mkdir dot.d
VSM_VM_RUN=$dir/runner "$vsm" launch --vm --json=new.json --junit=./dot.d/junit k.launch >out 2>err ||
	: >listed
[ ! -s err ] && grep -q '^file-[0-9]*\.json$' listed && grep -q '^file-[0-9]*$' listed &&
	reads_json new.json && reads_junit dot.d/junit
result $? 'files that come out of a virtual machine keep their endings'

printf 'module k.ptx\nbuffer a 16\nlaunch fill args a\nwrite a written\n' |
	VSM_VM_RUN=$dir/runner "$sanitized" launch --vm --json=piped.json - >out 2>err &&
	[ "$(od -An -tu4 -N4 written | tr -d ' ')" = 7 ] && reads_json piped.json
result $? 'launch --vm reads a launch file from standard input'

# In place of tools/vm/run: something that writes all that it can into the folder for files.
cat >hostile <<-'END'
	#!/bin/sh
	printf %s "${0%/*}/other" >"$VSM_VM_OUTPUT/path-7"
	for name in file-7 file-1 file-1.txt ../file-2; do echo guest >"$VSM_VM_OUTPUT/$name"; done
END
chmod +x hostile
printf 'buffer a 16\nlaunch fill args a\nwrite a written\n' >k2.launch
sed -i '1i module k.ptx' k2.launch
rm written
VSM_VM_RUN=$dir/hostile TMPDIR=$dir "$sanitized" launch --vm k2.launch >out 2>err
[ ! -e other ] && rm file-2 && [ -z "$(find . -name 'file-*')" ] && [ "$(cat written)" = guest ]
result $? 'launch --vm takes only the files of its plan from the virtual machine'

# --- colours ------------------------------------------------------------------

# Usage: terminal [VARIABLE=VALUE]. Runs $run with a terminal. Its output goes to $dir/out.
terminal() {
	env -u NO_COLOR TERM=xterm "$@" script -qec "$run" /dev/null </dev/null 2>&1 | tr -d '\r' >out
}
escape=$(printf '\033')
run="'$vsm' launch --tap bad.launch"
terminal
{ grep -q "^$escape\[32mok$escape\[m 1 - bad" out &&
	grep -q "^$escape\[31mnot ok$escape\[m 2" out &&
	grep -q "^#   at $escape\[36mbad.ptx:14$escape\[m: trap$" out; }
result $? 'results have colours on a terminal'
"$vsm" launch --tap bad.launch >plain 2>&1
sed "s/$escape\[[0-9;]*m//g" out | cmp -s - plain
result $? 'results on a terminal differ only in colours'
for variable in NO_COLOR=1 TERM=dumb; do
	terminal $variable
	cmp -s out plain
	result $? "results have no colours on a terminal with $variable"
done
run="'$vsm' launch --tap --color=never bad.launch"
terminal
cmp -s out plain
result $? 'results have no colours with --color=never'
run="'$vsm' launch --tap --color=auto bad.launch | cat"
terminal
cmp -s out plain
result $? 'results in a pipe have no colours'
NO_COLOR=1 TERM=dumb "$vsm" launch --tap --color=always bad.launch >out 2>&1
grep -q "$escape" out && sed "s/$escape\[[0-9;]*m//g" out | cmp -s - plain
result $? 'results have colours with --color=always'
"$vsm" launch --color=always --json=json --junit=junit bad.launch >out 2>&1
grep -q "$escape" out && ! grep -q "$escape" json junit && ! grep -q 'u001b' json && reads_json json
result $? 'results in files have no colours'

finish

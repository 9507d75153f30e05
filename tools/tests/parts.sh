#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests, without a device, which tests vsm runs: files, folders, standard input and --shard, and how
# the results of parts are merged. Prints TAP. selftests/results tests the rest.
#
#	parts.sh VSM
#
# VSM is the program with sanitizers.

vsm=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=tap.sh
. "$here/tap.sh"
cd "$dir" || exit 1

# Usage: refuses WHAT MESSAGE ARGUMENT... Tests that vsm ends with status 2 and the message.
refuses() {
	what=$1
	message=$2
	shift 2
	"$vsm" "$@" >out 2>err
	[ $? = 2 ] && [ ! -s out ] && [ "$(cat err)" = "vsm: $message" ]
	result $? "$what"
}

# Usage: scenario NAME... Prints a scenario file with tests of these names. `run --check --objects`
# prints a line for each.
scenario() {
	echo 'cluster threads=1'
	for name; do
		printf 'test %s\n0.0: mbarrier.init.shared.b64 [0x40], 1\n' "$name"
	done
}

# Usage: lists ARGUMENT... Writes to "out" the places of all tests that `vsm run ARGUMENT...` would
# run.
lists() {
	"$vsm" run --check --objects "$@" >objects 2>err && sed 's/: mbarrier at .*//' objects >out
}

mkdir -p all/b/c all/.hidden empty
scenario one two three >all/z.vsm
scenario one >all/b/b.vsm
scenario one two >all/b/c/c.vsm
scenario one >all/.hidden/h.vsm
scenario one >all/.h.vsm
scenario one >all/readme.txt
ln -s .. all/b/c/up
lists all && printf '%s\n' all/b/b.vsm:3 all/b/c/c.vsm:3 all/b/c/c.vsm:5 all/z.vsm:3 all/z.vsm:5 \
	all/z.vsm:7 | cmp -s - out
result $? 'run takes all scenarios below a folder, in order'
lists all/b/ all/z.vsm:two && printf '%s\n' all/b/b.vsm:3 all/b/c/c.vsm:3 all/b/c/c.vsm:5 \
	all/z.vsm:5 | cmp -s - out
result $? 'run takes folders and files'
lists - <all/b/b.vsm && [ "$(cat out)" = 'standard input:3' ]
result $? 'run reads standard input'
echo 'cluster x' | "$vsm" run --check - >out 2>err
[ $? = 1 ] && grep -q '^standard input:1:9: ' err
result $? 'run reports errors in standard input'
refuses 'run refuses standard input twice' 'run: standard input can be read only once' \
	run --check - all - </dev/null
refuses 'run refuses an empty folder' 'run: empty: there is no file *.vsm in this folder' \
	run --check all empty
mkdir dangling
ln -s gone dangling/gone.vsm
ln -s gone dangling/gone.txt
scenario one >dangling/one.vsm
refuses 'run refuses a link to no file among the files of a folder' \
	'run: dangling/gone.vsm: No such file or directory' run --check dangling
refuses 'run refuses no jobs' 'run: --jobs 0: expected 1 to 1024' run -j 0 all
refuses 'run refuses too many jobs' 'run: --jobs 1025: expected 1 to 1024' run -j 1025 all
refuses 'run refuses what is no number of jobs' 'run: --jobs 2x: expected 1 to 1024' run -j2x all

# --- parts --------------------------------------------------------------------

for command in run launch; do
	for shard in 0/3 4/3 1/0 1 1/ /3 1/3x '1/ 3' -1/3 +1/3 1/-3 1/1000000 ''; do
		refuses "$command refuses --shard '$shard'" \
			"$command: --shard $shard: expected a part and their number, such as 2/5" \
			$command --shard "$shard" all
	done
done
lists all
sort out >expected
for parts in 1 2 3 6 7; do
	: >union
	least=9
	most=0
	for part in $(seq $parts); do
		lists --shard "$part/$parts" all
		cat out >>union
		size=$(wc -l <out)
		[ "$size" -ge "$least" ] || least=$size
		[ "$size" -le "$most" ] || most=$size
	done
	sort union >out
	cmp -s expected out && [ $((most - least)) -le 1 ]
	result $? "$parts parts have each test once, and are of the same size"
done
for part in 1 2 3; do
	lists --shard $part/3 all/z.vsm all/b/b.vsm all/b/c && sort out >"part.$part"
	lists --shard $part/3 all/b/c all/z.vsm all/b/b.vsm && sort out | cmp -s - "part.$part"
	result $? "part $part is the same, whatever the order of the files"
done

# A kernel without instructions for the device needs none.
printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry good()' '{' \
	'	ret;' '}' '.visible .entry bad()' '{' '	trap;' '}' >k.ptx
cp k.ptx good.ptx
cp k.ptx bad.ptx
printf 'launch good\nlaunch good\n' >good.launch
printf 'launch good\nlaunch bad\nlaunch good\n' >bad.launch
for part in 1 2 3; do
	"$vsm" launch --shard $part/3 --seeds 4..10 --tap good.launch
done >out 2>err
[ ! -s err ] && grep -o 'seed [0-9]*$' out | sort -k 2n >seen &&
	for seed in 4 5 6 7 8 9 10; do echo "seed $seed"; done | cmp -s - seen &&
	[ "$(grep -cx '1..[23]' out)" = 3 ]
result $? 'launch --shard gives each seed to one part'
for part in 1 2 3; do
	"$vsm" launch --shard $part/3 --tap good.launch
done >out 2>err
[ ! -s err ] && [ "$(grep -c '^ok' out)" = 2 ] && [ "$(grep -c '^1..0 # SKIP' out)" = 2 ]
result $? 'launch --shard gives a file to one part'
for part in 1 2 3; do
	"$vsm" launch --shard $part/3 good.launch
done >out 2>err
[ ! -s err ] && [ "$(grep -c '^good.launch: no launch belongs to part [123] of 3$' out)" = 2 ]
result $? 'launch --shard says that it runs nothing'

# --- merged results -----------------------------------------------------------

# Usage: merges STATUS ARGUMENT... Tests that `vsm results merge` ends with the status.
merges() {
	expected=$1
	shift
	"$vsm" results merge "$@" >out 2>err
	[ $? = "$expected" ] && [ ! -s err ]
}

# Usage: reads_json FILE, reads_junit FILE. Checks FILE, and prints what it says to "out".
reads_json() {
	python3 "$here/results.py" json "$1" >out 2>err
}

reads_junit() {
	xmllint --noout --schema "$here/junit.xsd" "$1" >out 2>err &&
		python3 "$here/results.py" junit "$1" >out 2>err
}

for part in 1 2 3; do
	for name in good bad; do
		"$vsm" launch --shard $part/3 --seeds 1..9 --json="$name.$part" $name.launch \
			>out 2>err
	done
done
merges 0 good.2 good.1 good.3 && printf '%s\n' 'KTAP version 1' 1..1 '  KTAP version 1' \
	'  # Subtest: good.launch' '  1..2' '  ok 1 good' '  ok 2 good' 'ok 1 good.launch' |
	cmp -s - out
result $? 'results merge prints KTAP'
merges 0 --json=json --junit=junit good.1 good.2 good.3 && reads_json json &&
	printf "pass 'good.launch' good %s 9/9\n" 1 2 | cmp -s - out && reads_junit junit
result $? 'results merge adds the seeds of all parts'
merges 1 --json=json --junit=junit good.1 good.2 good.3 bad.1 bad.2 bad.3 &&
	grep -q '^  # seed 1 (--seed 1 repeats it)$' out && grep -q '^  not ok 2 bad$' out &&
	grep -q '^not ok 1 bad.launch$' out && grep -q '^ok 2 good.launch$' out &&
	grep -q '^  ok 3 good # SKIP an earlier launch' out && reads_json json &&
	[ "$(grep -c "^pass 'good.launch' good [12] 9/9$" out)" = 2 ] &&
	grep -q "^fail 'bad.launch' bad 2 1/" out && reads_junit junit
result $? 'results merge fails if a test has failed'
merges 1 --json good.3 good.1 && mv out json && reads_json json &&
	grep -q "^fail 'part 2 of 3' None None None/None$" out
result $? 'results merge fails if a part is missing'
merges 1 --junit good.1 && mv out junit && reads_junit junit && [ "$(grep -c ^fail out)" = 2 ]
result $? 'results merge --junit has the parts that are missing'
merges 1 good.1 good.3 && grep -q '^# part 2 of 3: there are no results of this part; good.1 has a part of the same 2 tests with seeds 1\.\.9$' out &&
	grep -q '^not ok 2 part 2 of 3$' out
result $? 'results merge prints which part is missing'
# A part that is there twice, and parts of other tests or of other seeds.
cp good.2 copy.2
refuses 'results merge refuses a part that is there twice' \
	'results merge: copy.2: good.2 has results of the same part' \
	results merge good.1 good.2 good.3 copy.2
cp good.launch before.launch
echo 'launch good' >>good.launch
"$vsm" launch --shard 2/3 --seeds 1..9 --json=longer.2 good.launch >out 2>err
mv before.launch good.launch
"$vsm" launch --shard 2/3 --seeds 1..10 --json=seeds.2 good.launch >out 2>err
"$vsm" launch --shard 2/3 --json=unseeded.2 good.launch >out 2>err
for other in longer seeds unseeded; do
	merges 1 good.1 $other.2 good.3 &&
		grep -q '^# part 2 of 3: .*; good.1 has a part of the same 2 tests with' out &&
		grep -q "^# part 1 of 3: .*; $other.2 has a part of the same [23] tests" out &&
		grep -q "^# part 3 of 3: .*; $other.2 has a part of the same [23] tests" out
	result $? "results merge finds out that parts do not fit together: $other"
done

merges 0 --json=whole good.1 good.2 good.3 && merges 0 --json=again whole && cmp -s again whole
result $? 'merged results can be merged again'
"$vsm" launch --json=plain good.launch >out 2>err
"$vsm" launch --json=other bad.launch >out 2>err
cp plain twice
refuses 'results merge refuses the same results that are no parts' \
	'results merge: twice: plain has the same results' results merge plain other twice
merges 1 plain other && grep -q '^ok 2 good.launch$' out && grep -q '^not ok 1 bad.launch$' out
result $? 'results merge takes results that are no parts'

sed 's/"command": "launch"/"command": "run"/' good.2 >run.2
refuses 'results merge refuses results of two commands' \
	'results merge: run.2: these are results of vsm run, and not of vsm launch' \
	results merge good.1 run.2
"$vsm" launch --shard 1/4 --json=four good.launch >out 2>err
refuses 'results merge refuses parts of different numbers' \
	'results merge: four: this is one of 4 parts, and not one of 3' results merge good.1 four
refuses 'results merge refuses a part and a whole' \
	'results merge: plain: these are results of all tests, not of a part' \
	results merge good.1 plain
refuses 'results merge refuses a whole and a part' \
	'results merge: good.1: these are results of a part, not of all tests' \
	results merge plain good.1
refuses 'results merge needs a file' "results merge: no FILE; try 'vsm results merge --help'" \
	results merge
refuses 'results merge refuses a file that is not there' \
	'results merge: none: No such file or directory' results merge good.1 none
refuses 'results merge refuses what is no JSON' 'results merge: k.ptx: this is no JSON' \
	results merge k.ptx
head -c 300 good.1 >cut.json
refuses 'results merge refuses a document that is cut off' 'results merge: cut.json: this is no JSON' \
	results merge cut.json
cat good.1 bad.2 >two.json
printf 'null' | cat good.1 - >null.json
printf '\0' | cat good.1 - >zero.json
for file in two null zero; do
	refuses "results merge refuses more than a document, as in $file.json" \
		"results merge: $file.json: something follows the JSON document" \
		results merge $file.json
done
printf '\n\t \r\n' | cat good.2 - >spaces
merges 0 good.1 spaces good.3
result $? 'results merge takes white space behind a document'
sed 's/"version": 1/"version": 2/' good.1 >version
refuses 'results merge refuses another version' \
	'results merge: version: these are no results of a version that this program knows' \
	results merge version
for change in 's/"shard": "1\/3"/"shard": 1/' 's/"shard"/"shared"/' 's/"whole"/"while"/' \
	's/"hash": "0x/"hash": "0y/' 's/"hash": ".*"/"hash": 7/' 's/"files"/"flies"/' 's/"launch"/"play"/' 's,"1/3","4/3",' 's/"tests"/"text"/' \
	's/"file":/"fill":/' 's/^          "result": "pass"/          "result": 7/'; do
	sed "$change" good.1 >changed
	refuses "results merge refuses a document after $change" \
		'results merge: changed: these are no results that vsm has written as JSON' \
		results merge changed
done
mkdir folder
refuses 'results merge finds out first whether it can write' \
	'results merge: folder: Is a directory' results merge --json=folder good.1

finish

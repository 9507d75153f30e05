#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs all launch files, on a machine that has the device:
# tools/vm/run -- selftests/kernels/run.sh [OPTION...]
#
# Each OPTION is one of `vsm launch`, such as --seed 5. The script prints KTAP, one result for each
# launch. If a file FILE.out stands beside FILE.launch, what the launches print must be its
# contents, which is one more result. The same holds for the part of the file `reports` below the
# line "== FILE", and for what `vsm launch --seed 1` prints in this folder. Line numbers of PTX depend
# on the compiler: a report in which N stands for them is compared without them. If `// BUG` marks a
# mistake in FILE.cu, one more result says whether the first five lines of this report name its line.
# VSM is the path of vsm; the default is that of the build. LAUNCHES is the folder of the launch
# files; the default is build/kernels.

here=$(dirname "$0")
vsm=$(realpath "${VSM:-$here/../../build/tools/vsm}") || exit 1
folder=${LAUNCHES:-$here/../../build/kernels}
dir=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$dir"' EXIT
out=$dir/out
mkdir "$out" || exit 1
status=0
number=0

# Usage: result STATUS NAME
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		status=1
	fi
}

# Usage: mistake FILE.cu
# Prints the line of the mistake: that of the mark, or the next line of code if the mark stands
# alone in its line.
mistake() {
	awk '/\/\/ BUG/ { marked = 1 }
		{ sub(/\/\/.*/, "") }
		marked && /[^ \t]/ { print FNR; exit }' "$1"
}

# Usage: named REPORT FILE.cu
# Do the first five lines of the report name the line of the mistake?
named() {
	head -n 5 "$1" | grep -qE "[ /]$(basename "$2"):$(mistake "$2")([^0-9]|$)"
}

# Usage: same REPORT OUTPUT
# Is the output that of the report, also in its lines of PTX unless the report has N for them?
same() {
	if grep -qE 'PTX line N|\.ptx:N' "$1"; then
		sed -E 's/(PTX line |\.ptx:)[0-9]+/\1N/g' "$2" | diff "$1" -
	else
		diff "$1" "$2"
	fi
}

# Usage: has LIST WORD
# Is this word a line of the list?
has() {
	case "
$1
" in *"
$2
"*) return 0 ;; esac
	return 1
}

# In an emulated machine, a process takes long to start. One process therefore looks at all files, where
# that is possible. The report of NAME.launch, if there is one, goes to $out/NAME.
launches=$(cat "$folder"/*.launch "$folder"/*/*.launch 2>/dev/null | grep -c '^launch ')
bugs=$(grep -ls '// BUG' "$folder"/*.cu "$folder"/*/*.cu)
unnamed=$(grep -ls '// BUG, not named:' "$folder"/*.cu "$folder"/*/*.cu)
for file in "$folder"/*/; do
	[ ! -d "$file" ] || mkdir "$out/$(basename "$file")"
done
[ ! -e "$folder/reports" ] ||
	awk -v out="$out" '/^== / { close(file); file = out "/" $2; next } { print >file }' "$folder/reports" ||
	exit 1

# Count the launches for the plan, so that a launch without a result is noticed.
plan=$launches
for file in "$folder"/*.launch "$folder"/*/*.launch; do
	name=${file#"$folder"/}
	name=${name%.launch}
	[ ! -e "$file" ] || [ ! -e "$folder/$name.out" ] || plan=$((plan + 1))
	[ ! -e "$file" ] || [ ! -s "$out/$name" ] || plan=$((plan + 1))
	[ ! -e "$file" ] || ! has "$bugs" "$folder/$name.cu" || plan=$((plan + 1))
done
echo 'KTAP version 1'
echo "1..$plan"

for file in "$folder"/*.launch "$folder"/*/*.launch; do
	[ -e "$file" ] || continue
	name=${file#"$folder"/}
	"$vsm" launch --tap --time-limit 5m "$@" "$file" >"$out.tap" 2>"$out.err"
	ended=$?
	[ ! -s "$out.err" ] || sed 's/^/# /' "$out.err"
	# Number the results of all files in sequence, and leave out the paths of their names.
	awk -v number="$number" -v file="$name" -v last="$out.number" '/^(TAP version|1\.\.)/ { next }
		/^(not )?ok / {
			sub(/ok [0-9]+ - [^ ]*:/, "ok " ++number " " file ":")
		}
		{ print }
		END { print number >last }' "$out.tap"
	read -r number <"$out.number"
	if [ $ended != 0 ]; then
		echo "# vsm launch $name ends with status $ended"
		status=1
	fi
	name=${name%.launch}
	if [ -e "$folder/$name.out" ]; then
		sed -n 's/^# //p' "$out.tap" | diff "$folder/$name.out" - >"$out.diff"
		differs=$?
		sed 's/^/# /' "$out.diff"
		result $differs "$name.launch prints what is in $name.out"
	fi
	source=$folder/$name.cu
	if [ -s "$out/$name" ] || has "$bugs" "$source"; then
		(cd "$folder" && "$vsm" launch --seed 1 --time-limit 5m "$name.launch") >"$out.report" 2>&1
	fi
	if [ -s "$out/$name" ]; then
		same "$out/$name" "$out.report" >"$out.diff"
		differs=$?
		sed 's/^/# /' "$out.diff"
		result $differs "$name.launch reports what is in reports"
	fi
	if has "$unnamed" "$source"; then
		! named "$out.report" "$source"
		result $? "$name.launch: the report begins without the line of the mistake, as its mark says"
	elif has "$bugs" "$source"; then
		named "$out.report" "$source"
		result $? "$name.launch: the report begins with the line of the mistake, $(mistake "$source")"
	fi
done
exit $status

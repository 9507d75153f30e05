#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests what is made from vsm's table of commands: --help and the man page. Prints TAP.
#
#	usage.sh VSM SANITIZED MANUAL
#
# SANITIZED is the same program with sanitizers. MANUAL is the man page.

vsm=$1
sanitized=$2
manual=$3
here=$(dirname "$0")
# shellcheck source=tap.sh
. "$here/tap.sh"

# Usage: succeeds WHAT ARGUMENT... Tests that vsm succeeds, and prints only on standard output.
succeeds() {
	what=$1
	shift
	"$sanitized" "$@" >"$dir/out" 2>"$dir/err" && [ -s "$dir/out" ] && [ ! -s "$dir/err" ]
	result $? "$what"
}

# Usage: refuses WHAT MESSAGE ARGUMENT... Tests that vsm ends with status 2 and the message.
refuses() {
	what=$1
	message=$2
	shift 2
	"$sanitized" "$@" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(cat "$dir/err")" = "vsm: $message" ]
	result $? "$what"
}

succeeds '--help succeeds' --help
cp "$dir/out" "$dir/all"
for args in -h help 'help --help'; do
	# shellcheck disable=SC2086
	succeeds "$args succeeds" $args
	[ "$args" = 'help --help' ] || cmp -s "$dir/all" "$dir/out"
	result $? "$args prints a help"
done

# Each line "  vsm NAME..." names a command; the name ends before the first option or operand.
sed -n 's/^  vsm \([a-z ]*[a-z]\).*/\1/p' "$dir/all" >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -ge 17 ]
result $? 'help lists all commands'
groff -man -Tascii -P-cbou -rLL=200n "$manual" >"$dir/manual"
while read -r command; do
	# shellcheck disable=SC2086
	succeeds "$command --help succeeds" $command --help
	cp "$dir/out" "$dir/help"
	head -n 1 "$dir/out" | grep -q "^usage: vsm $command\( \|$\)" && ! grep -q '.\{81\}' "$dir/out"
	result $? "$command --help prints the usage, in 80 columns"
	for args in "help $command" "$command -h"; do
		# shellcheck disable=SC2086
		"$sanitized" $args >"$dir/out" 2>"$dir/err" && cmp -s "$dir/out" "$dir/help"
		result $? "$args prints the same as $command --help"
	done
	# shellcheck disable=SC2086
	refuses "$command refuses an unknown option" \
		"$command: no option '--zzz'; try 'vsm $command --help'" $command --zzz
	usage=$(sed -n '1s/^usage: vsm //p' "$dir/help")
	missing=
	grep -qxF "       vsm $usage" "$dir/manual" && grep -qF "       $usage" "$dir/manual" ||
		missing=$usage
	grep -o '^  -[^ ].*' "$dir/help" | sed 's/^  //; s/   .*//' | grep -v '^-h' >"$dir/options"
	while read -r option; do
		grep -qF -- "              $option" "$dir/manual" || missing="$missing $option"
	done <"$dir/options"
	echo "$missing" >"$dir/out"
	[ -z "$missing" ]
	result $? "the man page has $command and its options"
done <"$dir/commands"
for group in trace device; do
	succeeds "$group --help succeeds" $group --help
	sed -n 's/^  vsm \([a-z ]*[a-z]\).*/\1/p' "$dir/out" >"$dir/seen"
	grep "^$group " "$dir/commands" | cmp -s - "$dir/seen"
	result $? "$group --help lists its commands"
done

refuses 'a similar option is named' "launch: no option '--gird'; did you mean --grid?" \
	launch --gird 4 a.ptx
refuses 'a similar option with a value is named' "run: no option '--sed=4'; did you mean --seed?" \
	run --sed=4 a.vsm
refuses 'a short option that is not there is named' "ps: no option '-x'; try 'vsm ps --help'" \
	ps -x
refuses 'a similar command is named' "no command 'runn'; did you mean run?" runn
refuses 'a command that is like no other is refused' "no command 'zzzzz'; try 'vsm --help'" zzzzz
refuses 'help refuses what is no command' "no command 'zzzzz'; try 'vsm --help'" help zzzzz
refuses 'an option without a value is refused' 'ps: --why takes no value' ps --why=3
refuses 'a missing value is refused' 'ps: -d needs a value, SECONDS' ps -d
refuses 'a missing word is refused' 'run: --color needs a value: auto, always or never' run --color
refuses 'a wrong word is refused' "run: --color is auto, always or never, not 'red'" run --color=red
refuses 'too many operands are refused' "launch: takes FILE [KERNEL], not also 'c'" launch a b c
refuses 'an operand is refused where there is none' "info: takes no operand 'a'" info a
refuses 'a missing operand is refused' \
	"device set: no OPTION=VALUE; try 'vsm device set --help'" device set name
"$sanitized" trace record --help >"$dir/help" && "$sanitized" trace record --vm --help >"$dir/out" \
	2>"$dir/err" && cmp -s "$dir/help" "$dir/out"
result $? '--help may stand behind other options'
"$sanitized" trace record -o r.doc ls --help >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && [ ! -s "$dir/out" ] && grep -q 'r.doc does not end in' "$dir/err"
result $? '--help behind a command to record belongs to that command'

: >"$dir/out"
groff -man -ww -z "$manual" 2>"$dir/err" && [ ! -s "$dir/err" ]
result $? 'groff has no complaint about the man page'
mandoc -T lint "$manual" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/out" ]
result $? 'mandoc has no complaint about the man page'
[ "$("$vsm" --version)" = "$(sed -n 's/^\.TH VSM 1 [0-9-]* "\(.*\)" ".*"$/\1/p' "$manual")" ]
result $? 'the man page has the version of vsm'
sed -n 's/.*the presets are //p' <<-END | tr ' ' '\n' >"$dir/out"
	$("$vsm" device create a preset=none 2>&1)
END
"$vsm" fill >"$dir/seen" 2>"$dir/err" <<-'END'
	# @bash-operands@
END
while read -r preset; do
	grep "'device create '" "$dir/seen" | grep -q "preset=$preset\b" || echo "$preset"
done <"$dir/out" >"$dir/err"
[ -s "$dir/out" ] && [ ! -s "$dir/err" ]
result $? 'the completions have all presets'

# Usage: fills MESSAGE LINE. Tests that vsm fill refuses the line.
fills() {
	echo "$2" | "$sanitized" fill >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && [ ! -s "$dir/out" ] && [ "$(cat "$dir/err")" = "vsm: fill: $1" ]
	result $? "fill refuses '$2'"
}
fills "no text 'nothing'" '# @nothing@'
fills "no command 'runn'" '.\" @options runn@'
fills "no command 'run fast'" '.\" @options run fast@'

finish

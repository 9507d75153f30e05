#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests how `vsm device` is called, without a device. Prints TAP. selftests/devices tests the rest.
#
#	device.sh SANITIZED
#
# SANITIZED is vsm with sanitizers.

vsm=$1
here=$(dirname "$0")
# shellcheck source=tap.sh
. "$here/tap.sh"

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

refuses 'device needs a subcommand' 2 'device: no subcommand; try' device
refuses 'device names an unknown subcommand' 2 "no subcommand 'lsit'; did you mean list?" device lsit
for command in list create set show remove load unload; do
	"$vsm" device --help >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
		grep -q "^  vsm device $command " "$dir/out" &&
		"$vsm" device $command name --help >"$dir/out" 2>"$dir/err" &&
		[ ! -s "$dir/err" ] && sed -n 1p "$dir/out" | grep -q "^usage: vsm device $command "
	result $? "device $command has a help"
	refuses "device $command refuses an unknown option" 2 \
		"device $command: no option '--fast'; try 'vsm device $command --help'" \
		device $command --fast
done
refuses 'device list takes no name' 2 "list: takes no operand 'name'" device list name
refuses 'device show takes one name' 2 "show: takes NAME, not also 'more'" device show name more
for command in create set show remove; do
	more=latency_ns=1
	[ $command != show ] || more=
	refuses "device $command needs a name" 2 "device $command: no NAME" device $command
	for name in '' . .. a/b /; do
		refuses "device $command refuses the name '$name'" 2 \
			"$command: '$name' cannot be the name of a device" \
			device $command "$name" $more
	done
done
refuses 'device remove looks at all names first' 2 "'..' cannot be the name of a device" \
	device remove a b ..
for operand in latency_ns =1; do
	refuses "device create refuses the operand '$operand'" 2 \
		"create: '$operand' is not OPTION=VALUE" device create name "$operand"
	refuses "device set refuses the operand '$operand'" 2 \
		"set: '$operand' is not OPTION=VALUE" device set name "$operand"
done
for command in create set; do
	for name in '' h900 h100,h900; do
		refuses "device $command refuses the preset '$name'" 2 \
			"$command: preset=$name: the presets are h100$" \
			device $command name latency_ns=1 "preset=$name"
	done
done
refuses 'device set needs an option' 2 'no OPTION=VALUE' device set name
refuses 'device create sets enabled itself' 2 "'enabled' is set last; see --disabled" \
	device create name enabled=1 latency_ns=5
for command in load unload; do
	refuses "device $command needs a file" 2 "device $command: no FILE" device $command
	refuses "device $command refuses a file that does not exist" 1 \
		"device $command: $dir/none: No such file" device $command "$dir/none"
	echo '# a comment, and nothing else' >"$dir/conf"
	"$vsm" device $command "$dir/conf" >"$dir/out" 2>&1 && [ ! -s "$dir/out" ]
	result $? "device $command does nothing if no device is named"
	refuses "device $command refuses a folder" 1 "device $command: $dir: Is a directory" \
		device $command "$dir"
	printf 'a\0b\n' >"$dir/conf"
	refuses "device $command refuses a file that is no text" 2 \
		"device $command: $dir/conf: this is not a text file" device $command "$dir/conf"
	while IFS='|' read -r line message; do
		printf '# a comment\n\n%b\n' "$line" >"$dir/conf"
		refuses "device $command refuses the line '$line'" 2 \
			"device $command: $dir/conf:3: $message" device $command "$dir/conf"
	done <<-'END'
		a/b|'a/b' cannot be the name of a device$
		..|'..' cannot be the name of a device$
		name --fast|no option '--fast'$
		--disabled # name|expected the NAME of a device$
		name latency_ns|'latency_ns' is not OPTION=VALUE$
		name =1|'=1' is not OPTION=VALUE$
		name preset=h900|preset=h900: the presets are h100$
		name\tenabled=1|'enabled' is set last; see --disabled$
	END
done
"$vsm" help >"$dir/out" 2>"$dir/err" && grep -q '^  vsm device list' "$dir/out"
result $? 'help names the command device'
[ -e /sys/module/vsm ] || {
	refuses 'device list fails where there is no module' 1 'list: no vsm device' device list
	for command in 'create n' 'set n a=1' 'show n' 'remove n'; do
		# shellcheck disable=SC2086 # the words are separate arguments
		refuses "device $command fails where there is no module" 1 \
			'the module is not loaded (modprobe vsm)' device $command
	done
	echo 'name latency_ns=1 # a comment' >"$dir/conf"
	for command in load unload; do
		refuses "device $command fails where there is no module" 1 \
			'the module is not loaded (modprobe vsm)' device $command "$dir/conf"
	done
}

finish

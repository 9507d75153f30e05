#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the completion of vsm in bash. Prints TAP.
#
#	completion.sh FOLDER
#
# FOLDER has the completion, vsm.bash.

folder=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=tap.sh
. "$here/tap.sh"

# The completion asks vsm for the devices. This vsm has those in $dir/bin/devices.
mkdir "$dir/bin" "$dir/files" "$dir/files/folder" "$dir/files/runs"
cat >"$dir/bin/vsm" <<-'END'
	#!/bin/sh
	[ "$*" = "device list" ] && cat "${0%/*}/devices"
END
cat >"$dir/bin/devices" <<-'END'
	NAME  DEVICE  NODE                 STATE
	-     vsm.0   /dev/dri/renderD128  on
	fast  vsm.1   /dev/dri/renderD129  on
	slow  -       -                    off
END
cp "$dir/bin/vsm" "$dir/bin/vsm0-test"
chmod +x "$dir/bin/vsm" "$dir/bin/vsm0-test"
PATH=$dir/bin:$PATH
cd "$dir/files" || exit 1
touch a.vsm ab.vsm a.launch a.ptx a.json a.xml a.svg a.trace a.txt a.c

# Usage: in_bash LINE. Prints what bash completes at the end of LINE, one on each line.
in_bash() {
	# readline splits a line at spaces, = and :.
	line=$(printf '%s\n' "$1" | sed 's/[=:]/ & /g')
	case $line in *' ') line="$line''" ;; esac
	eval "set -- $line"
	# shellcheck disable=SC2016
	bash --norc -c 'source "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _vsm &&
		((${#COMPREPLY[@]})) && printf "%s\n" "${COMPREPLY[@]}"' "$folder/vsm.bash" "$@"
}

# Usage: completes LINE [WORD...]. Tests that bash completes exactly these words.
completes() {
	line=$1
	shift
	for word; do echo "$word"; done | sort >"$dir/expected"
	in_bash "$line" 2>"$dir/err" | sed 's/^.*=//; s,/$,,' | sort -u >"$dir/out"
	cmp -s "$dir/expected" "$dir/out" && [ ! -s "$dir/err" ]
	result $? "bash completes '$line'"
}

completes 'vsm ru' run
completes 'vsm d' decode device dump
completes 'vsm trace ' record show export
completes 'vsm device s' set show
completes 'vsm run --no' --no-limit
completes 'vsm run --se' --seed --seeds
completes 'vsm launch --po' --policy
completes 'vsm launch --policy ' strict hardware
completes 'vsm launch --policy=h' hardware
completes 'vsm decode --layout ' sm_90 sm_80
completes 'vsm run a' a.vsm ab.vsm
completes 'vsm run --seed 4 a.vsm r' runs
completes 'vsm run --seed '
completes 'vsm launch a' a.launch a.ptx
completes 'vsm launch --seed 4 a' a.launch a.ptx
completes 'vsm launch a.ptx a'
completes 'vsm run --json=a' a.json
completes 'vsm run --vm=6.12' 6.12
completes 'vsm run --timeline a' a.svg a.trace a.txt
completes 'vsm trace export a' a.trace a.txt
completes 'vsm trace export a.trace -o a' a.svg a.trace a.txt
completes 'vsm trace record vsm0' vsm0-test
completes 'vsm trace record -o x.svg -- vsm0' vsm0-test
completes 'vsm device remove ' fast slow
completes 'vsm device remove fast s' slow
completes 'vsm device show f' fast
completes 'vsm device set slow preset=h' h100
completes 'vsm device set slow en' 0 1
completes 'vsm help tr' trace
completes 'vsm help trace s' show
completes 'vsm help run '

# A name of a device may contain anything. Bash does not execute it, and wants it quoted.
cat >"$dir/bin/devices" <<-'END'
	NAME           DEVICE  NODE  STATE
	$(>hit)`>hit`  -       -     off
	my device      -       -     off
END
in_bash 'vsm device show ' >"$dir/out" 2>"$dir/err"
[ "$(wc -l <"$dir/out")" = 2 ] && [ ! -e hit ] && [ ! -s "$dir/err" ]
result $? 'bash does not execute names of devices'
rm -f hit
in_bash 'vsm device show ' | while read -r word; do
	eval "echo $word"
done >"$dir/out"
# shellcheck disable=SC2016
[ ! -e hit ] && printf '%s\n' '$(>hit)`>hit`' 'my device' | cmp -s - "$dir/out"
result $? 'bash quotes names of devices'
[ "$(in_bash "vsm device show 'my\\ d'")" = 'my\ device' ]
result $? 'bash completes a name with a space'

finish

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the vsm command says, where that needs no device. Prints TAP.
#
#	test.sh VSM

vsm=$1
count=0
failed=0

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2" >>"$dir/results"
	else
		echo "not ok $count - $2" >>"$dir/results"
		sed 's/^/# /' "$dir/out" "$dir/err" >>"$dir/results"
		failed=1
	fi
}

# Usage: says WHAT ARGUMENT... <<EXPECTED: on standard output, and exits with 0.
says() {
	what=$1
	shift
	"$vsm" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	cat >"$dir/expected"
	cmp -s "$dir/out" "$dir/expected" && [ $status = 0 ] && [ ! -s "$dir/err" ]
	result $? "$what"
}

# Usage: refuses WHAT STATUS PATTERN ARGUMENT...: on standard error alone.
refuses() {
	what=$1
	expected=$2
	pattern=$3
	shift 3
	"$vsm" "$@" >"$dir/out" 2>"$dir/err"
	[ $? = "$expected" ] && [ ! -s "$dir/out" ] && grep -q -e "^vsm: .*$pattern" "$dir/err"
	result $? "$what"
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
refuses 'decode refuses an unknown layout' 2 "no layout 'sm_70'" decode --layout sm_70 1
refuses 'decode refuses --layout alone' 2 'needs sm_80 or sm_90' decode --layout
refuses 'decode refuses an unknown option' 2 "no option '--token'" decode --token 1
refuses 'info refuses an operand' 2 "no operand 'x'" info x
refuses 'an unknown command is refused' 2 "no command 'run'" run
refuses 'no command is refused' 2 'no command'
# Where there is a device this is not the place to ask for it.
ls /sys/bus/platform/drivers/vsm/vsm* >/dev/null 2>&1 ||
	refuses 'info fails where there is no device' 1 'no vsm device' info

"$vsm" help >"$dir/out" 2>"$dir/err" && grep -q 'vsm decode' "$dir/out"
result $? 'help names the commands'
"$vsm" --version >"$dir/out" 2>"$dir/err" && grep -qx 'vsm [0-9.]*' "$dir/out"
result $? '--version says the version'
if [ -w /dev/full ]; then
	"$vsm" help >/dev/full 2>"$dir/err"
	[ $? = 1 ] && grep -q 'cannot write' "$dir/err"
	result $? 'a full disk is noticed'
fi

echo "1..$count"
cat "$dir/results"
exit $failed

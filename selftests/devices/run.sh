#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `vsm device`, on a machine that has the device:
# tools/vm/run -- selftests/devices/run.sh
#
# The script prints KTAP. VSM is the path of vsm; the default is that of the build.

here=$(realpath "$(dirname "$0")") || exit 1
vsm=$(realpath "${VSM:-$here/../../build/tools/vsm}") || exit 1
rules=$here/../../tools/udev/70-vsm.rules
folders=/sys/kernel/config/vsm
platform=/sys/bus/platform
# shellcheck source=../ktap.sh
. "$here/../ktap.sh"
chmod 777 "$dir"

modprobe configfs 2>/dev/null
[ -d /sys/kernel/config ] || {
	echo 'KTAP version 1'
	echo '1..0 # SKIP the kernel has no configfs'
	exit 4
}
[ -d $folders ] || mount -t configfs none /sys/kernel/config
find $folders -mindepth 1 -maxdepth 1 -type d -exec rmdir {} +

# Usage: device ARGUMENT... Runs `vsm device`. Tests that it succeeds, without a message.
device() {
	"$vsm" device "$@" >out 2>err && [ ! -s err ]
}

# Usage: says NAME ARGUMENT... <<EXPECTED. Tests that `vsm device` succeeds and prints EXPECTED.
says() {
	name=$1
	shift
	cat >expected
	device "$@" && diff expected out >err
	result $? "$name"
}

# Usage: refuses STATUS PATTERN NAME COMMAND... Tests that COMMAND exits with STATUS, prints one
# line with PATTERN on standard error, and prints nothing else.
refuses() {
	expected=$1
	pattern=$2
	name=$3
	shift 3
	"$@" >out 2>err
	[ $? = "$expected" ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
		grep -q -e "^vsm: device .*$pattern" err
	result $? "$name"
}

# Usage: create_fails STATUS PATTERN NAME ARGUMENT... Tests that the command fails so, and that no
# folder is left.
create_fails() {
	expected=$1
	pattern=$2
	name=$3
	shift 3
	"$vsm" device create gone "$@" >out 2>err
	[ $? = "$expected" ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
		grep -q -e "^vsm: device create: $pattern" err && [ ! -e $folders/gone ]
	result $? "$name"
}

# A user without rights.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
}

# Usage: without FOLDER... -- COMMAND... Runs a command that finds these folders empty.
without() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m sh -c 'while [ "$1" != -- ]; do
			mount -t tmpfs none "$1" || exit 1
			shift
		done
		shift
		exec "$@"' sh "$@"
}

first=$(echo $platform/devices/vsm.0/drm/renderD*)
first=/dev/dri/${first##*/}

# --- a device comes and goes --------------------------------------------------------

says 'a device of the module has no name' list <<END
NAME  DEVICE  NODE                 STATE
-     vsm.0   $first  on
END

mkdir $folders/twin
device create fast features=-lanes,-drain latency_ns=1000 client_jobs=0x10
result $? 'a device is created'
node=$(cat out)
n=$(cat $folders/fast/device)
[ -c "$node" ] && [ "$node" = "/dev/dri/$(cd "$platform/devices/$n/drm" && echo renderD*)" ] &&
	[ "$(cat "$platform/devices/$n/name")" = fast ]
result $? 'create prints the render node, which is there'
[ "$(sed 's/ lanes drain / /' $folders/twin/features)" = "$(cat $folders/fast/features)" ] &&
	[ "$(cat $folders/fast/client_jobs)" = 16 ]
result $? 'the device is as it was ordered'
rmdir $folders/twin
says 'show prints the options, as create takes them' show fast <<END
bandwidth=0
client_clusters=$(cat $folders/fast/client_clusters)
client_jobs=16
client_waits=$(cat $folders/fast/client_waits)
features=$(sed 's/ /,/g' $folders/fast/features)
job_timeout_ms=30000
latency_ns=1000
load_bandwidth=0
load_latency_ns=0
load_next_ns=0
local_latency_ns=0
max_bytes=$(cat $folders/fast/max_bytes)
max_channels=16
policies=strict,hardware
remote_latency_ns=0
shuffle_seed=0
split_bytes=0
store_bandwidth=0
store_latency_ns=0
try_wait_limit_ns=10000000
END
cp out shown
# shellcheck disable=SC2046 # each line is an operand
device create twin --disabled $(cat shown) && [ ! -s out ] && device show twin &&
	diff shown out >err
result $? 'create takes what show prints'
[ "$(cat $folders/twin/enabled)" = 0 ] && [ -z "$(cat $folders/twin/device)" ]
result $? 'with --disabled there is no device'
device create empty --disabled features= && [ -z "$(cat $folders/empty/features)" ] &&
	device show empty && grep -qx 'features=' out
result $? 'a list may be empty'

says 'list shows devices by number, and then folders by name' list <<END
NAME   DEVICE  NODE                 STATE
-      vsm.0   $first  on
fast   $n   $node  on
empty  -       -                    off
twin   -       -                    off
END
cp out listed
cat >expected <<END
1
- 0 $first on
fast ${n#vsm.} $node on
empty - - off
twin - - off
END
device list --json && python3 -S -c '
import json, sys
listed = json.load(sys.stdin)
print(listed["version"])
for device in listed["devices"]:
    assert set(device) == {"name", "device", "node", "state"}
    print(*("-" if device[key] is None else device[key]
            for key in ("name", "device", "node", "state")))' <out >json 2>err &&
	diff expected json >err
result $? 'list --json has the same'
as_nobody "$vsm" device list >out 2>err && diff listed out >err &&
	as_nobody "$vsm" device show fast >out 2>err && diff shown out >err
result $? 'list and show need no rights'

device set fast latency_ns=5 job_timeout_ms=77 && [ ! -s out ] &&
	[ "$(cat $folders/fast/latency_ns $folders/fast/job_timeout_ms | xargs)" = '5 77' ]
result $? 'set changes the timing of a device that exists'
device set twin features=mbarrier,waitset 'features=+copy -waitset' enabled=1 &&
	[ "$(cat $folders/twin/features)" = 'mbarrier copy' ] && device list &&
	grep -q '^twin *vsm\.[0-9]* */dev/dri/renderD[0-9]* *on$' out
result $? 'set makes a device exist'
device set twin enabled=0 && device list && grep -q '^twin *- *- *off$' out
result $? 'set unplugs a device'

echo "$n" >$platform/drivers/vsm/unbind
device list && grep -q "^fast *$n *- *unbound\$" out && device show fast
result $? 'list shows a device without its driver'
without /sys/kernel/config -- "$vsm" device list >out 2>err && grep -q "^fast *$n *- *unbound\$" out
result $? 'such a device has its name without configfs, too'
echo "$n" >$platform/drivers/vsm/bind
without /sys/kernel/config -- "$vsm" device list >out 2>err && [ ! -s err ] &&
	grep -q "^fast *$n *$node *on\$" out && [ "$(wc -l <out)" = 3 ]
result $? 'list needs no configfs for devices that exist'
without $platform/devices /sys/kernel/config -- "$vsm" device list >out 2>err && [ ! -s err ] &&
	[ "$(cat out)" = 'NAME  DEVICE  NODE                 STATE' ]
result $? 'there may be no devices'

# --- the rules for udev -------------------------------------------------------------

# Usage: udev N. Prints what the rules make of the render node of vsm.N.
udev() {
	python3 -S "$here/udev.py" "$rules" $platform/devices/"$1"/drm/renderD* >out 2>err
}

udev "$n" && [ "$(cat out)" = 'GROUP=render
MODE=0660
SYMLINK=dri/by-name/vsm-fast' ]
result $? 'the rules for udev give a device with a name its link'
udev vsm.0 && [ "$(cat out)" = 'GROUP=render
MODE=0660' ]
result $? 'the rules for udev give a device without a name no link'
{ [ -e /sys/module/vgem ] || modprobe vgem; } && python3 -S "$here/udev.py" "$rules" \
	/sys/devices/platform/vgem/drm/renderD* >out 2>err && [ ! -s out ]
result $? 'the rules for udev are not about devices of other drivers'

# --- presets ------------------------------------------------------------------------

# Usage: times_are NAME. Compares the times of the device with standard input.
times_are() {
	cat >expected
	device show "$1" && grep -E '^(.*_)?(latency|next|limit)_ns=|bandwidth=' out | cut -d = -f 2 |
		xargs | diff expected - >err
}

device create timed --disabled bandwidth=7 local_latency_ns=7 preset=h100 && times_are timed <<END
0 0 210000000000 214 28 0 160 63300000000 21 3968
END
result $? 'the preset h100 sets all times'
device set timed preset=h100 load_latency_ns=7 store_latency_ns=70 && times_are timed <<END
0 0 210000000000 7 28 0 160 63300000000 70 3968
END
result $? 'a later operand changes a number of the preset'
device set timed enabled=1 preset=h100 && times_are timed <<END
0 0 210000000000 214 28 0 160 63300000000 21 3968
END
result $? 'a preset takes the place of all times before, also while the device exists'
device remove timed
result $? 'the device with a preset goes'

# --- what is refused ----------------------------------------------------------------

create_fails 2 "there is no option 'speed'; the options are bandwidth, .*ns\$" \
	'an unknown option, and which options there are' latency_ns=7 speed=1
create_fails 2 "there is no option 'device'" 'the file device is not an option' device=vsm.7
create_fails 2 "there is no option '../fast/latency_ns'" 'an option in another folder' \
	../fast/latency_ns=9
create_fails 2 'latency_ns=fast: this is not a number$' 'what is no number' latency_ns=fast
create_fails 2 'max_channels=0: the number is too small or too large$' \
	'a number that is out of range' max_channels=0
create_fails 2 'features=-warp: the names of features are mbarrier waitset .* trace .*' \
	'an unknown feature' features=-warp
create_fails 2 'policies=lax: the names of policies are strict hardware$' 'an unknown policy' \
	policies=lax
create_fails 2 "latency_ns=$(printf '%4096s' '' | tr ' ' 1 | head -c 250)" \
	'a value that is longer than a file' "latency_ns=$(printf '%4096s' '' | tr ' ' 1)"
create_fails 2 'latency_ns=??1: this is not a number$' \
	'characters that could change the terminal are not printed' \
	"latency_ns=$(printf '\033\n1')"
refuses 2 'set: enabled=maybe: expected 0 or 1$' 'what does not say whether there is a device' \
	"$vsm" device set twin enabled=maybe
refuses 1 'set: client_jobs is fixed while the device exists; set enabled=0 first$' \
	'an option that is fixed while the device exists' \
	"$vsm" device set fast latency_ns=6 client_jobs=3
[ "$(cat $folders/fast/latency_ns)" = 6 ]
result $? 'set keeps the options before the one that is refused'
refuses 1 "create: there is a device 'fast' already$" 'a name that is taken' \
	"$vsm" device create fast
[ "$(cat $folders/fast/enabled)" = 1 ]
result $? 'the device that has the name stays'
refuses 1 'longer than 63 bytes$' 'a long name' "$vsm" device create "$(printf '%064d' 0)"
for name in 'two words' "$(printf 'a\033b')"; do
	refuses 2 "the name '.*' has a space or a control character$" \
		"the name $(printf '%s' "$name" | tr -c '[:lower:]' _)" "$vsm" device create "$name"
done
for command in set show remove; do
	operand=
	[ $command != set ] || operand=latency_ns=1
	refuses 1 "$command: there is no device 'none'; try 'vsm device list'$" \
		"$command of a device that does not exist" "$vsm" device $command none $operand
done

refuses 1 'create: only root may create devices$' 'a user without rights cannot create' \
	as_nobody "$vsm" device create gone
refuses 1 'set: only root may change devices$' 'a user without rights cannot set' \
	as_nobody "$vsm" device set fast latency_ns=1
refuses 1 'remove: only root may remove devices$' 'a user without rights cannot remove' \
	as_nobody "$vsm" device remove fast
[ "$(cat $folders/fast/latency_ns)" = 6 ] && [ ! -e $folders/gone ]
result $? 'nothing has changed then'

refuses 1 'show: configfs is not mounted (mount -t configfs none /sys/kernel/config)$' \
	'configfs that is not mounted' unshare -m sh -c 'umount /sys/kernel/config && exec "$@"' \
	sh "$vsm" device show fast
refuses 1 'show: the kernel has no configfs (modprobe configfs)$' 'a kernel without configfs' \
	without /sys/kernel -- "$vsm" device show fast
refuses 1 'show: the module is not loaded (modprobe vsm)$' 'a module that is not loaded' \
	without /sys/kernel /sys/module -- "$vsm" device show fast
refuses 1 'list: no vsm device; is the module loaded' 'list without a module' \
	without $platform -- "$vsm" device list

echo 0 >$platform/drivers_autoprobe
create_fails 1 'the kernel does not bind new devices (drivers_autoprobe)$' \
	'a kernel that does not bind devices'
echo 1 >$platform/drivers_autoprobe

# The place of each device that is made here is taken until there is none.
made=0
while "$vsm" device create "many$made" >out 2>err; do
	made=$((made + 1))
	[ $made -lt 64 ] || break
done
[ $made -gt 32 ] && [ $made -lt 64 ] && [ ! -e "$folders/many$made" ] &&
	grep -q '^vsm: device create: no place is left for another device' err
result $? 'one device too many'

device list
count=$(grep -c /dev/dri/renderD out)
"$vsm" info >out 2>err
[ "$count" -gt 32 ] && [ "$(grep -c '^  features ' out)" = "$count" ]
result $? 'vsm info finds all devices'

# --- removal ------------------------------------------------------------------------

i=0
while [ $i -lt $made ]; do
	set -- "$@" "many$i"
	i=$((i + 1))
done
device remove "$@" && device list && [ "$(wc -l <out)" = 5 ]
result $? 'remove removes several devices'
"$vsm" device remove twin none empty >out 2>err
[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "remove: there is no device 'none'" err &&
	[ "$(ls $folders)" = fast ]
result $? 'remove goes on after a name that does not exist'
exec 3<>"$node"
device remove fast && [ ! -e "$node" ] && [ ! -e "$platform/devices/$n" ] && [ -z "$(ls $folders)" ]
result $? 'a device that is in use is unplugged'
exec 3>&-

# --- files --------------------------------------------------------------------------

cat >conf <<'END'
# two devices
one latency_ns=5	features=-lanes,-drain # slow

 two --disabled preset=h100
END
device load conf && [ "$(wc -l <out)" = 1 ] && [ -c "$(cat out)" ] &&
	[ "$(cat $folders/one/latency_ns $folders/one/enabled $folders/two/enabled | xargs)" = '5 1 0' ] &&
	! grep -q lanes $folders/one/features && [ "$(cat $folders/two/remote_latency_ns)" = 160 ]
result $? 'load makes the devices of a file, with their options'
refuses 1 "load: conf:2: there is a device 'one' already$" 'load of a device that exists' \
	"$vsm" device load conf
[ "$(ls -m $folders)" = 'one, two' ]
result $? 'load then leaves the devices alone that it has not made'
rmdir $folders/one
device unload conf && [ ! -s out ] && [ -z "$(ls $folders)" ]
result $? 'unload removes the devices of a file, also if one is gone'
echo three | device load - conf && [ "$(ls -m $folders)" = 'one, three, two' ] &&
	echo three | device unload conf - && [ -z "$(ls $folders)" ]
result $? 'load and unload take several files, and standard input'
while IFS='|' read -r line message; do
	printf 'one --disabled\n\n%s\n' "$line" >wrong
	refuses "${message%% *}" "load: wrong:3: ${message#* }" "a file with the line '$line'" \
		"$vsm" device load wrong
	[ -z "$(ls $folders)" ]
	result $? 'load has removed what it had made before'
done <<'END'
two latency_ns=many|2 latency_ns=many: this is not a number$
two max_channels=17|2 max_channels=17: the number is too small or too large$
two speed=1|2 there is no option 'speed'; the options are
one|1 there is a device 'one' already$
END
refuses 1 'load: conf:2: only root may create devices$' 'a user without rights cannot load' \
	as_nobody "$vsm" device load conf

finish

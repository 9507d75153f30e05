# SPDX-License-Identifier: MIT
"""Tests of the package that need no device."""

import enum
import errno
import gc
import inspect
import os
import pickle
import re
import subprocess
import sys
from typing import Sequence

import pytest

import vsm
from vsm import _base, _library, device, structs, thread
from vsm.channel import job_error
from vsm.errors import check, error_of

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
USERLIB = os.path.dirname(PACKAGE)


def run(*command):
    done = subprocess.run(command, cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, text=True)
    assert not done.returncode, done.stdout


def read(*path):
    with open(os.path.join(USERLIB, *path), encoding="utf-8") as f:
        return f.read()


def test_generated_modules_are_up_to_date():
    run(sys.executable, "generate.py", "--check")


def test_types_are_right():
    pytest.importorskip("mypy")
    run(sys.executable, "-m", "mypy", "--cache-dir", os.devnull)


def test_version_is_that_of_the_library():
    assert f'#define VSM_VERSION "{vsm.__version__}"' in read("vsm.h")


def constructors():
    return set(re.findall(r"\bvsm_prep_(\w+)\(", re.sub(r"/\*.*?\*/", "", read("vsm_insn.h"),
                                                        flags=re.S))) - {"barrier"}


def test_every_constructor_is_a_function_and_a_method():
    names = constructors()
    assert len(names) > 60
    assert names == {name for name, what in vars(vsm.insn).items()
                     if inspect.isfunction(what) and what.__module__ == "vsm.insn"}
    methods = {name for name, _ in inspect.getmembers(vsm.Thread, inspect.isfunction)}
    assert names <= methods


@pytest.mark.parametrize("name", sorted(constructors()))
def test_constructor_makes_an_instruction(name):
    values = {int: 1, bool: True, bytes: b"1234", Sequence[int]: [1, 2], _base.BufferLike: 7,
              vsm.Red: vsm.Red.ADD, vsm.Mode: vsm.Mode.ANY, vsm.Type: vsm.Type.U32,
              vsm.TensorMap: vsm.TensorMap(None, vsm.insn.ffi.NULL, None)}
    function = getattr(vsm.insn, name)
    insn = function(*(values[p.annotation] for p in inspect.signature(function).parameters.values()
                      if p.name != "qual"))
    assert isinstance(insn, vsm.Instruction)
    assert re.match(r"[a-z]+(\.|$)", str(insn))


def test_instruction_is_spelled_as_ptx():
    insn = vsm.insn.mbarrier_arrive_count(64, 2, vsm.Qual.RELEASE | vsm.Qual.CTA)
    assert str(insn) == "mbarrier.arrive.release.cta.b64 [0x40], 2"
    assert repr(insn) == f"<Instruction {insn}>"
    assert str(vsm.insn.cp_async_bulk_g2s(0, 3, 256, 16, 8)).count("[buffer 3 + 0x100]") == 1


@pytest.mark.parametrize("insn, number, result", [
    (vsm.insn.mbarrier_init(0, 1), 5, None),
    (vsm.insn.mbarrier_arrive(0), 5, 5),
    (vsm.insn.mbarrier_test_wait(0, 0), 1, True),
    (vsm.insn.vote_sync(vsm.Mode.ANY, True, 1), 0, False),
    (vsm.insn.elect_sync(1), 1 << 32 | 3, vsm.Pair(3, True)),
    (vsm.insn.match_all_sync_b32(1, 1), 3, vsm.Pair(3, False)),
], ids=str)
def test_result_has_the_type_of_ptx(insn, number, result):
    assert insn.result(number) == result
    assert type(insn.result(number)) is type(result)


def test_long_value_is_refused():
    with pytest.raises(IndexError):
        vsm.insn.st_async(4, 0, bytes(17), 8)


def test_wrong_argument_is_refused():
    with pytest.raises(OverflowError):
        vsm.insn.mbarrier_init(-1, 1)


def test_every_enumerator_is_there():
    for text in (read("../uapi/drm/vsm_drm.h"), read("../uapi/drm/vsm_inject.h")):
        for name, value in re.findall(r"^\tDRM_VSM_FAULT_(\w+) = (\w+),", text, re.M):
            assert vsm.FaultCode[name] == int(value, 0)
    assert vsm.Layout.SM_90 == 0 and vsm.Layout.SM_80 == 1
    assert vsm.enums.TensorSwizzle.B128 == 3
    assert issubclass(vsm.Qual, enum.IntFlag)
    assert issubclass(vsm.enums.FaultSource, enum.IntEnum)


def test_every_fault_has_its_rule():
    program = '#include "vsm.h"\n#include <stdio.h>\n#define VSM_FAULT(N, n, e) ' \
        'printf("%llu\\n", DRM_VSM_RULE((unsigned int)DRM_VSM_FAULT_##N));\n' \
        'int main(void)\n{\n#include "vsm_faults.h"\nreturn 0;\n}\n'
    cflags = subprocess.run(["pkg-config", "--cflags", "libdrm"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split()
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"vsm-rules-{os.getpid()}")
    try:
        subprocess.run([os.environ.get("CC", "cc"), "-I", USERLIB, "-I", f"{USERLIB}/../uapi/drm",
                        *cflags, "-x", "c", "-o", path, "-"], input=program, text=True, check=True)
        masks = [int(line) for line in
                 subprocess.run([path], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.split()]
    finally:
        os.path.exists(path) and os.unlink(path)
    names = re.findall(r"^VSM_FAULT\((\w+),", read("../uapi/drm/vsm_faults.h"), re.M)
    assert [device.mask_of([vsm.FaultCode[name]]) for name in names] == masks
    assert device.mask_of([vsm.FaultCode.BAD_COUNT, vsm.FaultCode.BAD_COUNT]) == 1 << 5


def test_structures_have_the_members_of_c():
    info = vsm.insn.ffi.new("struct drm_vsm_trace_event *", {"time": 5, "cta": 2})
    event = _base.unpack(structs.TraceEvent, info)
    assert (event.time, event.cta, event.addr) == (5, 2, 0)
    with pytest.raises(AttributeError):
        event.cta = 1
    state = vsm.insn.ffi.new("struct drm_vsm_state_entry *", {"name": b"vgem"})
    state.insn.op = vsm.enums.Op.EXIT
    entry = _base.unpack(structs.StateEntry, state)
    assert entry.name == "vgem" and str(entry.insn) == "exit"
    result = vsm.insn.ffi.new("struct vsm_ptx_result *", {"line": 7})
    assert _base.unpack(structs.LaunchResult, result).source_file is None


@pytest.mark.parametrize("number, kind", [
    (errno.ENOENT, FileNotFoundError), (errno.EACCES, PermissionError),
    (errno.ETIME, TimeoutError), (errno.ETIMEDOUT, TimeoutError), (errno.ENODEV, vsm.DeviceLost),
    (errno.EIO, vsm.ClusterLost), (errno.EOPNOTSUPP, vsm.UnsupportedError),
    (errno.ENOSPC, OSError)])
def test_error_number_has_its_exception(number, kind):
    error = error_of(-number)
    assert type(error) is kind and error.errno == number
    with pytest.raises(kind):
        check(-number)
    assert check(3) == 3


def test_error_of_a_job_is_no_timeout():
    for number in (errno.EIO, errno.ETIMEDOUT, errno.ECANCELED):
        assert type(job_error(-number)) is vsm.JobFailed
        assert job_error(-number).errno == number
    assert type(job_error(-errno.ENODEV)) is vsm.DeviceLost


def test_fault_has_a_name_and_a_sentence():
    fault = vsm.Fault(vsm.FaultCode.BAD_COUNT, "the count is 0")
    assert (fault.name, fault.errno) == ("BAD_COUNT", errno.EPROTO)
    assert str(fault) == "BAD_COUNT: the count is 0"
    assert str(pickle.loads(pickle.dumps(fault))) == str(fault)
    assert vsm.Fault(999, "new").name == "UNKNOWN"


@pytest.mark.skipif(bool(vsm.devices()), reason="there is a device")
def test_no_device_says_so():
    with pytest.raises(vsm.NoDevice, match="there is no vsm device"):
        vsm.Device()
    with pytest.raises(vsm.NoDevice, match="77"):
        vsm.Device(77)


def test_other_files_are_no_devices():
    with pytest.raises(vsm.NoDevice, match="/dev/null"):
        vsm.Device(os.devnull)
    with pytest.raises(FileNotFoundError, match="/nonexistent"):
        vsm.Device("/nonexistent")
    with open(os.devnull, encoding="utf-8") as f, pytest.raises(vsm.NoDevice):
        vsm.Device(fd=f.fileno())
    with pytest.raises(OSError) as caught:
        vsm.Device(fd=-1)
    assert caught.value.errno == errno.EBADF


def test_ioctl_returns_the_error():
    with open(os.devnull, encoding="utf-8") as f:
        assert _library.ioctl(f.fileno(), vsm.insn.lib.DRM_IOCTL_VSM_EXEC,
                              vsm.insn.ffi.new("struct drm_vsm_exec *")) == -errno.ENOTTY


def test_timeouts_are_deadlines():
    assert _library.deadline_of(None) == _library.deadline_of(float("inf")) == -1
    assert _library.deadline_of(0) == _library.deadline_of(-5) == 0
    assert _library.deadline_of(1e9) > 1e18


def test_call_is_repeated_until_its_deadline():
    calls = []

    def call(until):
        calls.append(until)
        return -errno.ETIME if len(calls) < 3 else 7

    assert _library.in_parts(call, -1, -errno.ETIME) == 7
    assert len(calls) == 3 and calls == sorted(calls)
    calls.clear()
    assert _library.in_parts(call, 0, -errno.ETIME) == -errno.ETIME
    assert calls == [0]


def test_long_text_is_whole():
    insn = vsm.insn.exit()
    long = "x" * 1000

    def write(text, size):
        data = long.encode()[:size - 1]
        vsm.insn.ffi.memmove(text, data + b"\0", len(data) + 1)
        return len(long)

    assert _library.text_of(write) == long
    assert str(insn) == "exit"


class Order:
    def __init__(self):
        self.ended = []

    def make(self, name, parent=None):
        return _base.Pointer(name, self.ended.append, parent)


def test_parent_ends_after_its_children():
    order = Order()
    parent = order.make("parent")
    children = [order.make("first", parent), order.make("second", parent)]
    del parent
    assert not order.ended
    children.pop()
    assert order.ended == ["second"]
    children.pop()
    assert order.ended == ["second", "first", "parent"]


def test_circle_ends_in_the_right_order():
    order = Order()

    class Circle:
        pass

    circle = Circle()
    circle.me = circle
    circle.parent = order.make("parent")
    circle.child = order.make("child", circle.parent)
    circle.last = order.make("last", circle.child)
    del circle
    gc.collect()
    assert order.ended == ["last", "child", "parent"]


def test_closed_object_says_so():
    class Thing(_base.Closable):
        pass

    with Thing() as thing:
        thing._pointer = _base.Pointer(1, lambda p: None)
        assert not thing.closed
    assert thing.closed
    thing.close()
    with pytest.raises(ValueError, match="the Thing is closed"):
        thing._open()


def test_instructions_become_an_array():
    array = thread.array_of([vsm.insn.mbarrier_init(8, 3), vsm.insn.exit()])
    assert len(array) == 2
    assert (array[0].u.mbarrier.addr, array[0].u.mbarrier.count) == (8, 3)
    assert array[1].op == vsm.enums.Op.EXIT


def test_recording_is_read_by_vsm_trace(tmp_path):
    tool = os.path.join(USERLIB, "../build/tools/vsm")
    if not os.path.exists(tool):
        pytest.skip("build/tools/vsm is not built")
    recording = vsm.Recording("a title")
    recording.note = "a note"
    recording.add_cluster(3, structs.Shape(2, 64, 4096, 0, 0, 0, 0, 0))
    recording.add_events(vsm.insn.ffi.new("struct drm_vsm_trace_event[]", [
        {"time": 1000, "type": vsm.enums.TraceType.INSN, "cluster": 3, "cta": 1, "lanes": 1,
         "op": vsm.enums.Op.MBARRIER_INIT, "addr": 64, "next": 0x7ffff800001ffffe}]), lost=4)
    recording.write(tmp_path / "x.trace")
    assert recording.count == 1
    shown = subprocess.run([tool, "trace", "show", tmp_path / "x.trace"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    assert "a title" in shown and "a note" in shown
    assert "cluster 3, CTA 1, warp 0, lane 0: mbarrier.init 0x40" in shown

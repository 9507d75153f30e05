# SPDX-License-Identifier: MIT
"""When objects end: other threads close them, and other processes are forked."""

import errno
import gc
import os
import sys
import threading

import pytest

import vsm
from stub import Library
from vsm import insn
from vsm.enums import InjectWhat, InjectWhere


@pytest.fixture
def library(monkeypatch):
    return Library(monkeypatch)


class Things:
    """An object of each kind."""

    def __init__(self):
        self.device = vsm.Device()
        self.cluster = self.device.cluster()
        self.buffer = self.device.buffer(4096)
        self.waitset = self.device.waitset()
        self.syncobj = self.device.syncobj()
        self.channel = self.device.channel()
        self.rule = self.device.inject(InjectWhere.EXEC, InjectWhat.LOSE_CLUSTER)
        self.thread = self.cluster.thread(0, 0)


@pytest.fixture
def things(library):
    return Things()


CALLS = {
    "cluster": lambda t: t.device.cluster(),
    "buffer": lambda t: t.device.buffer(1),
    "import_cluster": lambda t: t.device.import_cluster(0),
    "import_buffer": lambda t: t.device.import_buffer(0),
    "waitset": lambda t: t.device.waitset(),
    "syncobj": lambda t: t.device.syncobj(),
    "channel": lambda t: t.device.channel(),
    "inject": lambda t: t.device.inject(InjectWhere.EXEC, InjectWhat.LOSE_CLUSTER,
                                        object=t.cluster),
    "device.fileno": lambda t: t.device.fileno(),
    "faults": lambda t: t.device.faults(),
    "state_of": lambda t: t.device.state_of(1),
    "states": lambda t: t.device.states(),
    "recording": lambda t: t.device.recording(),
    "handle": lambda t: t.cluster.handle,
    "hold": lambda t: t.cluster.hold(),
    "release": lambda t: t.cluster.release(),
    "drain": lambda t: t.cluster.drain(),
    "state": lambda t: t.cluster.state(),
    "events": lambda t: t.cluster.events(),
    "export": lambda t: t.cluster.export(),
    "info": lambda t: t.cluster._info(),
    "buffer.handle": lambda t: t.buffer.handle,
    "buffer.export": lambda t: t.buffer.export(),
    "tensor_map": lambda t: t.buffer.tensor_map(0, [16], [], [16]),
    "execute": lambda t: t.thread.mbarrier_init(0, 1),
    "error": lambda t: t.thread.error(-errno.EIO),
    "submit": lambda t: t.channel.submit(t.thread, [insn.exit()], [t.syncobj], [(t.syncobj, 1)]),
    "channel.status": lambda t: t.channel.status(),
    "syncobj.wait": lambda t: t.syncobj.wait(timeout=0),
    "syncobj.status": lambda t: t.syncobj.status(),
    "export_sync_file": lambda t: t.syncobj.export_sync_file(),
    "import_sync_file": lambda t: t.syncobj.import_sync_file(0),
    "syncobj.hold": lambda t: t.syncobj.hold(),
    "query": lambda t: t.rule.query(),
    "rule.wait": lambda t: t.rule.wait(timeout=0),
    "waitset.fileno": lambda t: t.waitset.fileno(),
    "arm_phase": lambda t: t.waitset.arm_phase(t.cluster, 0, 0),
    "arm_parity": lambda t: t.waitset.arm_parity(t.cluster, 0, 0),
    "arm": lambda t: t.waitset.arm(t.thread, insn.bar_warp_sync(1)),
    "cancel": lambda t: t.waitset.cancel(vsm.waitset.Wait("a test", t.cluster, None)),
    "read": lambda t: t.waitset.read(0),
}


@pytest.mark.parametrize("name", CALLS)
def test_object_exists_until_the_call_returns(library, things, name):
    """Whatever call of the library is running: the object ends after it, not during it."""
    def close(_):
        library.during = lambda _: None
        things.device.close()
        gc.collect()

    library.results = {"vsm_device_state": [0, -errno.ENOENT], "vsm_trace_read": [1, 0]}
    library.calls.clear()
    library.during = close
    try:
        CALLS[name](things)
    except (ValueError, AttributeError) as error:
        assert "is closed" in str(error)
    assert library.calls and not library.used_after_free
    del things
    gc.collect()


@pytest.mark.parametrize("name, function, attribute", [
    ("drain", "ioctl", "cluster"), ("info", "ioctl", "cluster"), ("execute", "ioctl", "cluster"),
    ("submit", "vsm_channel_submit", "cluster"), ("submit", "vsm_channel_submit", "channel"),
    ("submit", "vsm_channel_submit", "syncobj"), ("inject", "vsm_inject_add", "cluster"),
    ("arm_phase", "vsm_waitset_arm", "cluster"), ("arm_parity", "vsm_waitset_arm", "cluster"),
    ("arm", "vsm_waitset_arm", "cluster")])
def test_number_names_its_object_until_the_call_returns(library, things, name, function, attribute):
    """The call has only the number of the object, which the device may give to a new object."""
    ended = []

    def close(called):
        if called == function:
            getattr(things, attribute).close()
            gc.collect()
            ended.append(list(library.ended))

    library.during = close
    CALLS[name](things)
    assert ended == [[]]
    assert library.ended == [f"vsm_{attribute}_destroy"]


def test_everything_ends_when_the_device_is_closed(library, things):
    things.device.close()
    assert not library.made
    assert library.ended[-1] == "vsm_device_close" and len(library.ended) == 7


def test_objects_are_made_while_others_are_listed(library, things):
    stop = threading.Event()
    failed = []

    def look():
        try:
            while not stop.is_set():
                things.device.recording()
        except BaseException as error:
            failed.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        looker = threading.Thread(target=look)
        looker.start()
        kept = [things.device.syncobj() for _ in range(2000)]
        stop.set()
        looker.join()
    finally:
        sys.setswitchinterval(before)
    assert not failed and len(kept) == 2000


def in_child(function):
    """Call a function in a forked process. Returns what it returns there."""
    there, here = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(here, repr(function()).encode())
        finally:
            os._exit(0)
    os.close(here)
    with open(there, encoding="utf-8") as f:
        said = f.read()
    os.waitpid(child, 0)
    return said


def test_forked_process_ends_nothing(library, things):
    """The child leaves a ``with`` block that the parent is in."""
    hold = things.syncobj.hold()

    def child():
        library.ended.clear()
        hold.close()
        for name in list(vars(things)):
            if hasattr(vars(things)[name], "close"):
                vars(things)[name].close()
            delattr(things, name)
        gc.collect()
        return library.ended

    assert in_child(child) == "[]"
    hold.close()
    things.device.close()
    gc.collect()
    assert "vsm_hold_release" in library.ended and "vsm_device_close" in library.ended


def test_forked_process_releases_no_operations(library, things):
    def child():
        library.calls.clear()
        block.__exit__(None, None, None)
        return library.calls

    block = things.cluster.held()
    block.__enter__()
    assert in_child(child) == "[]"
    library.calls.clear()
    block.__exit__(None, None, None)
    assert library.calls == ["vsm_cluster_hold"]


def test_forked_process_ends_what_it_has_made(library, things):
    def child():
        library.ended.clear()
        things.device.buffer(1).close()
        with things.syncobj.hold():
            pass
        with things.cluster.held():
            library.calls.clear()
        return library.ended, library.calls

    assert in_child(child) == str((["vsm_buffer_destroy", "vsm_hold_release"],
                                   ["vsm_cluster_hold"]))

# SPDX-License-Identifier: MIT
"""Devices, clusters, buffers and threads."""

import errno
import gc
import os
import signal
import threading

import numpy
import pytest

import vsm
from vsm import Qual, insn


def test_device_is_opened_by_number_path_and_descriptor(device):
    path = os.readlink(f"/proc/self/fd/{device.fileno()}")
    assert device.info.index in vsm.devices()
    for other in (vsm.Device(device.info.index), vsm.Device(path), vsm.Device(fd=device.fileno())):
        with other:
            assert other.info == device.info


def test_device_has_features_and_limits(device):
    assert vsm.Feature.MBARRIER in device.features
    assert device.info.max_ctas == 16
    assert repr(device) == f"<Device {device.info.index}>"


def test_closed_device_closes_what_it_made(device, cluster):
    things = [cluster, device.buffer(1), device.waitset(), device.syncobj(), device.channel()]
    device.close()
    assert device.closed and all(thing.closed for thing in things)
    with pytest.raises(ValueError, match="the Device is closed"):
        device.cluster()
    with pytest.raises(ValueError, match="the Cluster is closed"):
        cluster.window()
    with pytest.raises(ValueError, match="the Cluster is closed"):
        cluster.thread(0, 0).exit()


def test_view_outlives_its_cluster_and_device(device, cluster):
    buffer = device.buffer(4096)
    views = [cluster.window(1), buffer.view(), cluster.array(0), buffer.array("u4")]
    device.close()
    del device, cluster, buffer
    gc.collect()
    for view in views:
        view[5] = 7
        assert view[5] == 7


def test_windows_are_the_memory_of_the_device(cluster, bar):
    assert cluster.window(0).nbytes == 8192 and not cluster.window(0).readonly
    assert cluster.mbarrier(bar).pending == 1
    word = cluster.array(0, "u8", 0, 1)
    assert word.base is not None and word[0] != 0
    cluster.window(1)[:8] = cluster.window(0)[:8]
    assert cluster.array(1, "u8")[0] == word[0]
    assert cluster.array(1, "u4", 8192 - 8).shape == (2,)
    for wrong in (-1, 2):
        with pytest.raises(IndexError):
            cluster.window(wrong)
    with pytest.raises(IndexError):
        cluster.mbarrier(4)
    with pytest.raises(IndexError):
        cluster.mbarrier(8192)


def test_numpy_sees_what_a_copy_writes(device, cluster, bar):
    source, back = device.buffer(4096), device.buffer(4096)
    source.array("f4", (32, 32))[:] = numpy.arange(1024).reshape(32, 32)
    thread = cluster.thread(0, 0)
    thread.mbarrier_arrive_expect_tx(bar, 4096, Qual.SINK)
    thread.cp_async_bulk_g2s(cluster.address(0, 1024), source, 0, 4096, bar)
    thread.await_parity(bar, 0)
    tile = cluster.array(0, "f4", 1024, (32, 32))
    assert tile[3, 5] == 3 * 32 + 5
    tile *= 2
    thread.cp_async_bulk_s2g(back, 0, cluster.address(0, 1024), 4096)
    thread.cp_async_bulk_commit_group()
    thread.cp_async_bulk_wait_group(0)
    assert (back.array("f4") == 2 * source.array("f4")).all()


def test_tensor_copy(device, cluster, bar):
    buffer = device.buffer(4096)
    buffer.array("u1")[:] = numpy.arange(4096) % 251
    tensor = buffer.tensor_map(vsm.enums.TensorType.UINT8, [64, 64], [64], box=[16, 2])
    thread = cluster.thread(0, 0)
    thread.mbarrier_arrive_expect_tx(bar, 32, Qual.SINK)
    thread.cp_async_bulk_tensor_g2s(2, cluster.address(0, 128), tensor, [16, 3], bar)
    thread.await_parity(bar, 0)
    expected = buffer.array("u1", (64, 64))[3:5, 16:32]
    assert (cluster.array(0, "u1", 128, (2, 16)) == expected).all()
    with pytest.raises(ValueError, match="an element stride is not 1 to 8"):
        buffer.tensor_map(vsm.enums.TensorType.UINT8, [64, 64], [64], box=[16, 2],
                          element_stride=[1, 9])


def test_store_takes_bytes(cluster, bar):
    thread = cluster.thread(0, 0)
    thread.mbarrier_arrive_expect_tx(bar, 4, Qual.SINK)
    thread.st_async(4, cluster.address(0, 64), b"abcd", bar)
    thread.await_parity(bar, 0)
    assert cluster.window(0)[64:68] == b"abcd"


def test_results_have_the_types_of_ptx(cluster, bar):
    thread = cluster.thread(0, 0)
    assert thread.mbarrier_test_wait_parity(bar, 0) is False
    token = thread.mbarrier_arrive(bar)
    assert type(token) is int and token
    assert thread.mbarrier_test_wait(bar, token) is True
    thread.await_phase(bar, token)
    warp = cluster.warp(0, 1)
    assert warp.elect_sync(0xffffffff) == vsm.Pair(0, True)
    assert warp.vote_sync_ballot(True, 0xffffffff) == 0xffffffff
    assert warp.vote_sync(vsm.Mode.ALL, True, 0xffffffff) is True
    assert warp.redux_sync(vsm.Red.ADD, vsm.Type.U32, 2, 0xffffffff) == 64


def test_stream_returns_all_results(cluster, bar):
    thread = cluster.thread(0, 0)
    assert thread.run([insn.mbarrier_test_wait_parity(bar, 0), insn.mbarrier_arrive(bar, Qual.SINK),
                       insn.mbarrier_test_wait_parity(bar, 0)]) == [False, 0, True]


def test_stream_ends_at_a_try_wait_that_is_false(cluster, bar):
    results = cluster.thread(0, 0).run([insn.mbarrier_try_wait_parity_hint(bar, 0, 1000),
                                        insn.mbarrier_arrive(bar)])
    assert results == [False]
    assert cluster.mbarrier(bar).pending == 1


def test_misuse_raises_a_fault(device, cluster, bar):
    thread = cluster.thread(0, 0)
    thread.mbarrier_arrive_expect_tx(bar, 16, Qual.SINK)
    with pytest.raises(vsm.Fault, match="init it with a higher|init with a higher") as caught:
        thread.run([insn.mbarrier_test_wait_parity(bar, 0), insn.mbarrier_arrive(bar)])
    fault = caught.value
    assert fault.code is vsm.FaultCode.ARRIVAL_OVERFLOW and fault.name == "ARRIVAL_OVERFLOW"
    assert fault.errno == errno.EPROTO
    assert str(fault.record) == "mbarrier.arrive.b64 [0x0]"
    event, = device.faults()
    assert event.code is fault.code and event.sentence == fault.sentence
    assert (event.record.cta, event.record.thread) == (0, 0)
    assert event.record.source == vsm.enums.FaultSource.EXEC
    assert device.faults() == []


def test_reported_rule_is_no_error(device):
    cluster = device.cluster(report=[vsm.FaultCode.DROP_TO_ZERO])
    thread, addr = cluster.thread(0, 0), cluster.address(0, 0)
    thread.mbarrier_init(addr, 1)
    thread.mbarrier_arrive_drop(addr, Qual.SINK)
    event, = device.faults(60)
    assert event.code is vsm.FaultCode.DROP_TO_ZERO
    assert event.record.flags == vsm.enums.EventFlags.REPORTED


def test_deadlock_is_a_fault(cluster, bar):
    small = cluster.device.cluster(threads=1)
    addr = small.address(0, 0)
    small.thread(0, 0).mbarrier_init(addr, 1)
    with pytest.raises(vsm.Fault) as caught:
        small.thread(0, 0).await_parity(addr, 0)
    assert caught.value.code is vsm.FaultCode.DEADLOCK


def test_wrong_calls_say_what_is_wrong(cluster, bar):
    with pytest.raises(OSError, match="there is no CTA 2: the cluster has 2"):
        cluster.thread(2, 0).exit()
    with pytest.raises(OSError, match="there is no such .scope, or there are two") as caught:
        cluster.thread(0, 0).mbarrier_arrive(bar, Qual.CTA | Qual.CLUSTER)
    assert caught.value.errno == errno.EINVAL
    old = cluster.device.cluster(layout=vsm.Layout.SM_80)
    with pytest.raises(vsm.UnsupportedError, match="sm_80"):
        old.thread(0, 0).mbarrier_arrive_count(old.address(0, 0), 2)


def test_timeout_is_a_timeout_error(cluster, bar):
    for timeout in (0, 0.01):
        with pytest.raises(TimeoutError):
            cluster.thread(0, 0).await_parity(bar, 0, timeout=timeout)


def test_other_threads_run_while_one_waits(cluster, bar):
    """Without releasing the GIL, the thread that arrives would never run."""
    waiter = threading.Thread(target=cluster.thread(0, 1).await_parity, args=(bar, 0))
    waiter.start()
    while not cluster.state().entries:
        pass
    cluster.thread(0, 0).mbarrier_arrive(bar, Qual.SINK)
    waiter.join()


class Interruption(Exception):
    pass


def interrupt_when_waiting(cluster):
    """Sends this process a signal as soon as a thread of the cluster waits."""
    def wait():
        while not any(entry.flags & vsm.enums.StateEntryFlags.SUSPENDED
                      for entry in cluster.state().entries):
            pass
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.fixture
def handler():
    """Sets a handler of SIGUSR1."""
    def set_handler(function):
        signal.signal(signal.SIGUSR1, lambda *_: function())

    before = signal.getsignal(signal.SIGUSR1)
    yield set_handler
    signal.signal(signal.SIGUSR1, before)


def test_handler_that_raises_ends_a_wait(cluster, bar, handler):
    def raise_it():
        raise Interruption

    handler(raise_it)
    other = interrupt_when_waiting(cluster)
    with pytest.raises(Interruption):
        cluster.thread(0, 0).await_parity(bar, 0)
    other.join()
    cluster.thread(0, 0).mbarrier_arrive(bar, Qual.SINK)
    assert cluster.thread(0, 0).mbarrier_test_wait_parity(bar, 0)


def test_wait_goes_on_after_a_handler(cluster, bar, handler):
    ran = []

    def arrive():
        ran.append(1)
        cluster.thread(0, 1).mbarrier_arrive(bar, Qual.SINK)

    handler(arrive)
    other = interrupt_when_waiting(cluster)
    cluster.thread(0, 0).await_parity(bar, 0)
    other.join()
    assert ran == [1]


def test_barrier_goes_on_after_an_interruption(device, handler):
    cluster = device.cluster(threads=64)

    def raise_it():
        raise Interruption

    handler(raise_it)
    other = interrupt_when_waiting(cluster)
    with pytest.raises(Interruption):
        cluster.warp(0, 0).barrier_sync(0)
    other.join()
    second = threading.Thread(target=cluster.warp(0, 1).barrier_sync, args=(0,))
    second.start()
    cluster.warp(0, 0).barrier_sync(0)
    second.join()


def test_cluster_is_shared(device, cluster, bar):
    fd = cluster.export()
    with vsm.Device() as other:
        same = other.import_cluster(fd)
        assert same.number == cluster.number and same.shape == cluster.shape
        same.thread(0, 1).mbarrier_arrive(bar, Qual.SINK)
        with pytest.raises(FileNotFoundError):
            other.import_buffer(fd)
    os.close(fd)
    assert cluster.mbarrier(bar).phase == 1


def test_buffer_is_shared(device):
    buffer = device.buffer(100)
    assert len(buffer) == buffer.size == 4096
    fd = buffer.export()
    with vsm.Device() as other:
        same = other.import_buffer(fd)
        same.view()[7] = 9
    os.close(fd)
    assert buffer.view()[7] == 9


def test_held_copies_are_in_flight(device, cluster, bar):
    buffer = device.buffer(16)
    thread = cluster.thread(0, 0)
    with cluster.held():
        thread.mbarrier_arrive_expect_tx(bar, 16, Qual.SINK)
        thread.cp_async_bulk_g2s(cluster.address(0, 64), buffer, 0, 16, bar)
        state = cluster.state()
        assert state.cluster.status == vsm.enums.StateStatus.CLUSTER_HELD
        assert vsm.enums.StateKind.OPERATION in [entry.kind for entry in state.entries]
    cluster.drain()
    assert cluster.state().entries == []
    assert thread.mbarrier_test_wait_parity(bar, 0)


def test_states_of_the_device(device, cluster):
    assert cluster.number in [state.cluster.number for state in device.states()]
    assert device.state_of(cluster.number).cluster.threads == 64
    with pytest.raises(FileNotFoundError):
        device.state_of(4000000)


def test_injected_error_is_raised(device, cluster, bar):
    with device.inject(vsm.InjectWhere.EXEC, vsm.InjectWhat.ERROR, error=errno.ENOMEM, times=1,
                       object=cluster) as rule:
        with pytest.raises(OSError) as caught:
            cluster.thread(0, 0).mbarrier_arrive(bar)
        assert caught.value.errno == errno.ENOMEM
        rule.wait(1)
        assert rule.query().fired == 1
        with pytest.raises(TimeoutError):
            rule.wait(2, timeout=0.01)
    cluster.thread(0, 0).mbarrier_arrive(bar)


def test_lost_cluster_is_an_exception(device, cluster, bar):
    device.inject(vsm.InjectWhere.EXEC, vsm.InjectWhat.LOSE_CLUSTER, times=1)
    for _ in range(2):
        with pytest.raises(vsm.ClusterLost):
            cluster.thread(0, 0).mbarrier_arrive(bar)


def test_flight_recorder_becomes_a_trace(device):
    device.trace_events = 64
    cluster = device.cluster()
    device.cluster(trace_events=0)
    cluster.thread(0, 3, site=5).mbarrier_init(0, 1)
    events, lost = cluster.events()
    assert lost == 0
    event = next(e for e in events if e.type == vsm.enums.TraceType.INSN)
    assert (event.site, event.op) == (5, vsm.enums.Op.MBARRIER_INIT)
    recording = device.recording("a test")
    assert recording.count == len(events)
    path = os.path.join("/dev/shm", f"vsm-{os.getpid()}.trace")
    recording.write(path)
    with open(path, "rb") as file:
        assert file.read(8) == b"VSMTRACE"
    os.unlink(path)
    with pytest.raises(FileNotFoundError):
        device.cluster(trace_events=0).events()


def test_each_lane_has_operands_and_a_result_of_its_own(cluster):
    added = cluster.thread(0, 32).lanes({lane: insn.redux_sync(vsm.Red.ADD, vsm.Type.U32, lane, 0x70)
                                         for lane in (6, 4, 5)})
    assert added == {4: 15, 5: 15, 6: 15}


def test_suspended_lane_has_no_result(cluster):
    thread, barrier = cluster.thread(0, 0), insn.bar_warp_sync(3)
    assert not thread.lanes({0: barrier})
    assert thread.lanes({1: barrier}) == {1: None}
    assert thread.lanes({0: barrier}) == {0: None}


def test_refused_lane_is_an_exception(cluster, bar):
    thread = cluster.thread(0, 0)
    with pytest.raises(vsm.Fault) as caught:
        thread.lanes({0: insn.mbarrier_try_wait_parity(bar, 0),
                      1: insn.mbarrier_try_wait_parity(bar + 4, 0)})
    assert caught.value.code is vsm.FaultCode.MISALIGNED
    for wrong in ({0: insn.exit(), 1: insn.bar_warp_sync(3)}, {}):
        with pytest.raises(OSError) as refused:
            thread.lanes(wrong)
        assert refused.value.errno == errno.EINVAL

# SPDX-License-Identifier: MIT
"""Tests of kernels that need no device."""

import os
import pathlib
import signal
import threading

import pytest

import vsm

numpy = pytest.importorskip("numpy")

KERNELS = pathlib.Path(__file__).parents[3] / "build/kernels"
VECADD = KERNELS / "vecadd.ptx"

LOOP = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry loop()
{
again:
    bra again;
}
.visible .entry types(.param .u64 out, .param .s8 a, .param .u16 b, .param .f64 c,
                      .param .align 4 .b8 d[8])
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .f64 %f<2>;
    ld.param.u64 %rd1, [out];
    ld.param.s8 %r1, [a];
    st.global.u32 [%rd1], %r1;
    ld.param.u16 %r1, [b];
    st.global.u32 [%rd1+4], %r1;
    ld.param.f64 %f1, [c];
    st.global.f64 [%rd1+8], %f1;
    ld.param.b32 %r1, [d+4];
    st.global.u32 [%rd1+16], %r1;
    ret;
}
"""


@pytest.fixture
def module():
    with vsm.Context() as context:
        yield context.load(LOOP)


@pytest.fixture
def vecadd():
    with vsm.Context() as context:
        yield context.load(VECADD).kernel("vecadd")


def vectors(size=1000):
    return [numpy.arange(size, dtype="f4"), numpy.ones(size, dtype="f4"),
            numpy.zeros(size, dtype="f4")]


def test_arrays_are_arguments_and_results():
    a, b, c = vectors()
    result = vsm.launch(VECADD, "vecadd", 8, 128, [a, b, c, 1000])
    assert (c == a + b).all()
    assert result.outcome == vsm.enums.PtxOutcome.DONE and result.thread_insns > 1000


def test_text_is_a_module(module):
    assert module.kernels() == ["loop", "types"]
    assert vsm.Context().load(LOOP.encode()).kernels() == ["loop", "types"]


def test_arrays_need_not_be_contiguous(vecadd):
    for c in (numpy.zeros(2000, "f4")[::2], numpy.zeros(1000, "f4")[::-1]):
        a, b, _ = vectors()
        vecadd.launch(8, (128, 1, 1), [a[::-1], b, c, 1000])
        assert (c == a[::-1] + b).all()
    square = numpy.zeros((10, 100), "f4", order="F")
    vecadd.launch([8], [128], [a, b, square, 1000])
    assert (square.ravel() == a + b).all()


def test_memory_that_is_read_only_is_not_written(vecadd):
    a, b, c = vectors(2)
    c.flags.writeable = False
    vecadd.launch(1, 2, [bytes(a), memoryview(b), c, 2])
    assert (c == 0).all()
    out = bytearray(8)
    vecadd.launch(1, 2, [a, b, out, numpy.uint32(2)])
    assert (numpy.frombuffer(out, "f4") == a + b).all()


def test_arguments_have_the_types_of_parameters(module):
    out = numpy.zeros(6, "u4")
    module.kernel("types").launch(1, 1, [out, -2, 65535, 1.5, numpy.array([7, 8], "u4")])
    assert list(out[:2]) == [0xfffffffe, 65535] and out[4] == 8
    assert out[2:4].view("f8")[0] == 1.5
    module.kernel("types").launch(1, 1, [out, numpy.int8(3), 0, 2, bytes(8)])
    assert out[0] == 3 and out[2:4].view("f8")[0] == 2 and out[4] == 0


@pytest.mark.parametrize("arguments, kind, words", [
    ([1], TypeError, "vecadd takes 4 arguments, and 1 are given"),
    ([0, 0, 0, 1.5], TypeError, "vecadd_param_3 is .u32, and the argument is a float"),
    ([0, 0, 0, 1 << 32], OverflowError, "4294967296 does not fit into .u32"),
    ([0, 0, 0, b"12"], TypeError, "vecadd_param_3 has 4 bytes, and the argument has 8"),
    ([0, 0, 0, "text"], TypeError, "str"),
])
def test_wrong_arguments_are_refused(vecadd, arguments, kind, words):
    with pytest.raises(kind, match=words):
        vecadd.launch(1, 1, arguments)


def test_errors_of_ptx_name_their_lines():
    with pytest.raises(vsm.PtxError, match="^here.ptx:6:9: expected a type"):
        vsm.Context().load(".version 7.8\n.target sm_80\n.address_size 64\n.entry x()\n{ nonsense; "
                           "}\n.global nothing;\n", name="here.ptx")
    with pytest.raises(FileNotFoundError):
        vsm.launch(pathlib.Path("/nonexistent.ptx"), "x", 1, 1)


def test_unknown_kernel_names_the_others(module):
    with pytest.raises(LookupError, match="<ptx> has no kernel nothing, but loop, types"):
        module.kernel("nothing")


def test_wrong_configuration_says_why(vecadd):
    with pytest.raises(ValueError, match="a CTA has at most 1024 threads"):
        vecadd.launch(1, 1025, [0, 0, 0, 0])


def test_kernel_that_needs_a_device_says_so():
    with vsm.Context() as context, pytest.raises(vsm.UnsupportedError, match="only a vsm device"):
        context.load(KERNELS / "tile.ptx").kernel("tile").launch(1, 1, [0, 0, 0])


def test_fault_names_its_line(vecadd):
    a, b, c = vectors()
    with pytest.raises(vsm.KernelFault, match="write of 4 bytes at 0x40") as caught:
        vecadd.launch(1, 32, [a, b, 64, 32])
    assert str(VECADD) in str(caught.value) and caught.value.report == str(caught.value)
    assert caught.value.result.source_file == "./vecadd.cu"
    assert caught.value.name == "NONE"
    # Other launches of the context go on.
    vecadd.launch(8, 128, [a, b, c, 1000])
    assert (c == a + b).all()


def test_results_come_back_after_a_fault(vecadd):
    a, b, c = vectors(32)
    with pytest.raises(vsm.KernelFault):
        vecadd.launch(2, 32, [a, b, c, 64], seed=1)
    assert (c == a + b).all()


def test_cooperative_launch_has_all_ctas(vecadd):
    a, b, c = vectors()
    vecadd.launch(8, 128, [a, b, c, 1000], cooperative=True)
    assert (c == a + b).all()


def test_cooperative_launch_with_too_many_ctas_is_refused(module):
    with pytest.raises(ValueError, match="needs all 5000 CTAs at the same time"):
        module.kernel("loop").launch(5000, 1, cooperative=True, time_limit=0.05)


def test_time_limit_is_a_hang(module):
    with pytest.raises(vsm.KernelHang) as caught:
        module.kernel("loop").launch(1, 1, time_limit=0.05)
    assert caught.value.result.outcome == vsm.enums.PtxOutcome.HANG


def test_signal_ends_a_kernel(module):
    class Interruption(Exception):
        pass

    def raise_it(*_):
        raise Interruption

    before = signal.signal(signal.SIGUSR1, raise_it)
    main = threading.main_thread().ident
    sender = threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGUSR1))
    sender.start()
    try:
        with pytest.raises(Interruption):
            module.kernel("loop").launch(1, 1)
    finally:
        sender.join()
        signal.signal(signal.SIGUSR1, before)


def test_forked_process_does_not_wait_for_a_kernel(module):
    """The kernel runs in the parent only. The child would wait for ever."""
    class Interruption(Exception):
        pass

    parent, children = os.getpid(), []

    def fork(*_):
        children.append(os.fork())
        if not children[0]:
            signal.alarm(30)
        raise Interruption

    before = signal.signal(signal.SIGUSR1, fork)
    main = threading.main_thread().ident
    sender = threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGUSR1))
    sender.start()
    try:
        module.kernel("loop").launch(1, 1)
    except Interruption:
        if os.getpid() != parent:
            os._exit(7)
    sender.join()
    signal.signal(signal.SIGUSR1, before)
    _, status = os.waitpid(children[0], 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 7


def test_kernels_print(capsys):
    words = numpy.array([1, 2, 3], "u4")
    vsm.launch(KERNELS / "print.ptx", "print", 1, 1, [3, 1.5, words])
    expected = (KERNELS / "print.out").read_text(encoding="utf-8")
    assert capsys.readouterr().out.splitlines()[0] in expected
    lines = []
    vsm.launch(KERNELS / "print.ptx", "print", 1, 1, [3, 1.5, words], output=lines.append)
    assert "".join(lines).startswith("no argument, 100%\n")


def test_exception_of_output_is_raised():
    def output(_):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        vsm.launch(KERNELS / "print.ptx", "print", 1, 1, [3, 1.5, numpy.zeros(3, "u4")],
                   output=output)


def test_closed_module_says_so(module):
    kernel = module.kernel("loop")
    module.close()
    with pytest.raises(ValueError, match="the Module is closed"):
        kernel.launch(1, 1)
    with vsm.Context() as context:
        pass
    with pytest.raises(ValueError, match="the Context is closed"):
        context.load(LOOP)
    assert os.path.exists(VECADD)

# SPDX-License-Identifier: MIT
"""Kernels that need the device."""

import os
import pathlib

import numpy
import pytest

import vsm

TOP = pathlib.Path(__file__).parents[2]
KERNELS = TOP / "build/kernels"
# It is committed: its lines of PTX are always the same.
TILE = TOP / "selftests/kernels/tile.ptx"


@pytest.fixture
def tile(device):
    with vsm.Context(device) as context:
        yield context.load(TILE).kernel("tile")


@pytest.fixture
def data():
    return numpy.arange(256, dtype="f4"), numpy.zeros(256, "f4")


def test_kernel_copies_through_an_mbarrier(data):
    source, out = data
    result = vsm.launch(TILE, "tile", 1, 256, [source, out, 1024])
    assert (out == 2 * source).all()
    assert result.device_calls > 0


# Each thread counts the odd threads of its CTA, at a barrier.
COUNT = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 out)
{
	.reg .pred %p1;
	.reg .u32 %r<3>;
	.reg .u64 %rd<3>;
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.ne.u32 %p1, %r2, 0;
	barrier.red.popc.u32 %r2, 0, %p1;
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r2;
	barrier.sync 0;
	ret;
}
"""


def test_warps_of_a_large_cta_share_calls_of_the_device(device, tmp_path):
    """With a seed, each warp makes calls of its own: the seed chooses their order."""
    out = numpy.zeros(1024, "u4")
    path = tmp_path / "count.ptx"
    path.write_text(COUNT)
    result = vsm.launch(path, "count", 1, 1024, [out])
    assert (out == 512).all()
    assert result.device_calls <= 12
    seeded = vsm.launch(path, "count", 1, 1024, [out], seed=1)
    assert seeded.device_calls > 64


def test_buffers_are_arguments_without_a_copy(device, tile):
    source, out = device.buffer(4096), device.buffer(4096)
    source.array("f4")[:] = numpy.arange(1024)
    for _ in range(2):
        tile.launch(1, 256, [source, out, 1024])
        assert (out.array("f4")[:256] == 2 * source.array("f4")[:256]).all()
        out.array()[:] = 0


def test_hang_is_an_exception_with_the_report(tile, data):
    with pytest.raises(vsm.KernelHang) as caught:
        tile.launch(1, 256, [*data, 2048])
    report = str(caught.value)
    assert report.startswith("DEADLOCK at ./tile.cu:22")
    assert "1024 bytes of 2048 announced are missing" in report
    assert caught.value.result.source_line == 22


def test_misuse_is_an_exception_with_the_report(device, tile, data):
    with pytest.raises(vsm.KernelFault) as caught:
        tile.launch(1, 256, [*data, 512])
    assert caught.value.name == "TX_OVERDELIVERY"
    assert "TX_OVERDELIVERY: cp.async.bulk of 1024 bytes" in str(caught.value)
    assert caught.value.result.source_line == 20
    # The faults of kernels are not those of the program.
    assert device.faults() == []


def test_tensor_maps_are_arguments(device):
    source, out = device.buffer(12288), device.buffer(12288)
    source.array("f4")[:3000] = numpy.arange(3000)
    kind, swizzle = vsm.enums.TensorType.FLOAT32, vsm.enums.TensorSwizzle.B128
    load = source.tensor_map(kind, [60, 50], [240], [32, 16], swizzle=swizzle)
    # A CUtensorMap has some address, which its buffer replaces.
    store = out.tensor_map_from_cuda(out.tensor_map(kind, [60, 50], [240], [32, 16]).cuda(0x1230))
    with vsm.Context(device) as context:
        module = context.load(KERNELS / "tensor_store.ptx")
        module.kernel("tensor_store").launch(2, 128, [load, store, 2, 8])
    assert out.array("f4").any()
    assert len(bytes(load)) == 128
    assert bytes(store) == bytes(out.tensor_map(kind, [60, 50], [240], [32, 16]))
    with pytest.raises(ValueError, match="no encoder of CUDA makes these bytes"):
        out.tensor_map_from_cuda(b"\xff" * 128)
    with pytest.raises(ValueError, match="no encoder of CUDA makes these bytes"):
        out.tensor_map_from_cuda(load.cuda(0)[1:])
    with pytest.raises(ValueError, match="a tensor map has no address 0x8"):
        load.cuda(8)


def test_launch_becomes_a_trace(tile, data):
    recording = vsm.Recording("tile")
    with pytest.raises(vsm.KernelHang):
        tile.launch(1, 256, [*data, 2048], trace=recording)
    assert recording.count > 8
    path = os.path.join("/dev/shm", f"vsm-{os.getpid()}.trace")
    recording.write(path)
    with open(path, "rb") as file:
        content = file.read()
    os.unlink(path)
    assert b"tile.cu:22, " in content and b"tile.ptx:90mbarrier.try_wait" in content
    assert b"full" in content


def test_context_without_a_device_takes_no_buffer(device):
    with vsm.Context() as context:
        kernel = context.load(KERNELS / "vecadd.ptx").kernel("vecadd")
        with pytest.raises(vsm.UnsupportedError, match="the context has no device"):
            kernel.launch(1, 1, [device.buffer(1), 0, 0, 0])

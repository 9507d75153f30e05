# SPDX-License-Identifier: MIT
"""Runs selftests/kernels/tile.ptx with numpy arrays, first as it should be, then with a mistake."""

import pathlib
import sys

import numpy

import vsm

source, out = numpy.arange(256, dtype="f4"), numpy.zeros(256, "f4")
ptx = pathlib.Path(sys.argv[1])

vsm.launch(ptx, "tile", grid=1, block=256, args=[source, out, 1024])
print("doubled:", (out == 2 * source).all())
try:
    vsm.launch(ptx, "tile", grid=1, block=256, args=[source, out, 2048])
except vsm.KernelHang as hang:
    print(hang.report.splitlines()[2].strip())

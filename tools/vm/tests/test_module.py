# SPDX-License-Identifier: MIT
"""module.py: what goes into a virtual machine is built."""

import contextlib
import os
import subprocess
import sys
import threading
import types

from harness import Wrong, called, expect, test, with_directory
import arch
import common
import module


@test("unit")
@with_directory
def a_kernel_whose_name_make_would_expand_is_refused(tmp):
    for name in "kernel", "modules":
        for bad in f"$(shell touch {tmp}/made)", "a b", "it's", "a#":
            opts = types.SimpleNamespace(**{"kernel": "6.1", "modules": None, name: bad})
            try:
                module.make("vm-agent", types.SimpleNamespace(arch=arch.X86_64), opts)
            except common.Failure as failure:
                expect("make cannot use a path" in str(failure), str(failure))
            else:
                raise Wrong(f"{bad} is accepted")
    expect(not os.listdir(tmp), "the name of a kernel was executed")

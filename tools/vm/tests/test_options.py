# SPDX-License-Identifier: MIT
"""Options of the runner, without a virtual machine."""

import os
import re
import subprocess
import time

from harness import HERE, RUN, called, expect, test, unpacked, with_directory
import common
import options


@test("unit")
def a_plugin_and_the_number_of_processors_are_options():
    for words, smp in ((), 2), (("--icount",), 1), (("--icount", "--smp", "2"), 2), (("--smp", "4"), 4):
        opts, _ = options.parse([*words, "--", "true"])
        expect(opts.smp == smp, f"{words}: {opts.smp} processors")
    opts, _ = options.parse(["--plugin", f"{RUN},out=x", "--", "true"])
    expect(opts.plugin == [f"{RUN},out=x"], opts.plugin)
    for words, what in (("--accel", "kvm", "--plugin", RUN), "needs tcg"), (
            ("--plugin", "/none/count.so,out=x"), "no plugin /none/count.so"):
        done = subprocess.run([RUN, *words, "--", "true"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, text=True)
        expect(done.returncode == common.STATUS_FAILED and what in done.stderr, done.stderr)

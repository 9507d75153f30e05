# SPDX-License-Identifier: MIT
"""Guests with arm64."""

import os
import subprocess

from harness import HERE, TOP, called, expect, test, with_directory


@test("arm64")
@with_directory
def a_program_for_arm64_uses_the_device(kernel, tmp):
    program = os.path.join(tmp, "first")
    flags = subprocess.run(["pkg-config", "--cflags", "libdrm"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    # The headers of libdrm are the same for all processors, and so are the kernel's below them.
    status, _, err = called("-static", "-Wall", f"-I{TOP}/uapi/drm", *flags, "-idirafter", "/usr/include",
                            "-o", program, f"{TOP}/Documentation/start/first.c",
                            f"{HERE}/tests/libdrm.c", program="aarch64-linux-gnu-gcc")
    expect(status == 0, err)
    for more in [], ["--smp", "1", "--icount"]:
        status, out, err = called("--kernel", kernel, *more, "--", program)
        expect(status == 0 and "1..2\nok 1 " in out and "\nok 2 " in out, f"status {status}\n{out}{err}")


@test("arm64")
def a_program_for_another_processor_cannot_be_executed(kernel):
    status, _, err = called("--kernel", kernel, "--no-module", "--", "true")
    expect(status == 126 and "Exec format error" in err, f"status {status}\n{err}")

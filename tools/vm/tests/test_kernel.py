# SPDX-License-Identifier: MIT
"""kernel.py, without a virtual machine."""

import os

from harness import Wrong, expect, test, unpacked, with_directory
import kernel
import options

OPTIONS = set(kernel.GUEST_OPTIONS) | set(kernel.MODULE_OPTIONS)


def refused(what, function, *arguments):
    try:
        function(*arguments)
    except kernel.KernelError as error:
        expect(what in str(error), f"says: {error}")
    else:
        raise Wrong("is accepted")

@test("unit")
@with_directory
def an_unpacked_package_is_a_kernel(tmp):
    found = kernel.Kernel(unpacked(tmp + "/a", OPTIONS))
    found.demand()
    expect(found.release == "9.9-x", found.release)
    expect(kernel.Kernel(unpacked(tmp + "/b", OPTIONS, modules="usr/lib/modules")).release ==
           "9.9-x", "modules below usr are not found")


@test("unit")
@with_directory
def every_option_that_a_kernel_lacks_is_named(tmp):
    for i, option in enumerate(sorted(OPTIONS)):
        found = kernel.Kernel(unpacked(f"{tmp}/{i}", OPTIONS - {option}))
        refused(f"without {option} (", found.demand)
    kernel.Kernel(unpacked(tmp + "/x", OPTIONS - {"DRM"})).demand(with_vsm=False)


@test("unit")
@with_directory
def a_directory_without_a_kernel_is_refused(tmp):
    refused("neither 6.1, 6.12", kernel.Kernel, "7.0")
    refused("holds no kernel", kernel.Kernel, tmp)
    os.makedirs(tmp + "/tree/arch/x86/boot")
    with open(tmp + "/tree/arch/x86/boot/bzImage", "wb"):
        pass
    refused("is not built", kernel.Kernel, tmp + "/tree")
    unpacked(tmp + "/two", OPTIONS)
    os.rename(tmp + "/two/lib", tmp + "/two/no")
    refused("holds no lib/modules/9.9-x", kernel.Kernel, tmp + "/two")
    with open(tmp + "/two/boot/vmlinuz-8", "wb"):
        pass
    refused("several kernels", kernel.Kernel, tmp + "/two")


@test("unit")
@with_directory
def a_module_for_another_kernel_is_refused(tmp):
    found = kernel.Kernel(unpacked(tmp + "/a", OPTIONS))
    with open(tmp + "/vsm.ko", "wb") as f:
        f.write(b"\0vermagic=9.8-x SMP preempt mod_unload \0depends=\0")
    refused("built for Linux 9.8-x", found.closure, ["vsm"], {"vsm": tmp + "/vsm.ko"})
    with open(tmp + "/vsm.ko", "wb") as f:
        f.write(b"\0vermagic=9.9-x SMP preempt mod_unload \0depends=\0")
    expect([n for n, _ in found.closure(["vsm"], {"vsm": tmp + "/vsm.ko"})] == ["vsm"], "refused")


@test("unit")
@with_directory
def a_kernel_may_be_named_from_the_current_directory(tmp):
    os.mkdir(tmp + "/linux")
    before = os.getcwd()
    os.chdir(tmp)
    try:
        for name, meant in (("linux", tmp + "/linux"), ("6.1", "6.1")):
            opts, _ = options.parse(["--kernel", name, "--", "true"])
            expect(opts.kernel == meant, f"{name} is {opts.kernel}")
    finally:
        os.chdir(before)

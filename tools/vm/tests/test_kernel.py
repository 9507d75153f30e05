# SPDX-License-Identifier: MIT
"""kernel.py, without a virtual machine."""

import bz2
import gzip
import lzma
import os
import shutil
import struct
import subprocess
import sys

from harness import HERE, OPTIONS, Wrong, called, expect, ordinary_user, test, unpacked, with_directory
import image as images
import kernel
import options


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
def a_kernel_that_does_not_report_stalls_is_accepted_with_a_warning(tmp):
    expect("HUNG_TASK" in kernel.Kernel(unpacked(
        tmp + "/a", OPTIONS | {"SOFTLOCKUP_DETECTOR"})).blind(), "hung tasks")
    expect("SOFTLOCKUP" in kernel.Kernel(unpacked(
        tmp + "/b", OPTIONS | {"DETECT_HUNG_TASK"})).blind(), "soft lockups")
    expect(not kernel.Kernel(unpacked(tmp + "/c", OPTIONS | set(kernel.STALL_OPTIONS))).blind(), "none")
    status, _, err = called("check", unpacked(tmp + "/d", OPTIONS),
                            program=os.path.join(HERE, "kernel.py"))
    expect(status == 0 and "SOFTLOCKUP_DETECTOR (" in err and "DETECT_HUNG_TASK (" in err, err)


@test("unit")
@with_directory
def a_directory_without_a_kernel_is_refused(tmp):
    refused(f"neither {', '.join(kernel.STOCK)}, a", kernel.Kernel, "7.0")
    refused("no stock kernel", kernel.Kernel, "")
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
        for name, meant in (("linux", tmp + "/linux"), (kernel.DEFAULT, kernel.DEFAULT)):
            opts, _ = options.parse(["--kernel", name, "--", "true"])
            expect(opts.kernel == meant, f"{name} is {opts.kernel}")
    finally:
        os.chdir(before)


# --- kernels that are files ---------------------------------------------------------


def holding(config):
    return b"kernel" + (b"IKCFG_ST" + gzip.compress(config.encode(), mtime=0) + b"IKCFG_ED" if config else b"")


def image(path, release="9.9-x", config="", pack=None):
    """Writes a file with the header of an x86 kernel. @pack packs what the kernel holds, and appends
    what the kernel's build appends."""
    held = holding(config)
    data = pack(held) if pack else held
    version = release.encode() + b" (someone@somewhere) #1\0"
    header = bytearray(0x400)
    header[0x1f1] = 1
    header[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", header, 0x20e, 0x300 - 0x200)
    struct.pack_into("<II", header, 0x248, 16, len(data))
    header[0x300:0x300 + len(version)] = version
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(header + bytes(16) + data + b"after")
    return path


def modules(directory, *files):
    os.makedirs(directory, exist_ok=True)
    for name in ("modules.builtin", "modules.order", *files):
        os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
        with open(os.path.join(directory, name), "w", encoding="ascii"):
            pass
    return os.path.realpath(directory)


CONFIG = "".join(f"CONFIG_{option}=y\n" for option in sorted(OPTIONS))


@test("unit")
@with_directory
def modules_are_found_beside_a_kernel_or_where_the_caller_says(tmp):
    for number, (file, folder, named) in enumerate((
            ("boot/vmlinuz-9.9-x", "lib/modules/9.9-x", None),
            ("boot/vmlinuz", "usr/lib/modules/9.9-x", None),
            ("bzImage", "modules", None), ("bzImage", "modules/9.9-x", None),
            ("bzImage", "lib/modules/9.9-x", None), ("bzImage", ".", None),
            ("bzImage", "staging/lib/modules/9.9-x", "staging"),
            ("bzImage", "any", "any"), ("bzImage", "any/9.9-x", "any"))):
        here = os.path.join(tmp, str(number))
        path = image(os.path.join(here, file))
        folder = modules(os.path.join(here, folder))
        found = kernel.Kernel(path, named and os.path.join(here, named))
        expect((found.release, found.modules, found.installed) == ("9.9-x", folder, folder),
               f"{file}, {folder}: {found.modules}")
        expect(found.config is None, "has a configuration")


@test("unit")
@with_directory
def a_kernel_file_in_a_tree_is_the_tree(tmp):
    path = image(os.path.join(tmp, "arch/x86/boot/bzImage"))
    modules(tmp, "include/config/kernel.release")
    with open(os.path.join(tmp, "include/config/kernel.release"), "w", encoding="ascii") as f:
        f.write("9.9-x\n")
    found = kernel.Kernel(path)
    expect(found.headers == os.path.realpath(tmp) and not found.installed, found.headers)
    other = kernel.Kernel(path, modules(os.path.join(tmp, "other")))
    expect(other.installed == os.path.realpath(tmp) + "/other", other.installed)


@test("unit")
@with_directory
def a_file_that_is_no_usable_kernel_is_refused(tmp):
    with open(tmp + "/text", "w", encoding="ascii") as f:
        f.write("text" * 1000)
    refused("is no kernel for x86", kernel.Kernel, tmp + "/text")
    path = image(tmp + "/bzImage")
    refused("name their directory with --modules", kernel.Kernel, path)
    refused(f"in none of {tmp}/no, {tmp}/no/9.9-x, {tmp}/no/lib/modules/9.9-x", kernel.Kernel, path,
            tmp + "/no")
    refused("is no file with a kernel", kernel.Kernel, tmp, tmp)
    modules(tmp + "/modules")
    refused("has no headers", kernel.Kernel(path).need_headers)
    os.chmod(tmp, 0o755)
    os.chmod(path, 0)
    with ordinary_user():
        refused("is not readable", kernel.Kernel, path)


def written(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


@test("unit")
@with_directory
def a_damaged_kernel_is_refused(tmp):
    whole = {"x86": image(tmp + "/bzImage"), "arm64": arm64_image(tmp + "/Image"),
             "packed": arm64_image(tmp + "/Image.gz", pack=gzip.compress)}
    whole = {name: images.Image(path).data for name, path in whole.items()}
    for number, data in enumerate((
            b"\x1f\x8bjunk",
            # The header ends before the place of the release, or the release does.
            whole["x86"][:0x206], whole["x86"][:0x20f], whole["x86"][:0x302],
            whole["x86"][:0x300] + b"\xff\0" + whole["x86"][0x302:],
            whole["x86"][:0x300] + b" \0" + whole["x86"][0x302:],
            whole["arm64"].replace(b"version", b"VERSION"), whole["packed"][:0x40])):
        path = written(f"{tmp}/{number}", data)
        refused(f"{path} is damaged", kernel.Kernel, path)
    status, _, err = called("--kernel", tmp + "/0", "--", "true")
    expect(status == 125 and err == f"vm/run: {tmp}/0 is damaged: it does not have what a kernel has\n",
           f"status {status}\n{err}")


@test("unit")
@with_directory
def a_damaged_module_is_refused(tmp):
    for name, data in (("a.ko.xz", b"junk"), ("b.ko.xz", lzma.compress(b"module")[:-5]),
                       ("a.ko.gz", b"junk"), ("b.ko.gz", gzip.compress(b"module")[:-5]),
                       ("a.ko.zst", b"junk")):
        path = written(f"{tmp}/{name}", data)
        refused(f"{path} cannot be unpacked: ", kernel.read_module, path)
    search, os.environ["PATH"] = os.environ["PATH"], tmp
    refused("a.ko.zst cannot be unpacked: zstd is missing", kernel.read_module, tmp + "/a.ko.zst")
    os.environ["PATH"] = search
    image(tmp + "/bzImage")
    folder = modules(tmp + "/modules", "kernel/configs.ko")
    written(folder + "/modules.order", b"kernel/configs.ko\n")
    written(folder + "/kernel/configs.ko", b"xIKCFG_STjunkIKCFG_EDx")
    refused("configs.ko is damaged", kernel.Kernel, tmp + "/bzImage")


@test("unit")
@with_directory
def a_mistake_of_the_runner_has_a_status_that_no_command_has(tmp):
    written(tmp + "/sitecustomize.py", b"""
import subprocess
run = subprocess.run
def planted(command, **more):
    if "vm-agent" in command:
        raise RuntimeError("planted")
    return run(command, **more)
subprocess.run = planted
""")
    status, _, err = called("--kernel", unpacked(tmp + "/kernel", OPTIONS), "--no-module", "--", "true",
                            env={**os.environ, "PYTHONPATH": tmp})
    expect(status == 125 and "vm/run: Traceback" in err and "RuntimeError: planted" in err,
           f"status {status}\n{err}")
    status, _, err = called("--out", tmp + "/sitecustomize.py/out", "--", "true")
    expect(status == 125 and "vm/run: [Errno 20]" in err, f"status {status}\n{err}")


@test("unit")
@with_directory
def modules_of_another_kernel_are_refused(tmp):
    folder = modules(tmp + "/modules")
    with open(folder + "/modules.order", "w", encoding="ascii") as f:
        f.write("kernel/9p.ko\n")
    os.mkdir(folder + "/kernel")
    with open(folder + "/kernel/9p.ko", "wb") as f:
        f.write(b"\0vermagic=9.8-x SMP \0depends=\0")
    found = kernel.Kernel(image(tmp + "/bzImage"))
    refused("9p.ko was built for Linux 9.8-x, and this is 9.9-x", found.closure, ["9p"])


@test("unit")
@with_directory
def the_configuration_is_found(tmp):
    lacking = CONFIG.replace("CONFIG_DRM=y\n", "")
    for number, file in enumerate(("config-9.9-x", "config", "modules/config", "modules/build/.config")):
        here = os.path.join(tmp, str(number))
        path = image(here + "/bzImage")
        modules(here + "/modules", file, "build/Makefile")
        os.makedirs(os.path.dirname(os.path.join(here, file)), exist_ok=True)
        with open(os.path.join(here, file), "w", encoding="ascii") as f:
            f.write(lacking)
        refused("without DRM (", kernel.Kernel(path).demand)
    size = b"\0\1\0\0"
    programs = {name: lambda data, name=name: subprocess.run(
        [name, "-c", *(["-l"] if name == "lz4" else [])], input=data, stdout=subprocess.PIPE, check=True).stdout + size
        for name in ("zstd", "lz4", "lzop") if shutil.which(name)}
    for name, pack in {"none": None, "gzip": gzip.compress, "bzip2": lambda d: bz2.compress(d) + size,
                       "xz": lambda d: lzma.compress(d) + size,
                       "lzma": lambda d: lzma.compress(d, lzma.FORMAT_ALONE) + size,
                       **programs}.items():
        here = os.path.join(tmp, name)
        path = image(here + "/bzImage", config=lacking, pack=pack)
        modules(here + "/modules")
        held = images.Image(path).unpacked()
        expect(held == holding(lacking), f"{name}: {len(held)} bytes")
        refused("without DRM (", kernel.Kernel(path).demand)


@test("unit")
@with_directory
def the_configuration_may_be_a_module(tmp):
    path = image(tmp + "/bzImage")
    folder = modules(tmp + "/modules", "kernel/configs.ko")
    with open(folder + "/modules.order", "w", encoding="ascii") as f:
        f.write("kernel/configs.ko\n")
    with open(folder + "/kernel/configs.ko", "wb") as f:
        f.write(b"xIKCFG_ST" + gzip.compress(CONFIG.encode()) + b"IKCFG_EDx")
    found = kernel.Kernel(path)
    expect(found.option("DRM") == "y", found.config)
    found.demand()


@test("unit")
def the_kernel_of_this_machine_has_a_name():
    path = "/boot/vmlinuz-" + os.uname().release
    expect(kernel.absolute("host") == path, kernel.absolute("host"))
    if not os.path.exists(path):
        refused(f"this machine has no {path}", kernel.Kernel, "host")


# --- kernels for arm64 ---------------------------------------------------------------


def arm64_image(path, config="", pack=bytes):
    """Writes a file with the header of a kernel for arm64."""
    data = bytearray(0x40)
    data[0x38:0x3c] = b"ARM\x64"
    data += b"Linux version 9.9-x (someone@somewhere)\0" + holding(config)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(pack(bytes(data)))
    return path


@test("unit")
@with_directory
def a_file_for_arm64_is_a_kernel(tmp):
    config = CONFIG + "CONFIG_SERIAL_AMBA_PL011_CONSOLE=y\n"
    modules(tmp + "/modules")
    for pack in bytes, gzip.compress:
        found = kernel.Kernel(arm64_image(tmp + "/Image", config, pack))
        expect((found.arch.name, found.release) == ("aarch64", "9.9-x"), f"{found.arch.name} {found.release}")
        found.demand()
    refused("without SERIAL_AMBA_PL011_CONSOLE (", kernel.Kernel(arm64_image(tmp + "/Image", CONFIG)).demand)


@test("unit")
@with_directory
def packages_and_trees_for_arm64_are_kernels(tmp):
    package = kernel.Kernel(unpacked(tmp + "/package", {"ARM64"}))
    modules(tmp + "/tree", "include/config/kernel.release")
    with open(tmp + "/tree/include/config/kernel.release", "w", encoding="ascii") as f:
        f.write("9.9-x\n")
    arm64_image(tmp + "/tree/arch/arm64/boot/Image")
    for found in package, kernel.Kernel(tmp + "/tree"), kernel.Kernel(tmp + "/tree/arch/arm64/boot/Image"):
        expect(found.arch is kernel.AARCH64, found.name)


@test("unit")
@with_directory
def what_a_guest_with_arm64_lacks_on_this_machine_is_named(tmp):
    options = OPTIONS | {"ARM64", *kernel.AARCH64.options}
    package = unpacked(tmp + "/package", options)
    os.mkdir(tmp + "/bin")
    os.symlink(sys.executable, tmp + "/bin/python3")
    # What tools/setup.sh --kernels runs.
    for program in "bash", "sh", "env", "awk", "dirname", "paste", "realpath", "sed", "tail", "tr":
        os.symlink(shutil.which(program), f"{tmp}/bin/{program}")
    status, _, err = called("--kernel", package, "--no-module", "--", "/bin/true", env={"PATH": tmp + "/bin"})
    if kernel.AARCH64.native:
        return
    expect(status == 125 and "aarch64-linux-gnu-gcc is missing: install" in err, err)

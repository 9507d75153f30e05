# SPDX-License-Identifier: MIT
"""The runner as `make install` installs it: vsm-vm."""

import os
import re
import tempfile

from harness import (NOBODY, OPTIONS, TOP, called, expect, kernel_folder, read, test, unpacked,
                     with_directory)
import common
import kernel as kernels
import module


def installed(tmp):
    """Installs the runner below a folder. Returns its path."""
    status, out, err = called("-s", "--no-print-directory", "-C", os.path.join(TOP, "tools"), "install-vm",
                              "install-source", f"DESTDIR={tmp}", "PREFIX=/usr", program="make")
    expect(status == 0, out + err)
    return os.path.join(tmp, "usr/bin/vsm-vm")


def with_headers(directory, makefile=""):
    """Makes a folder like that of an unpacked kernel package with its headers."""
    unpacked(directory, OPTIONS)
    headers = os.path.join(directory, "usr/src/linux-headers-9.9-x")
    os.makedirs(headers)
    for name, text in ("Makefile", makefile), ("Module.symvers", ""):
        with open(os.path.join(headers, name), "w", encoding="ascii") as f:
            f.write(text)
    return directory


@test("unit")
@with_directory
def the_installed_runner_calls_itself_vsm_vm(tmp):
    run = installed(tmp)
    _, shown, _ = called("--help", program=run)
    expect("usage: vsm-vm " in shown and "tools/vm" not in shown, shown)
    _, shown, _ = called("--version", program=run)
    expect(shown == f"vsm-vm {common.version()}\n", shown)
    status, _, err = called(program=run)
    expect(status == common.STATUS_FAILED and "\nvsm-vm: no command\n" in err, err)
    expect(".TH VSM\\-VM 1" in read(os.path.join(tmp, "usr/share/man/man1/vsm-vm.1")), "no man page")


@test("unit")
@with_directory
def the_installed_runner_says_why_it_cannot_build_the_module(tmp):
    run = installed(tmp)
    package = with_headers(os.path.join(tmp, "package"), "modules:\n\techo the reason; false\n")
    bare = unpacked(os.path.join(tmp, "bare"), OPTIONS)
    cache = os.path.join(tmp, "cache")

    def fails(kernel, what, cache=cache):
        status, _, err = called("--kernel", kernel, "--", "true", program=run,
                                env={**os.environ, "VSM_CACHE": cache})
        expect(status == common.STATUS_FAILED and re.search(what, err), f"status {status}\n{err}")

    fails(bare, "has no headers .*linux-headers-9.9-x.*--ko")
    fails(package, r"the reason\n(.|\n)*vsm.ko cannot be built for Linux 9.9-x")
    fails(package, "cannot be built in /dev/null/x: Not a directory: set VSM_CACHE", "/dev/null/x")
    version = os.listdir(os.path.join(tmp, "usr/src"))[0]
    os.rename(os.path.join(tmp, "usr/src", version), os.path.join(tmp, "usr/src/other"))
    fails(package, f"the sources of vsm.ko are not in {tmp}/usr/src/{version}: install them")


@test("unit")
@with_directory
def the_installed_runner_refuses_kernels_for_other_processors(tmp):
    run = installed(tmp)
    package = unpacked(os.path.join(tmp, "package"), OPTIONS | {"ARM64", *kernels.AARCH64.options})
    status, _, err = called("--kernel", package, "--", "true", program=run)
    expect(kernels.AARCH64.native or status == common.STATUS_FAILED and
           "only tools/vm/run in the source tree" in err, err)


@test("unit")
@with_directory
def all_that_a_module_is_made_of_is_in_the_name_of_its_folder(tmp):
    source = os.path.join(tmp, "source/driver")
    os.makedirs(source)
    package = with_headers(os.path.join(tmp, "package"))
    seen = set()

    def differs(what, path, text):
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        name = module.content(os.path.join(tmp, "source"), kernels.Kernel(package))
        expect(name not in seen, f"another {what} makes no difference")
        seen.add(name)

    differs("source", source + "/a.c", "x")
    differs("source", source + "/a.c", "y")
    differs("source file", source + "/b.c", "y")
    differs("symbol", package + "/usr/src/linux-headers-9.9-x/Module.symvers", "z")
    before = os.environ.get("CC")
    os.environ["CC"] = "other-" + (before or "cc")
    try:
        differs("compiler", source + "/a.c", "y")
    finally:
        os.environ.pop("CC")
        if before:
            os.environ["CC"] = before


@test("guest")
@with_directory
def the_installed_runner_builds_the_module_once(kernel, tmp):
    run = installed(tmp)
    os.symlink(os.path.join(common.CACHE, "kernels"), os.path.join(tmp, "kernels"))
    for number in range(2):
        status, out, err = called("--kernel", kernel, "--", "sh", "-c",
                                  "ls /dev/dri && echo $VSM_MODULE", program=run,
                                  env={**os.environ, "VSM_CACHE": tmp}, cwd="/")
        expect(status == 0 and "renderD128" in out and f"\n{tmp}/modules/" in out,
               f"status {status}\n{out}{err}")
        expect(err.count("building vsm.ko") == 1 - number, err)


@test("guest")
def an_ordinary_user_needs_no_privileges(kernel):
    # The files of root's home may not be readable. This folder has copies of what is needed.
    with tempfile.TemporaryDirectory() as tmp:
        os.chmod(tmp, 0o755)
        run = installed(tmp)
        image, folder = kernel_folder(kernel, tmp)
        mine = os.path.join(tmp, "mine")
        os.mkdir(mine)
        secret = os.path.join(tmp, "secret")
        with open(secret, "w", encoding="ascii") as f:
            f.write("secret")
        os.chmod(secret, 0o600)
        user = {}
        if os.geteuid() == 0:
            os.chown(mine, NOBODY, NOBODY)
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        script = f"id -u; cat {secret}; echo new >out/file && echo new >/etc/new && cat /etc/new"
        status, out, err = called(
            "--kernel", image, "--modules", folder, "--no-module", "--out", "out", "--", "sh", "-c", script,
            program=run, cwd=mine, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}, **user)
        # What the user cannot read, root in the guest cannot either.
        hidden = "" if user else "secret"
        expect(status == 0 and out == f"0\n{hidden}new\n", f"status {status}\n{out}{err}")
        expect(not user or "Permission denied" in err, err)
        file = os.path.join(mine, "out/file")
        expect(read(file) == "new\n" and os.stat(file).st_uid == (NOBODY if user else os.geteuid()),
               "the file does not belong to the user")

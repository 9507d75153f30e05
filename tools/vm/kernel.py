#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds kernels that tools/vm/run can boot: tools/vm/kernel.py WHAT KERNEL

KERNEL is a stock kernel (6.1, 6.12), a built kernel tree, a directory with an
unpacked Debian package (boot/vmlinuz-*, lib/modules), or the name of such a package
that apt knows, which is fetched into the cache. WHAT is one of:

  headers   prints the path of the headers that modules are built with
  release   prints the kernel's release, as `uname -r` does
  check     fails with a message if the kernel lacks options that tools/vm/run needs
"""

import glob
import lzma
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CACHE = os.environ.get("VSM_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "vsm")

STOCK = ("6.1", "6.12")

# Modules that are loaded before the command can start.
GUEST_MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"]

# Options of these modules, and options that must be built into the kernel. Each has its reason.
GUEST_OPTIONS = {
    "MODULES": "loading modules", "BLK_DEV_INITRD": "the initramfs",
    "SERIAL_8250_CONSOLE": "the kernel log", "PCI": "the guest's devices",
    "VIRTIO_PCI": "the guest's devices", "VIRTIO_CONSOLE": "output and results",
    "NET_9P_VIRTIO": "the files of this machine", "9P_FS": "the files of this machine",
    "OVERLAY_FS": "files that the command writes", "TMPFS": "files that the command writes",
    "DEVTMPFS": "device nodes", "UNIX98_PTYS": "terminals", "PROC_FS": "/proc", "SYSFS": "/sys",
    "SIGNALFD": "the guest's init", "BINFMT_ELF": "programs", "BINFMT_SCRIPT": "scripts",
    "EPOLL": "programs", "FUTEX": "threads",
}
MODULE_OPTIONS = {
    "DRM": "vsm.ko", "DRM_GEM_SHMEM_HELPER": "vsm.ko", "SYNC_FILE": "vsm.ko",
    "DMA_SHARED_BUFFER": "vsm.ko",
}


class KernelError(Exception):
    pass


def module_name(path):
    return re.sub(r"\.(ko|o)(\.(xz|gz|zst))?$", "", os.path.basename(path)).replace("-", "_")


def read_module(path):
    if path.endswith(".xz"):
        with lzma.open(path) as f:
            return f.read()
    if path.endswith((".gz", ".zst")):
        tool = "gzip" if path.endswith(".gz") else "zstd"
        return subprocess.run([tool, "-dc", path], check=True, stdout=subprocess.PIPE).stdout
    with open(path, "rb") as f:
        return f.read()


def module_info(data, key):
    """Returns the first value of a key in a module's .modinfo, or None."""
    found = re.search(rb"(?:^|\0)" + key.encode() + rb"=([^\0]*)", data)
    return found and found[1].decode()


def read_text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def fetched(package):
    """Returns the folder in the cache with an unpacked kernel package. Fetches the package if
    necessary."""
    made = subprocess.run([os.path.join(TOP, "tools/setup.sh"), "--quiet", "kernel", package],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if made.returncode:
        raise KernelError(f"cannot fetch {package}")
    return made.stdout.decode().splitlines()[-1]


class Kernel:
    """A kernel with its modules, its configuration and its headers."""

    def __init__(self, name):
        self.name = name
        if name in STOCK:
            self.tree = os.path.realpath(os.path.join(CACHE, "kernels", name))
            if not os.path.isdir(self.tree):
                raise KernelError(f"Linux {name} is not in {CACHE}: run `make setup`")
        elif os.path.isdir(name):
            self.tree = os.path.realpath(name)
        elif re.fullmatch(r"linux-image-[a-z0-9.+~-]+", name):
            self.tree = fetched(name)
        else:
            raise KernelError(f"{name} is neither {', '.join(STOCK)}, a directory, nor the name "
                              "of a package (linux-image-...)")
        if os.path.exists(os.path.join(self.tree, "arch/x86/boot/bzImage")):
            self._read_tree()
        else:
            self._read_package()
        self._builtin = {module_name(p) for p in self._list("modules.builtin")}
        self._files = {module_name(p): p for p in self._list("modules.order")}

    def _read_tree(self):
        self.image = os.path.join(self.tree, "arch/x86/boot/bzImage")
        self.modules = self.headers = self.tree
        self.installed = None
        try:
            self.release = read_text(
                os.path.join(self.tree, "include/config/kernel.release")).strip()
        except FileNotFoundError:
            raise KernelError(f"{self.name} is a kernel tree that is not built") from None
        self._read_config(os.path.join(self.tree, ".config"))

    def _read_package(self):
        images = glob.glob(os.path.join(glob.escape(self.tree), "boot/vmlinuz-*"))
        if len(images) != 1:
            raise KernelError(
                f"{self.name} holds {'several kernels' if images else 'no kernel'}: neither a "
                "built tree (arch/x86/boot/bzImage) nor an unpacked package (boot/vmlinuz-*)")
        self.image = images[0]
        self.release = os.path.basename(self.image)[len("vmlinuz-"):]
        for place in ("lib/modules", "usr/lib/modules"):
            self.modules = os.path.join(self.tree, place, self.release)
            if os.path.isdir(self.modules):
                break
        else:
            raise KernelError(f"{self.name} holds no lib/modules/{self.release}")
        self.installed = self.modules
        headers = os.path.join(self.tree, "usr/src/linux-headers-" + self.release)
        self.headers = headers if os.path.isdir(headers) else None
        self._read_config(os.path.join(self.tree, "boot/config-" + self.release))

    def _read_config(self, path):
        """Returns the options that are set, or None if the kernel's configuration is not
        available."""
        try:
            self.config = dict(re.findall(r"^CONFIG_(\w+)=(.*)$", read_text(path), re.M))
        except FileNotFoundError:
            self.config = None

    def _list(self, name):
        try:
            return read_text(os.path.join(self.modules, name)).split()
        except FileNotFoundError:
            return []

    def option(self, name, default=None):
        return (self.config or {}).get(name, default)

    def lacks(self, with_vsm=True):
        """Returns (option, reason) for each option that a run needs and the kernel lacks."""
        if self.config is None:
            return []
        needed = dict(GUEST_OPTIONS, **(MODULE_OPTIONS if with_vsm else {}))
        return [(option, use) for option, use in needed.items()
                if self.option(option) not in ("y", "m")]

    def demand(self, with_vsm=True):
        """Raises an error that names all missing options."""
        lacks = self.lacks(with_vsm)
        if lacks:
            raise KernelError(f"Linux {self.release} cannot be used, it was built without " +
                              ", ".join(f"{option} ({use})" for option, use in lacks))

    def find(self, name):
        path = os.path.join(self.modules, re.sub(r"\.o$", ".ko", self._files[name]))
        for suffix in ("", ".xz", ".gz", ".zst"):
            if os.path.exists(path + suffix):
                return path + suffix
        raise KernelError(f"{path} is missing")

    def closure(self, wanted, extra=()):
        """Returns (name, bytes) of the wanted modules, each after the modules that it depends on.

        @extra has the paths of modules that are not part of the kernel, by name."""
        done, result = set(), []

        def add(name, why):
            name = name.replace("-", "_")
            if name in done or name in self._builtin:
                return
            done.add(name)
            if name in extra:
                data = read_module(extra[name])
                self._check_magic(extra[name], data)
            elif name in self._files:
                data = read_module(self.find(name))
            else:
                raise KernelError(f"kernel {self.name} has no module {name}, needed {why}")
            for dep in (module_info(data, "depends") or "").split(","):
                if dep:
                    add(dep, f"by {name}")
            result.append((name, data))

        for name in wanted:
            add(name, "here")
        return result

    def _check_magic(self, path, data):
        magic = (module_info(data, "vermagic") or "no kernel").split()[0]
        if magic != self.release:
            raise KernelError(f"{path} was built for Linux {magic}, and this is {self.release}")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("headers", "release", "check"):
        sys.exit(__doc__.strip())
    try:
        kernel = Kernel(sys.argv[2])
        if sys.argv[1] == "release":
            print(kernel.release)
        elif sys.argv[1] == "headers":
            if not kernel.headers:
                raise KernelError(f"{sys.argv[2]} holds no usr/src/linux-headers-{kernel.release}, "
                                  "so no module can be built: give a built one (--ko, KO= of make)")
            print(kernel.headers)
        else:
            kernel.demand()
    except KernelError as error:
        sys.exit(f"vm/kernel: {error}")


if __name__ == "__main__":
    main()

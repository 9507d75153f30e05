#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds kernels that tools/vm/run can boot: tools/vm/kernel.py WHAT KERNEL [MODULES]

KERNEL is one of:

  6.1, 6.12, ...  a stock kernel of this distribution (tools/setup.sh --kernels)
  linux-image-*   a Debian package that apt knows; stock kernels and packages are fetched into
                  the cache
  a directory     a built kernel tree, or an unpacked package of a kernel
  a file          a kernel (bzImage, vmlinuz); MODULES is the directory with its modules
  host            the kernel that this machine runs

WHAT is one of:

  headers   prints the path of the headers that modules are built with
  image     prints the path of the image that is booted
  release   prints the kernel's release, as `uname -r` does
  check     fails with a message if the kernel lacks options that tools/vm/run needs
"""

import glob
import lzma
import os
import re
import subprocess
import sys

# Without this, an import would write a __pycache__ into the source tree.
sys.dont_write_bytecode = True
from arch import AARCH64, ARCHES, X86_64  # noqa: E402
from image import Image, NoKernel, ikconfig, reading  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# Beside this program's folder, in the source tree and where it is installed.
SETUP = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "setup.sh")

# The stock kernels of this distribution.
STOCK = tuple(subprocess.run([SETUP, "--kernels"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, check=True).stdout.decode().split())
DEFAULT = STOCK[0] if STOCK else ""

# Where a package has its modules.
MODULES = ("lib/modules", "usr/lib/modules")

# Modules that are loaded before the command can start.
GUEST_MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"]

# Options of these modules, and options that must be built into the kernel. Each has its reason.
GUEST_OPTIONS = {
    "MODULES": "loading modules", "BLK_DEV_INITRD": "the initramfs",
    "PCI": "the guest's devices",
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


# Options without which a kernel does not report some stalls.
STALL_OPTIONS = {
    "SOFTLOCKUP_DETECTOR": "processors that do not schedule",
    "DETECT_HUNG_TASK": "tasks that cannot be woken",
}


class KernelError(Exception):
    pass


def module_name(path):
    return re.sub(r"\.(ko|o)(\.(xz|gz|zst))?$", "", os.path.basename(path)).replace("-", "_")


def read_module(path):
    if path.endswith(".xz"):
        try:
            with lzma.open(path) as f:
                return f.read()
        except (lzma.LZMAError, EOFError) as error:
            raise KernelError(f"{path} cannot be unpacked: {error}") from None
    if path.endswith((".gz", ".zst")):
        tool = "gzip" if path.endswith(".gz") else "zstd"
        try:
            unpacked = subprocess.run([tool, "-dc", path], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, check=False)
        except FileNotFoundError:
            raise KernelError(f"{path} cannot be unpacked: {tool} is missing") from None
        if unpacked.returncode:
            raise KernelError(f"{path} cannot be unpacked: "
                              f"{unpacked.stderr.decode(errors='replace').strip()}")
        return unpacked.stdout
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
    """Returns the folder in the cache with a stock kernel or an unpacked kernel package. Fetches it
    if necessary."""
    made = subprocess.run([SETUP, "kernel", package], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=False)
    if made.returncode:
        raise KernelError(f"cannot fetch {package}")
    return made.stdout.decode().splitlines()[-1]


def absolute(name):
    """Returns the name of a kernel so that it is right in any folder."""
    if name == "host":
        return "/boot/vmlinuz-" + os.uname().release
    if name in STOCK or not os.path.exists(name):
        return name
    return os.path.realpath(name)


def options_of(text):
    """Returns the options that a configuration sets, or None if there is no configuration."""
    return None if text is None else dict(re.findall(r"^CONFIG_(\w+)=(.*)$", text, re.M))


class Kernel:
    """A kernel with its modules, its configuration and its headers."""

    def __init__(self, name, modules=None):
        self.name = name
        name = absolute(name)
        if name not in STOCK and os.path.isfile(name):
            self._read_file(os.path.realpath(name), modules)
        elif modules:
            raise KernelError(f"{name} is no file with a kernel, but only such a file goes with a "
                              "directory of modules")
        else:
            tree = self._folder(name)
            arch = next((a for a in ARCHES if os.path.exists(os.path.join(tree, a.image))), None)
            if arch:
                self._read_tree(tree, arch)
            else:
                self._read_package(tree)
        self._builtin = {module_name(p) for p in self._list("modules.builtin")}
        self._files = {module_name(p): p for p in self._list("modules.order")}
        if self.config is None and "configs" in self._files:
            path = self.find("configs")
            try:
                with reading(path):
                    self.config = options_of(ikconfig(read_module(path)))
            except NoKernel as error:
                raise KernelError(str(error)) from None

    @staticmethod
    def _folder(name):
        if not name:
            raise KernelError("this distribution has no stock kernel: name another one")
        if name in STOCK:
            return os.path.realpath(fetched(name))
        if os.path.isdir(name):
            return name
        if re.fullmatch(r"linux-image-[a-z0-9.+~-]+", name):
            return fetched(name)
        if name.startswith("/boot/vmlinuz-"):
            raise KernelError(f"this machine has no {name}")
        raise KernelError(f"{name} is neither {', '.join(STOCK)}, a directory, a file, nor the name "
                          "of a package (linux-image-...)")

    def _read_tree(self, tree, arch):
        self.arch = arch
        self.image = os.path.join(tree, arch.image)
        self.modules = self.headers = tree
        self.installed = None
        try:
            self.release = read_text(os.path.join(tree, "include/config/kernel.release")).strip()
        except FileNotFoundError:
            raise KernelError(f"{self.name} is a kernel tree that is not built") from None
        self._read_config(os.path.join(tree, ".config"))

    def _read_package(self, tree):
        """Packages of Debian have boot/vmlinuz-RELEASE, those of Fedora lib/modules/RELEASE/vmlinuz."""
        images = {}
        for pattern in ("boot/vmlinuz-*", "lib/modules/*/vmlinuz", "usr/lib/modules/*/vmlinuz"):
            for path in glob.glob(os.path.join(glob.escape(tree), pattern)):
                folder, name = os.path.split(path)
                release = name[len("vmlinuz-"):] or os.path.basename(folder)
                images.setdefault(release, path)
        if len(images) != 1:
            raise KernelError(
                f"{self.name} holds {'several kernels' if images else 'no kernel'}: neither a "
                "built tree (arch/x86/boot/bzImage) nor an unpacked package (boot/vmlinuz-*)")
        (self.release, self.image), = images.items()
        places = [os.path.join(tree, lib, self.release) for lib in MODULES]
        self.modules = next(filter(os.path.isdir, places), None)
        if not self.modules:
            raise KernelError(f"{self.name} holds no lib/modules/{self.release}")
        self._read_rest(tree, os.path.join(tree, "boot"))
        self.arch = AARCH64 if self.option("ARM64") == "y" else X86_64

    def _read_file(self, path, modules):
        here = os.path.dirname(path)
        root = os.path.dirname(here)
        for arch in ARCHES:
            if not modules and path.endswith("/" + arch.image):
                self._read_tree(path[:-len(arch.image) - 1], arch)
                return
        self.image = path
        try:
            image = Image(path)
            self.release = image.release()
        except NoKernel as error:
            raise KernelError(str(error)) from None
        self.arch = image.arch
        if modules:
            roots = [modules]
            places = [modules, os.path.join(modules, self.release)]
        else:
            roots = [here, root, "/"]
            places = [os.path.join(here, "modules", self.release), os.path.join(here, "modules"), here]
        places += [os.path.join(top, lib, self.release) for top in roots for lib in MODULES]
        self.modules = next((place for place in places
                             if os.path.exists(os.path.join(place, "modules.builtin"))), None)
        if not self.modules:
            raise KernelError(f"the modules of {self.name} (Linux {self.release}) are in none of "
                              + ", ".join(places) + (
                                  "" if modules else ": name their directory with --modules"))
        self._read_rest(root, here)

    def _read_rest(self, root, boot):
        """Finds headers and configuration. @root is the folder of an unpacked package, or one like
        it. @boot has the kernel."""
        self.installed = self.modules
        places = [os.path.join(root, "usr/src/linux-headers-" + self.release),
                  os.path.join(root, "usr/src/kernels", self.release),
                  os.path.join(self.modules, "build"), self.modules]
        self.headers = next((os.path.realpath(place) for place in places
                             if os.path.exists(os.path.join(place, "Makefile"))), None)
        self._read_config(os.path.join(boot, "config-" + self.release), os.path.join(boot, "config"),
                          os.path.join(self.modules, "config"),
                          *([os.path.join(self.headers, ".config")] if self.headers else []))

    def _read_config(self, *paths):
        """Reads the first of these files, or the configuration in the kernel. It stays None if it is
        nowhere."""
        text = None
        for path in paths:
            if os.path.exists(path):
                text = read_text(path)
                break
        if text is None:
            try:
                text = Image(self.image).configuration()
            except NoKernel:
                pass
        self.config = options_of(text)

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
        needed = {**GUEST_OPTIONS, **self.arch.options, **(MODULE_OPTIONS if with_vsm else {})}
        return [(option, use) for option, use in needed.items()
                if self.option(option) not in ("y", "m")]

    def demand(self, with_vsm=True):
        """Raises an error that names all missing options."""
        lacks = self.lacks(with_vsm)
        if lacks:
            raise KernelError(f"Linux {self.release} cannot be used, it was built without " +
                              ", ".join(f"{option} ({use})" for option, use in lacks))

    def need_headers(self):
        """Returns the headers, or raises an error."""
        if not self.headers:
            raise KernelError(f"{self.name} has no headers (usr/src/linux-headers-{self.release}, "
                              f"lib/modules/{self.release}/build), so no module can be built: give a "
                              "built one (--ko, KO= of make)")
        return self.headers

    def blind(self):
        """Returns a sentence about the stalls that the kernel does not report, or None."""
        lacks = [f"{option} ({stalls})" for option, stalls in STALL_OPTIONS.items()
                 if self.config is not None and self.option(option) != "y"]
        return lacks and (f"Linux {self.release} does not report all stalls, it was built without " +
                          ", ".join(lacks)) or None

    def entry(self, name):
        """Returns where the file of a module is in the folder of the modules."""
        return re.sub(r"\.o$", ".ko", self._files[name])

    def find(self, name):
        path = os.path.join(self.modules, self.entry(name))
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
                self._check_magic(self.find(name), data)
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
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("headers", "image", "release", "check"):
        sys.exit(__doc__.strip())
    try:
        kernel = Kernel(*sys.argv[2:])
        if sys.argv[1] == "release":
            print(kernel.release)
        elif sys.argv[1] == "headers":
            print(kernel.need_headers())
        elif sys.argv[1] == "image":
            print(kernel.image)
        else:
            kernel.demand()
            if kernel.blind():
                print(f"vm/kernel: {kernel.blind()}", file=sys.stderr)
    except KernelError as error:
        sys.exit(f"vm/kernel: {error}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Reads files with kernels: for which processor they are, their release and their configuration."""

import bz2
import contextlib
import lzma
import re
import struct
import subprocess
import zlib

from arch import AARCH64, X86_64


class NoKernel(Exception):
    """A file is no kernel that can be used."""


@contextlib.contextmanager
def reading(path):
    """Raises NoKernel if a file does not have what its header promises."""
    try:
        yield
    except (zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError, LookupError,
            TypeError):
        raise NoKernel(f"{path} is damaged: it does not have what a kernel has") from None


class Image:
    """A file with a kernel: a bzImage for x86, an Image or Image.gz for arm64."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as f:
                self.data = f.read()
        except PermissionError:
            raise NoKernel(f"{path} is not readable: run as root, or let its mode allow it (sudo chmod a+r "
                           f"{path})") from None
        if self.data[0x202:0x206] == b"HdrS":
            self.arch = X86_64
            return
        if self.data.startswith(b"\x1f\x8b"):
            with reading(path):
                self.data = zlib.decompressobj(31).decompress(self.data)
        if self.data[0x38:0x3c] != b"ARM\x64":
            raise NoKernel(f"{path} is no kernel for x86 (bzImage, vmlinuz) or arm64 (Image, Image.gz)")
        self.arch = AARCH64

    def release(self):
        """Returns the release, which the header of a bzImage names. Other kernels have it in the line
        that they print first."""
        with reading(self.path):
            if self.arch is AARCH64:
                return re.search(rb"Linux version (\S+) ", self.data)[1].decode("ascii")
            at = struct.unpack_from("<H", self.data, 0x20e)[0] + 0x200
            return self.data[at:self.data.index(b"\0", at)].decode("ascii").split()[0]

    def unpacked(self):
        """Returns the kernel that a bzImage unpacks. Returns no bytes if there is no program for its
        format."""
        if self.arch is AARCH64:
            return self.data
        with reading(self.path):
            sectors = self.data[0x1f1] or 4
            offset, size = struct.unpack_from("<II", self.data, 0x248)
            return unpack(self.data[(sectors + 1) * 512 + offset:][:size])

    def configuration(self):
        with reading(self.path):
            return ikconfig(self.unpacked())


def unpack(packed):
    # The size of the unpacked kernel may follow. Decompressor objects and these programs ignore it.
    for magic, unpacker in ((b"\x1f\x8b", zlib.decompressobj(31)),
                            (b"BZh", bz2.BZ2Decompressor()),
                            (b"\xfd7zXZ", lzma.LZMADecompressor()),
                            (b"\x5d\0\0", lzma.LZMADecompressor())):
        if packed.startswith(magic):
            return unpacker.decompress(packed)
    for magic, program in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x02\x21\x4c\x18", "lz4"),
                           (b"\x89LZO", "lzop")):
        if packed.startswith(magic):
            try:
                return subprocess.run([program, "-dc"], input=packed, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, check=False).stdout
            except FileNotFoundError:
                return b""
    return packed


def ikconfig(data):
    """Returns the configuration in a kernel or in its module "configs", or None (IKCONFIG)."""
    begin, end = data.find(b"IKCFG_ST"), data.find(b"IKCFG_ED")
    if begin < 0 or end < begin:
        return None
    return zlib.decompress(data[begin + 8:end], 31).decode()

# SPDX-License-Identifier: MIT
"""Makes the initramfs of the guest: its init program and modules."""

import hashlib
import os
import stat
import tempfile

from common import CACHE
from kernel import GUEST_MODULES


def cpio(files):
    """Returns an initramfs (cpio, newc format). @files has (path, mode, bytes) of each file."""
    out = bytearray()
    seen = {""}

    def entry(path, mode, data=b""):
        name = path.encode() + b"\0"
        fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0]
        out.extend(b"070701" + b"".join(b"%08X" % f for f in fields) + name)
        out.extend(b"\0" * (-len(out) % 4))
        out.extend(data)
        out.extend(b"\0" * (-len(out) % 4))

    for path, mode, data in files:
        parent = os.path.dirname(path)
        if parent not in seen:
            seen.add(parent)
            entry(parent, stat.S_IFDIR | 0o755)
        entry(path, stat.S_IFREG | mode, data)
    entry("TRAILER!!!", 0)
    out.extend(b"\0" * (-len(out) % 512))
    return bytes(out)


def base_initramfs(kernel, agent):
    """Returns the initramfs, and the names of its modules. The initramfs depends only on the kernel and the
    agent. It is cached."""
    with open(agent, "rb") as f:
        program = f.read()
    key = hashlib.sha256()
    key.update("\0".join([kernel.image, kernel.modules, kernel.release, *GUEST_MODULES]).encode())
    st = os.stat(kernel.image)
    key.update(f"{st.st_size} {st.st_mtime_ns}".encode())
    key.update(program)
    path = os.path.join(CACHE, "initramfs", key.hexdigest()[:24])
    try:
        with open(path, "rb") as f, open(path + ".names", encoding="ascii") as g:
            return f.read(), g.read().split()
    except OSError:
        pass
    modules = kernel.closure(GUEST_MODULES)
    data = cpio([("init", 0o755, program)] +
                [(f"m/{name}.ko", 0o644, data) for name, data in modules] +
                [("m/order", 0o644, "".join(f"/m/{name}.ko\n" for name, _ in modules).encode())])
    names = [name for name, _ in modules]
    try:
        keep(path + ".names", "\n".join(names).encode())
        keep(path, data)
    except OSError:
        pass        # the cache may belong to someone else, or be full
    return data, names


def keep(path, content):
    """Writes a file in the cache. Of the files in its folder, the last 20 are kept."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    fd, tmp = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(content)
            f.flush()
            # If the machine stops after this, the file does not turn out to be empty.
            os.fsync(fd)
        os.chmod(tmp, 0o644)
        os.rename(tmp, path)
    except OSError:
        os.unlink(tmp)
        raise
    for entry in sorted(os.scandir(folder), key=lambda e: -e.stat().st_mtime)[20:]:
        os.unlink(entry.path)

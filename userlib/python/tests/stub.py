# SPDX-License-Identifier: MIT
"""A library in the place of libvsm, for tests of what the package itself does."""

from vsm import _library, channel, device, inject, memory, thread, trace, waitset

ffi = _library.ffi
MODULES = channel, device, inject, memory, thread, trace, waitset


class Library:
    """Gives objects away and takes them back, and does nothing else.

    During each call of a function it calls :attr:`during` with the name of the function, and then
    notes in :attr:`used_after_free` whether an object that the call uses does not exist any more."""

    def __init__(self, monkeypatch):
        # All objects, those that exist, the calls that have destroyed some, and all calls.
        self.objects, self.made, self.ended, self.calls = [], [], [], []
        # Results of functions, each to be returned once. All others are 0.
        self.results = {}
        self.used_after_free = []
        self.during = lambda name: None
        self._memory = []
        for module in MODULES:
            monkeypatch.setattr(module, "lib", self)
            if hasattr(module, "ioctl"):
                monkeypatch.setattr(module, "ioctl", self.ioctl)

    def __getattr__(self, name):
        real = getattr(_library.lib, name)
        if not name.startswith("vsm_") or name.startswith(("vsm_sync_", "vsm_shared_addr")):
            return real
        kind = ffi.typeof(real)
        return lambda *args: self._call(name, kind, args)

    def _new(self, out):
        # A structure of the library that nobody reads.
        self._memory.append(ffi.new("char[]", 64))
        out[0] = ffi.cast(ffi.typeof(out).item, self._memory[-1])
        self.objects.append(out[0])
        self.made.append(out[0])

    def _used(self, args):
        """The objects that a call uses."""
        used = []
        for arg in args:
            if not isinstance(arg, ffi.CData) or ffi.typeof(arg).kind != "pointer":
                continue
            if ffi.typeof(arg).cname == "struct vsm_thread *":
                arg = arg.cluster
            if arg in self.objects:
                used.append(arg)
        return used

    def _call(self, name, kind, args):
        self.calls.append(name)
        used = self._used(args)
        if name.endswith(("_destroy", "_remove", "_release", "_device_close")):
            # Objects of an earlier test may end now.
            if args[0] in self.objects:
                self.ended.append(name)
                if len(args) == 1:
                    self.made.remove(args[0])
            return 0
        self.during(name)
        if not all(each in self.made for each in used):
            self.used_after_free.append(name)
        for arg, want in zip(args, kind.args):
            if want.cname.endswith("* *") and "struct vsm_" in want.cname:
                self._new(arg)
            elif want.cname == "uint32_t *" and name.endswith(("_create", "_create_as", "_add")):
                arg[0] = 1
        if kind.result.kind == "pointer":
            self._memory.append(ffi.new(kind.result))
            return self._memory[-1]
        if kind.result.kind == "struct":
            return ffi.new(ffi.getctype(kind.result, "*"))[0]
        left = self.results.get(name)
        return left.pop(0) if left else 0

    def ioctl(self, *_):
        self.calls.append("ioctl")
        self.during("ioctl")
        return 0

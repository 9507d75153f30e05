# SPDX-License-Identifier: MIT
"""Rules that make something fail."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any, Dict, Optional

from ._base import Closable, Pointer, unpack
from ._library import deadline_of, ffi, in_parts, lib
from .enums import InjectFlags, InjectWhat, InjectWhere
from .errors import check
from .structs import InjectRule

if TYPE_CHECKING:
    from .device import Device


class Rule(Closable):
    """A rule that makes something fail. :meth:`Device.inject` makes one. :meth:`close`, or the end
    of a ``with`` block, removes it. Otherwise it stays as long as the device is open. A rule of the
    device, with the flag ``InjectFlags.OF_DEVICE``, is for all programs."""

    def __init__(self, device: Device, where: InjectWhere, what: InjectWhat,
                 fields: Dict[str, Any]) -> None:
        fields = dict(fields, where=where, what=what)
        # Nobody else can get the numbers of these objects before the call returns.
        kept = [value._open() for value in fields.values() if isinstance(value, Closable)]
        for name, attribute, flag in (("channel", "number", InjectFlags.CHANNEL),
                                      ("object", "handle", InjectFlags.OBJECT)):
            if name in fields:
                fields["flags"] = fields.get("flags", 0) | flag
                fields[name] = getattr(fields[name], attribute, fields[name])
        rule = ffi.new("struct drm_vsm_inject_rule *", fields)
        number = ffi.new("uint32_t *")
        parent = device._open()
        check(lib.vsm_inject_add(parent.p, rule, number))
        del kept
        self.number: int = number[0]
        self._flags = of_device = fields.get("flags", 0) & InjectFlags.OF_DEVICE
        removed = self.number
        self._pointer = Pointer(parent.p, lambda p: lib.vsm_inject_remove(p, removed, of_device),
                                parent)
        self.device = device
        device._add(self)
        device.rules.append(self)

    def close(self) -> None:
        super().close()
        if self in self.device.rules:
            self.device.rules.remove(self)

    def query(self) -> InjectRule:
        """The rule and its counters."""
        rule = ffi.new("struct drm_vsm_inject_rule *")
        check(lib.vsm_inject_query(self._open().p, self.number, self._flags, rule))
        return unpack(InjectRule, rule)

    def wait(self, fired: int = 1, timeout: Optional[float] = None) -> None:
        """Wait until the rule has fired this often. TimeoutError after the timeout in seconds."""
        pointer = self._open()
        check(in_parts(lambda until: lib.vsm_inject_wait(pointer.p, self.number, self._flags,
                                                             fired, until),
                       deadline_of(timeout), -errno.ETIMEDOUT))

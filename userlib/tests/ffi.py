#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls inline functions of libvsm's headers from another language. Prints TAP.

    ffi.py LIBRARY
"""

import ctypes
import sys

results = []


def check(what, seen, expected):
    good = seen == expected
    results.append(good)
    if not good:
        print(f"# seen {seen!r}, expected {expected!r}")
    print(f"{'ok' if good else 'not ok'} {len(results)} - libvsm-ffi: {what}")


class Insn(ctypes.Structure):
    """struct drm_vsm_insn with the operands of mbarrier operations."""

    _fields_ = [(n, ctypes.c_uint16) for n in ("op", "mods")] + \
        [(n, ctypes.c_uint8) for n in ("space", "sem", "scope", "red")] + \
        [(n, ctypes.c_uint32) for n in ("addr", "count", "tx_count", "parity")] + \
        [("operands", ctypes.c_uint64 * 3), ("result", ctypes.c_uint64),
         ("fault", ctypes.c_uint32), ("info", ctypes.c_uint32)]


class Thread(ctypes.Structure):
    """struct vsm_thread."""

    _fields_ = [("size", ctypes.c_uint32), ("error", ctypes.c_int32), ("cluster", ctypes.c_void_p),
                ("cta", ctypes.c_uint16), ("thread", ctypes.c_uint16),
                ("exec_flags", ctypes.c_uint32), ("refused", Insn),
                ("retired", ctypes.c_uint32),
                ("pad", ctypes.c_uint32)]


def main():
    print("1..8")
    vsm = ctypes.CDLL(sys.argv[1])
    vsm.vsm_prep_mbarrier_arrive_count.restype = Insn
    vsm.vsm_prep_exit.restype = Insn
    vsm.vsm_warp_at.restype = Thread
    vsm.vsm_result_pred.argtypes = [ctypes.c_uint64]
    vsm.vsm_result_pred.restype = ctypes.c_bool
    vsm.vsm_mbarrier_init.restype = ctypes.c_uint64
    vsm.vsm_mbarrier_phase.argtypes = [ctypes.c_uint64]

    insn = vsm.vsm_prep_mbarrier_arrive_count(vsm.vsm_shared_addr(0, 64), 2, 1 << 2 | 1 << 4)
    check("an instruction has its operands", (insn.addr, insn.count), (64, 2))
    text = ctypes.create_string_buffer(100)
    length = vsm.vsm_insn_describe(ctypes.byref(insn), text, len(text))
    check("an instruction is spelled", text.value, b"mbarrier.arrive.release.cta.b64 [0x40], 2")
    check("the length of the spelling is returned", length, len(text.value))

    thread = vsm.vsm_warp_at(None, 1, 2)
    check("a warp has its size", thread.size, ctypes.sizeof(Thread))
    check("a warp begins at lane 0", (thread.cta, thread.thread), (1, 64))
    thread.size = 0
    check("a call executes nothing as a thread without a size",
          vsm.vsm_execute(ctypes.byref(thread), vsm.vsm_prep_exit(), None), -22)
    check("a result has a predicate", vsm.vsm_result_pred(1 << 32), True)
    check("a word is in phase 0", vsm.vsm_mbarrier_phase(vsm.vsm_mbarrier_init(0, 1)), 0)
    sys.exit(not all(results))


if __name__ == "__main__":
    main()

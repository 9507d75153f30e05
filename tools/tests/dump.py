#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes dumps as the device makes them, for the tests of vsm dump.

    dump.py FOLDER

Writes job.dump, lost.dump, and other.dump: a dump of a driver whose structures are longer. Writes
damaged dumps to FOLDER/damaged: they are cut off, or have random bytes.
"""
import os
import random
import struct
import sys

MAGIC = b"VSMDUMP\0"
# struct drm_vsm_dump without its arrays, and struct drm_vsm_trace_event
HEAD = "<8sIIQQIIIIII16sIIIIIIIiQIHHII"
EVENT = ("time id cause word next value cluster client addr mbar size lanes buffer channel serial "
         "error site info source fault mods op type cta thread pad").split()
EVENT_FORMAT = "<6Q9IiII8H"
# Where the operands and the fault are in struct drm_vsm_insn
OPERANDS = 8
FAULT_AT = 56
FAULT, RESET, LOST = 1, 2, 3
ARRIVE = 3
SINK = 8
NOT_AN_MBARRIER = 3


def insn(op, mods, operands, fault=0):
    """Returns an instruction: operation, modifiers, operands from byte 8 on, result and fault."""
    data = bytearray(64)
    struct.pack_into("<HH", data, 0, op, mods)
    struct.pack_into(f"<{len(operands)}I", data, OPERANDS, *operands)
    struct.pack_into("<I", data, FAULT_AT, fault)
    return bytes(data)


def event(time, kind, **fields):
    values = dict.fromkeys(EVENT, 0)
    values.update(fields, time=time, type=kind)
    return struct.pack(EVENT_FORMAT, *(values[name] for name in EVENT))


def dump(reason, insns=(), words=(), events=(), more=0, **fields):
    """Returns a dump. @more bytes are behind each structure."""
    values = dict(time=5000000, missed=0, device=0, cluster=3, client=5, pid=123, comm=b"trainer",
                  ctas=1, threads=32, smem=4096, layout=0, policy=0, lost=0, channel=0, error=-5,
                  job=0, site=0, cta=0, thread=0, issued=0, first=0)
    values.update(fields)
    v = values
    size = struct.calcsize(HEAD) + 48 + more
    at, parts, body = size, b"", b""
    for array, stride in ((insns, 64), (words, 16), (events, 112)):
        parts += struct.pack("<IIII", at, stride + more, len(array), len(array))
        for element in array:
            assert len(element) == stride, len(element)
            body += element + b"\xee" * more
        at = size + len(body)
    head = struct.pack(HEAD, MAGIC, size, reason, v["time"], v["missed"], 0, 8, v["device"],
                       v["cluster"], v["client"], v["pid"], v["comm"], v["ctas"], v["threads"],
                       v["smem"], v["layout"], v["policy"], v["lost"], v["channel"], v["error"],
                       v["job"], v["site"], v["cta"], v["thread"], v["issued"], v["first"])
    return head + parts + b"\xee" * more + body


def word(addr, value):
    return struct.pack("<QII", value, addr, 0)


def main():
    folder = sys.argv[1]
    job = dict(
        insns=[insn(ARRIVE, SINK, [0x40]), insn(ARRIVE, SINK, [0x60], NOT_AN_MBARRIER),
               insn(ARRIVE, SINK, [0x48])],
        words=[word(0x40, 0x7fff0000001fffc0), word(0x1000060, 1 << 42)],
        events=[event(4000000, 14, cluster=3, client=5, channel=1, id=2, value=3),
                event(4999000, 16, cluster=3, client=5, channel=1, id=2, error=-5)],
        channel=1, job=2, site=77, issued=2, missed=4, thread=7)
    files = {
        "job.dump": dump(FAULT, **job),
        "other.dump": dump(FAULT, more=16, **job),
        "late.dump": dump(RESET, error=-110, job=1),
        "lost.dump": dump(LOST, lost=1, layout=1, policy=1, comm=b"\x1b[2Jevil",
                          words=[word(0x48, 0x7fffffe03fffffe0)]),
    }
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    damaged = os.path.join(folder, "damaged")
    os.makedirs(damaged)
    whole = files["job.dump"]
    chance = random.Random(1)
    for i in range(40):
        data = bytearray(whole)
        if i % 2:
            del data[chance.randrange(len(data)):]
        for _ in range(i // 2):
            if data:
                # Most bytes that decide about something are at the begin.
                at = chance.randrange(len(data) if chance.random() < .3 else min(224, len(data)))
                data[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
        if i % 4 == 3:
            data[:8] = MAGIC
        with open(os.path.join(damaged, f"{i}.dump"), "wb") as f:
            f.write(data)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a trace in its text form: a producer and consumers that pass tiles through two stages.

    example.py [--rounds N] [--consumers N] [--ctas N] [--no-hang] [--seed N]

In each CTA, warp 0 waits for empty[stage], announces the bytes of a tile on full[stage] and issues
its bulk copy. The other warps are consumers: each waits for full[stage], works and arrives on
empty[stage]. In the end, the last consumer of CTA 0 forgets to arrive on empty[0], and the kernel
hangs: the producer of CTA 0 waits for ever. The fields of each event are those that a device would
give.
"""

import argparse
import heapq
import random

PENDING, TX, EXPECTED = 43, 21, 1
STAGES = 2
FULL, EMPTY, TILES = 0x1000, 0x1010, 0x2000
TILE = 4096
SITES = {
    1: ("pipeline.cu:21, pipeline.ptx:40", "mbarrier.init.shared::cta.b64"),
    2: ("pipeline.cu:33, pipeline.ptx:71", "mbarrier.try_wait.parity.shared::cta.b64"),
    3: ("pipeline.cu:34, pipeline.ptx:80", "mbarrier.arrive.expect_tx.shared::cta.b64"),
    4: ("pipeline.cu:35, pipeline.ptx:84",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"),
    5: ("pipeline.cu:44, pipeline.ptx:102", "mbarrier.try_wait.parity.shared::cta.b64"),
    6: ("pipeline.cu:49, pipeline.ptx:121", "mbarrier.arrive.shared::cta.b64"),
    7: ("pipeline.cu:24, pipeline.ptx:52", "barrier.cta.sync.aligned"),
}


def field(count, shift, bits):
    return (-count & ((1 << bits) - 1)) << shift


class Mbarrier:
    """An mbarrier of layout sm_90."""

    def __init__(self, device, cta, addr, count):
        self.device, self.cta, self.addr, self.count = device, cta, addr | cta << 24, count
        self.parity, self.pending, self.tx, self.serial = 0, count, 0, 1
        self.waiters, self.last = [], 0

    def word(self):
        return (self.parity << 63 | field(self.pending, PENDING, 20) | field(self.tx, TX, 21) |
                field(self.count, EXPECTED, 20))

    def change(self, pending=0, tx=0):
        """Returns the words before and after, and whether the phase is complete."""
        word = self.word()
        self.tx += tx
        self.pending -= pending
        complete = not self.pending and not self.tx
        if complete:
            self.pending = self.count
            self.parity ^= 1
        return word, self.word(), complete

    def complete(self, words, who, cause):
        device = self.device
        self.last = device.number()
        device.event("phase", id=self.last, cause=cause, word=words[0], next=words[1],
                     addr=self.addr, serial=self.serial, **who)
        self.serial += 1
        waiters, self.waiters = self.waiters, []
        for wake in waiters:
            wake(self.last)


class Device:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.time, self.ids, self.queue, self.order, self.lines = 5_000_000_000, 0, [], 0, []
        self.channel_free = 0

    def number(self):
        self.ids += 1
        return self.ids

    def event(self, kind, **fields):
        hexadecimal = ("lanes", "mods", "addr", "mbar", "word", "next")
        text = " ".join(f"{name}={hex(value) if name in hexadecimal else value}"
                        for name, value in fields.items() if value)
        self.lines.append(f"{self.time} {kind} {text}")
        self.time += 1

    def later(self, delay, call):
        self.order += 1
        heapq.heappush(self.queue, (self.time + delay, self.order, call))

    def run(self):
        while self.queue:
            time, _, call = heapq.heappop(self.queue)
            self.time = max(self.time, time)
            call()

    def pause(self, least, most):
        return self.random.randrange(least, most)


class Warp:
    """A warp whose program is a generator. The program yields how long it computes, or an mbarrier
    and the parity that it waits for."""

    def __init__(self, device, cta, warp, lanes, program):
        self.device, self.warp = device, warp
        self.who = {"client": 2, "cluster": 1, "cta": cta, "thread": 32 * warp, "lanes": lanes}
        self.program = program(self)
        device.later(device.pause(100, 400), self.step)

    def step(self):
        what = next(self.program, None)
        if what is None:
            return
        if isinstance(what, int):
            self.device.later(what, self.step)
        else:
            self.wait(*what)

    def wait(self, mbarrier, parity, site):
        device, word = self.device, mbarrier.word()
        done = mbarrier.parity != parity
        common = dict(self.who, op="mbarrier_try_wait", mods=0x10, addr=mbarrier.addr, site=site)
        device.event("insn", word=word, next=word, value=int(done), **common)
        if done:
            device.later(40, self.step)
            return
        number, since = device.number(), device.time
        device.event("suspend", id=number, word=word, value=parity, serial=mbarrier.serial,
                     **common)

        def wake(phase):
            def resume():
                device.event("resume", id=number, cause=phase, value=device.time - since,
                             **common)
                self.step()
            device.later(device.pause(30, 90), resume)
        mbarrier.waiters.append(wake)

    def operate(self, op, mbarrier, site, mods=0, **change):
        word, after, complete = mbarrier.change(**change)
        self.device.event("insn", word=word, next=after, op=op, mods=mods, addr=mbarrier.addr,
                          site=site, **self.who)
        if complete:
            mbarrier.complete((word, after), dict(self.who, site=site), 0)

    def copy(self, mbarrier, stage, tile, site):
        device, number = self.device, self.device.number()
        who = dict(self.who, site=site)
        copy = dict(who, id=number, op="cp_async_bulk_g2s", mbar=mbarrier.addr, size=TILE,
                    addr=TILES + TILE * stage | self.who["cta"] << 24, buffer=3, value=TILE * tile)
        device.event("copy_issue", **copy)

        def begin():
            device.event("copy_begin", **copy)
            device.later(device.pause(1200, 3000), end)

        def end():
            word, after, complete = mbarrier.change(tx=-TILE)
            device.event("copy_deliver", id=number, op="mbarrier_complete_tx", word=word,
                         next=after, addr=mbarrier.addr, mbar=mbarrier.addr, size=TILE, **who)
            if complete:
                mbarrier.complete((word, after), who, number)
            device.event("copy_end", **copy)
        device.later(device.pause(80, 600), begin)


def producer(full, empty, rounds, consumers):
    def program(warp):
        device = warp.device
        for stage in range(STAGES):
            for mbarrier in (full[stage], empty[stage]):
                word = mbarrier.word()
                device.event("insn", op="mbarrier_init", addr=mbarrier.addr, next=word, site=1,
                             **warp.who)
                yield 20
        for turn in range(rounds):
            stage, parity = turn % STAGES, (turn // STAGES & 1) ^ 1
            yield empty[stage], parity, 2
            warp.operate("mbarrier_arrive", full[stage], 3, mods=2, pending=1, tx=TILE)
            yield 30
            warp.copy(full[stage], stage, turn, 4)
            yield device.pause(50, 150)
    return program


def consumer(full, empty, rounds, forgets):
    def program(warp):
        yield 500
        for turn in range(rounds):
            stage, parity = turn % STAGES, turn // STAGES & 1
            yield full[stage], parity, 5
            yield warp.device.pause(400, 1500)
            if not (forgets and turn >= rounds - 2 * STAGES and stage == 0):
                warp.operate("mbarrier_arrive", empty[stage], 6, pending=1)
            yield 40
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--consumers", type=int, default=1)
    parser.add_argument("--ctas", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-hang", action="store_true")
    options = parser.parse_args()
    device = Device(options.seed)
    for cta in range(options.ctas):
        full = [Mbarrier(device, cta, FULL + 8 * i, 1) for i in range(STAGES)]
        empty = [Mbarrier(device, cta, EMPTY + 8 * i, options.consumers) for i in range(STAGES)]
        hangs = cta == 0 and not options.no_hang
        Warp(device, cta, 0, 1, producer(full, empty, options.rounds, options.consumers))
        for warp in range(1, options.consumers + 1):
            forgets = hangs and warp == options.consumers
            Warp(device, cta, warp, 1, consumer(full, empty, options.rounds, forgets))
    device.run()
    print('vsm trace 1\ntitle "vsm launch pipeline.launch"')
    print(f"cluster 1 ctas={options.ctas} threads={32 * (options.consumers + 1)} layout=sm_90 "
          "policy=strict")
    for text, offset, size, stride in (("full", FULL, 16, 8), ("empty", EMPTY, 16, 8),
                                       ("tiles", TILES, STAGES * TILE, TILE)):
        print(f'name "{text}" offset={offset:#x} size={size} stride={stride}')
    for site, (text, insn) in SITES.items():
        print(f'site {site} "{text}" "{insn}"')
    print("\n".join(device.lines))
    if not options.no_hang:
        turn = next(i for i in range(options.rounds) if i >= options.rounds - 2 * STAGES and
                    i % STAGES == 0) + STAGES
        print(f'note "CTA 0, warp 0 waits for parity {turn // STAGES & 1 ^ 1} of empty[0], on which '
              'no thread arrives any more:\\npipeline.cu:33, pipeline.ptx:71"')


main()

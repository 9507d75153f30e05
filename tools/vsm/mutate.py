#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes files with mistakes from other files, to test parsers: mutate.py COUNT DIRECTORY FILE…

Writes COUNT files into DIRECTORY. The name of each is a number with the suffix of the first FILE.
Each is a copy of one of the FILEs with some random mistakes. Every run with the same arguments
makes the same mistakes.
"""

import os
import random
import re
import sys

TOKEN = re.compile(rb"[A-Za-z0-9_$:]+|[^A-Za-z0-9_$:]")
WORDS = [b"0xffffffffffffffff", b"18446744073709551616", b"4294967296", b"-1", b"0x", b"%", b"%p1",
         b"%rd1", b"%r1", b"[", b"]", b"+", b",", b";", b":", b"&", b"==", b"#", b"\n", b"\r",
         b"\0", b"\xff", b"*", b"|", b"!", b"0-31", b"%laneid", b".aligned", b".sync",
         b"expect", b"fault", b"BAD_ORDER", b"join", b"cluster", b"buffer",
         b"mbarrier", b"{", b"}", b">", b"submit", b"tensormap", b"model", b"job",
         b"channel=1", b"\ntest ", b"\ntest a\n", b"=", b"-", b".5d", b".im2col", b".add", b".f16", b".v4", b".noftz",
         b".multicast::cluster", b".cp_mask", b".L2::cache_hint", b".shared::cta", b".release.cta", b".b64", b"65535.65535", b"_", b"x" * 300,
         b"args", b"grid", b"tensor:", b"i32:", b"64K", b"box", b"im2col", b"f32:nan",
         b".a" * 40, b"9" * 400, b" " * 5000]


def spoil(rng, text, others):
    kind = rng.randrange(8)
    if kind == 0:
        at = rng.randrange(len(text) + 1)
        return text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]
    if kind == 1:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(WORDS) + text[at:]
    if kind == 2:
        return text[:rng.randrange(len(text) + 1)]
    if kind == 3:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(200)))
    if kind == 4:
        lines = text.split(b"\n")
        lines.insert(rng.randrange(len(lines)), rng.choice(others).strip())
        return b"\n".join(lines)
    if kind == 5:
        lines = text.split(b"\n")
        del lines[rng.randrange(len(lines))]
        return b"\n".join(lines)
    tokens = TOKEN.findall(text)
    if not tokens:
        return text
    at = rng.randrange(len(tokens))
    if kind == 6:
        tokens[at] = rng.choice(tokens + WORDS)
    else:
        del tokens[at]
    return b"".join(tokens)


def main():
    count, directory, paths = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    suffix = os.path.splitext(paths[0])[1]
    rng = random.Random(1)
    texts = []
    for path in paths:
        with open(path, "rb") as file:
            # Remove comments, in which a mistake would not test anything.
            texts.append(re.sub(rb"(?m)^#.*\n", b"", file.read()))
    others = [line for text in texts for line in text.split(b"\n") if line]
    os.mkdir(directory)
    for number in range(count):
        text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 2, 3, 10))):
            text = spoil(rng, text, others)
        with open(os.path.join(directory, f"{number}{suffix}"), "wb") as file:
            file.write(text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the tables of mufu.c.

An NVIDIA GPU computes a special function as a quadratic c0 + c1 u + c2 u^2, with other coefficients in
each of 64 or 128 segments. They follow from a rule that its designers have published (Oberman and Siu,
"A high-performance area-efficient multifunction interpolator", 2005; Piñeiro and others, "High-speed
function approximation using a minimax quadratic interpolator", 2005). All recorded results of an H100
agree with it, except in the segments in EXCEPTIONS."""

import math

# Points of a segment at which errors are computed, except for the first one.
STEPS = 512

# Function of a segment and of u; number of segments; size of a segment; logarithms of the units of c0, c1, c2
FUNCTIONS = {
    "rcp": (lambda i, u: 2 / (1 + i / 128 + u), 128, 1 / 128, (-25, -15, -9)),
    "rsqrt": (lambda i, u: 2 / math.sqrt((1 + i % 64 / 64 + u) * (1 + i // 64)), 128, 1 / 64, (-25, -16, -10)),
    "sin": (lambda i, u: math.sin((i / 64 + u) * math.pi / 2), 64, 1 / 64, (-25, -14, -10)),
    "ex2": (lambda i, u: 2 ** (i / 64 + u), 64, 1 / 64, (-25, -15, -11)),
    "lg2": (lambda i, u: math.log2(1 + i / 64 + u), 64, 1 / 64, (-26, -15, -10)),
}

# What has to be added to c0. Only these values agree with the recorded results.
EXCEPTIONS = {("rsqrt", 29): 1, ("rsqrt", 70): 1, ("rsqrt", 76): 1,
              ("sin", 0): 1, ("sin", 2): -1, ("sin", 18): -1, ("sin", 46): -1}

# The coefficients of tanh do not follow from the rule. These are found from the recorded results: in all but
# four segments, no others agree with them.
TANH = [
    (65536, 16384, -1), (131070, 32766, -6), (262124, 65524, -52), (524118, 65476, -82),
    (785858, 65394, -110), (1047212, 130584, -636), (1568268, 129952, -888),
    (2086298, 129064, -1118), (2600310, 127944, -1352), (3109372, 126592, -1580),
    (3612576, 125012, -1782), (4109040, 246544, -8276), (5078604, 238240, -9648),
    (6012224, 228572, -10744), (6904992, 217804, -11576), (7753000, 412568, -49296),
    (9304656, 362992, -50304), (10656104, 312504, -48304), (11809672, 264088, -44344),
    (12777544, 219688, -39292), (13577912, 180408, -33912), (14231944, 146536, -28576),
    (14761140, 118004, -23692), (15185952, 94360, -19368), (15524804, 75040, -15688),
    (15793720, 59400, -12576), (16006268, 46864, -10036), (16173728, 36874, -7973),
    (16305345, 28942, -6295), (16408581, 22674, -4949), (16489421, 17746, -3892),
    (16552659, 13868, -3044), (16602070, 10833, -2382), (16640655, 8457, -1867),
    (16670765, 6599, -1460), (16694254, 5146, -1139), (16712570, 4012, -889),
    (16726877, 3109, -671), (16737977, 2437, -541), (16746647, 1901, -427), (16753405, 1479, -327),
    (16758669, 1152, -254), (16762770, 897, -197), (16766000, 2636, -1752), (16773088, 972, -648),
    (16775696, 356, -232), (16776656, 132, -88), (16777012, 48, -32), (16777140, 20, -16),
    (16777188, 8, -8), (16777204, 4, -4),
]


def differences(x, y):
    """Returns the divided differences of four points."""
    y = list(y)
    for level in range(1, 4):
        for i in range(3, level - 1, -1):
            y[i] = (y[i] - y[i - 1]) / (x[i] - x[i - level])
    return y


def minimax(grid, values):
    """Returns the factors of u and u^2 in the quadratic whose largest error is smallest (Remez)."""
    at = [0, STEPS // 4, 3 * STEPS // 4, STEPS]
    signs = 1, -1, 1, -1
    for _ in range(3):
        x = [grid[i] for i in at]
        error = differences(x, (values[i] for i in at))[3] / differences(x, signs)[3]
        _, slope, square, _ = differences(x, (values[i] - s * error for i, s in zip(at, signs)))
        slope -= square * (x[0] + x[1])
        errors = [v - u * (slope + u * square) for u, v in zip(grid, values)]
        inner = range(1, STEPS)
        at[1:3] = sorted([max(inner, key=errors.__getitem__), min(inner, key=errors.__getitem__)])
    return slope, square


def segment(function, size, units):
    """Returns c0, c1 and c2, each rounded to its unit. A coefficient makes up for the rounding of the one before."""
    unit0, unit1, unit2 = (2.0 ** unit for unit in units)
    grid = [size * i / STEPS for i in range(STEPS + 1)]
    values = [function(u) for u in grid]
    slope, square = minimax(grid, values)
    c1 = round(slope / unit1)
    c2 = round((square + (slope - c1 * unit1) / size) / unit2)
    rest = [v - u * (c1 * unit1 + u * c2 * unit2) for u, v in zip(grid, values)]
    return round((max(rest) + min(rest)) / 2 / unit0), c1, c2


def table(name, segments):
    print(f"\nstatic const struct segment {name}_segments[{len(segments)}] = {{")
    for coefficients in segments:
        print("\t{{ {}, {}, {} }},".format(*coefficients))
    print("};")


def main():
    print("/* SPDX-License-Identifier: MIT */\n/* mufu.py made this file. */")
    for name, (function, count, size, units) in FUNCTIONS.items():
        segments = [segment(lambda u, i=i: function(i, u), size, units) for i in range(count)]
        table(name, [(c0 + EXCEPTIONS.get((name, i), 0), c1, c2) for i, (c0, c1, c2) in enumerate(segments)])
    table("tanh", TANH)


main()

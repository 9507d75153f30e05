#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the files in scaling/, which scaling.rst shows.

	charts.py --write	count again with tools/bench/scaling, write the tables and the picture

The tables are what tools/bench/scaling writes. sizes.svg is made of sizes.tsv. All are in the
repository, because make docs shall not start virtual machines. check.py compares the picture with
its table.
"""

import math
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FOLDER = os.path.join(TOP, "Documentation/scaling")
KERNEL = "6.12"
FILES = ("shared.tsv", "shared.txt", "copies.tsv", "sizes.tsv")
PICTURE = os.path.join(FOLDER, "sizes.svg")

# Width and height of a chart, and the space for its texts
WIDTH, HEIGHT, LEFT, TOP_SPACE, RIGHT, GAP = 500, 190, 84, 34, 280, 46
COLOURS = ("#0060a8", "#c05000", "#00805a", "#a0308c", "#7a6a00", "#404040", "#d02030", "#3090c0",
           "#60a030", "#8050d0", "#a06040")


def read_table(path):
    """The rows of a table, as dictionaries."""
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def digits(value):
    return f"{value:,}".replace(",", " ")


def decades(low, high):
    """The powers of ten from at most @low to at least @high."""
    first = last = 0
    while 10 ** (first + 1) <= low:
        first += 1
    while 10 ** last < high:
        last += 1
    return [10 ** n for n in range(first, max(last, first + 1) + 1)]


def log(value):
    """log10, with as many digits on each machine."""
    return round(math.log10(value), 6)


def text(x, y, words, more=""):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{words}</text>'


def chart(kind, rows, top, colours):
    """The lines of one chart: instructions of each operation against the size, both in powers of
    ten."""
    sizes = sorted({int(row["size"]) for row in rows})
    costs = [int(row["instructions"]) for row in rows]
    ys = decades(min(costs), max(costs))

    def x_of(size):
        return LEFT + WIDTH * (log(size) - log(sizes[0])) / (log(sizes[-1]) - log(sizes[0]))

    def y_of(cost):
        return top + HEIGHT - HEIGHT * (log(cost) - log(ys[0])) / (log(ys[-1]) - log(ys[0]))

    yield text(LEFT, top - 10, f"Instructions against: {kind}", ' font-weight="bold"')
    for y in ys:
        yield f'<path d="M{LEFT} {y_of(y):.1f}h{WIDTH}" stroke="#ccc"/>'
        yield text(LEFT - 6, y_of(y) + 4, digits(y), ' text-anchor="end"')
    for x in sizes:
        yield f'<path d="M{x_of(x):.1f} {top + HEIGHT}v4" stroke="#888"/>'
        yield text(x_of(x), top + HEIGHT + 17, digits(x), ' text-anchor="middle"')
    ends = []
    for operation, colour in colours.items():
        points = sorted((int(row["size"]), int(row["instructions"])) for row in rows
                        if row["operation"] == operation)
        if not points:
            continue
        places = " ".join(f"{x_of(size):.1f},{y_of(cost):.1f}" for size, cost in points)
        yield f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>'
        ends.append((y_of(points[-1][1]), operation, colour))
    # The names stand right of the ends of the lines, at a distance from each other.
    above = top + HEIGHT + 18
    for y, operation, colour in sorted(ends, reverse=True):
        above = min(above - 14, y)
        yield text(LEFT + WIDTH + 40, above + 4, operation, f' fill="{colour}"')


def draw(table, path):
    """Makes the picture of a table of sizes."""
    rows = read_table(table)
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colours = dict(zip(dict.fromkeys(row["operation"] for row in rows), COLOURS))
    step = TOP_SPACE + HEIGHT + GAP
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" '
             f'width="{LEFT + WIDTH + RIGHT}" height="{step * len(kinds)}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="#fff"/>']
    for i, kind in enumerate(kinds):
        lines += chart(kind, [row for row in rows if row["kind"] == kind], step * i + TOP_SPACE,
                       colours)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join([*lines, "</svg>"]) + "\n")


def main():
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["tools/bench/scaling", "--kernel", KERNEL, "--out", tmp], cwd=TOP,
                       check=True)
        for name in FILES:
            shutil.copyfile(os.path.join(tmp, f"{KERNEL}-{name}"), os.path.join(FOLDER, name))
    draw(os.path.join(FOLDER, "sizes.tsv"), PICTURE)


if __name__ == "__main__":
    main()

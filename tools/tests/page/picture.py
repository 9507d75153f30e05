#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the SVG of the timeline: picture.py VSM FOLDER. Prints TAP.

FOLDER gets the pictures that `VSM trace export` writes. The picture of the example "pipeline"
must have the hash PIPELINE. If a change of the picture is wanted, look at the new one in a browser,
and change the hash.
"""

import hashlib
import os
import re
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from examples import export  # noqa: E402

PIPELINE = "3a37f818d7e40364630eb160d1326f0d0c35eb8f7978f6f0f48636ad0b704938"
SVG = "{http://www.w3.org/2000/svg}"
NUMBER = 0
FAILED = []


def result(passed, name, more=""):
    global NUMBER
    NUMBER += 1
    print(f"{'ok' if passed else 'not ok'} {NUMBER} - {name}", flush=True)
    if not passed:
        FAILED.append(name)
        print("".join(f"# {line}\n" for line in str(more).splitlines()), end="", flush=True)


def main():
    program, folder = sys.argv[1:]

    def write(kind, *times, name=None):
        with open(export(program, folder, kind, *times, name=name)[1], encoding="utf-8") as file:
            return file.read()

    def parse(name, text):
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            result(False, f"{name} is well-formed", error)
            return None
        result(root.tag == SVG + "svg", f"{name} is well-formed", root.tag)
        return root

    print("1..12", flush=True)
    text = write("pipeline")
    root = parse("the picture of the pipeline", text)
    found = hashlib.sha256(text.encode()).hexdigest()
    result(found == PIPELINE, "the picture of the pipeline is the expected one",
           f"{folder}/pipeline.svg has the hash {found}")
    names = [element.tag.replace(SVG, "") for element in root or ()]
    result(names[:2] == ["title", "desc"] and root.get("role") == "img",
           "the picture has a title and a description", names[:3])
    words = "".join(root.itertext())
    result("never ends" in words and "arrive" in root.find(SVG + "desc").text,
           "the fault and the wait that never ends are named", root.find(SVG + "desc").text)
    result(text.count('class="arrow"') >= 8, "arrows lead to the ends of waits")

    part = write("pipeline", "--from", "1us", "--to", "3us", name="part")
    root = parse("the picture of a part", part)
    places = [float(x) for x in re.findall(
        r'<rect class="(?:wait|phase|copy)" x="([\d.-]+)" y="[\d.]+" width="[\d.]+" height="16',
        part)]
    result("from 1000 ns to 3000 ns" in part.replace("1.000 µs", "1000 ns").replace(
        "3.000 µs", "3000 ns") and places and min(places) >= 150 and max(places) <= 988,
        "the picture of a part has only this part", places)

    parse("the picture of hostile texts", write("hostile"))
    parse("the picture of no events", write("empty"))
    parse("the picture of the longest time", write("long"))
    big = write("big")
    root = parse("the picture of 100000 events", big)
    result(len(big) < 1000000 and "more tracks are not shown" in big,
           "the picture of 100000 events is small", len(big))
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()

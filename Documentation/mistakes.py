# SPDX-License-Identifier: MIT
"""Makes the table of mistakes.rst, when Sphinx builds the page, and counts its rows. What a GPU and
compute-sanitizer did with the kernels is in selftests/golden, and what vsm does is in the launch
files of the kernels, which are tests."""

import re

import ops
from operations import table

GPU = {"HANG": "hangs", "OK": "finishes, and its result is right"}


def said(tool):
    """What a tool has said about a kernel, in the words of the table."""
    if found := re.match(r"Barrier error detected\. (.*?)\. \[", tool):
        return found[1]
    found = re.search(r"Potential (\w+) hazard", tool)
    return f"{found[1]} hazards" if found else "nothing"


def ended(gpu):
    """What a kernel has done on the GPU."""
    kind, *error = gpu.split()
    return GPU.get(kind) or "ends: " + error[0].removeprefix("CUDA_ERROR_").replace("_", " ").lower()


def verdict(launch):
    """The kernel of a launch, and what the launch file expects vsm to say: "half_bytes#1" is the
    first launch of the file."""
    name, number = launch.split("#")
    launches = re.split(r"^launch ", ops.read("selftests/kernels/bugs", name + ".launch"), flags=re.M)
    text = launches[int(number)]
    expected = re.search(r"^expect (.* at \S+)$", text, re.M)
    return text.split()[0], expected[1] if expected else "done"


def rows(what):
    """(kernel, vsm, GPU, synccheck, racecheck) of each kernel that is "planted" or "corrected"."""
    found = []
    for line in ops.read("selftests/golden/h100/mistakes.tsv").splitlines():
        kind, launch, gpu, synccheck, racecheck = line.split("\t")
        if kind == what:
            found.append((*verdict(launch), ended(gpu), said(synccheck), said(racecheck)))
    return found


def summary():
    """The sentences of README.md and mistakes.rst."""
    planted, corrected = rows("planted"), rows("corrected")
    gpus = [row[2] for row in planted]
    named = sum(row[3] != "nothing" for row in planted)
    # All that racecheck says of wrong kernels it says of correct ones, too.
    assert {row[4] for row in planted} <= {row[4] for row in corrected}
    hazards = sum(row[4] != "nothing" for row in corrected)
    return (f"vsm stops each of {len(planted)} kernels with a planted mistake, and names a line. On an "
            f"H100, {gpus.count(GPU['HANG'])} of them hang, {sum(gpu.startswith('ends') for gpu in gpus)} end "
            f"with an error, and {gpus.count(GPU['OK'])} finish as if nothing were wrong. compute-sanitizer's "
            f"synccheck names {named}. Its racecheck names none, and reports hazards in {hazards} of "
            f"the {len(corrected)} kernels without the mistake")


def mistakes_table():
    """The lines of the table of all kernels with a mistake."""
    return table("22 30 22 14 12", [("Kernel", "vsm", "H100", "synccheck", "racecheck")] +
                 [(f"``{row[0]}``", *row[1:]) for row in rows("planted")])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records what the NVIDIA GPU of this machine does: `make record`, or selftests/record/record.py OUT.

OUT/recorded gets the output of the programs in this folder, OUT the files that
selftests/golden/make.py makes of it. The environment variable NVCC names the compiler.

The cases are those that were recorded of an H100, so that the results can be compared line by line.
A GPU that lacks an instruction skips it. Exit status: 0 success, 1 a program has failed, 2 nothing
was recorded, because the compiler or the GPU is missing or the command line is wrong."""

import concurrent.futures
import itertools
import json
import lzma
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build/record")
GOLDEN = os.path.join(TOP, "selftests/golden")
KERNELS = os.path.join(TOP, "selftests/kernels")

# Exit status of a program if the launch of a case has failed.
LAUNCH_FAILED = 3

# Seconds after which a program counts as hung.
HANGS = 120

# The number of random programs of words, and the seeds.
WORDS, WORDS_SEEDS = "4096", ("1", "2")

# The fields of a case of a tensor, and how many numbers each has (0: one that is no list).
TENSOR_FIELDS = {"im2col": 0, "type": 0, "rank": 0, "base": 0, "inter": 0, "swz": 0, "l2": 0, "fill": 0,
                 "dims": 5, "strides": 4, "box": 5, "estrides": 5, "coords": 5, "lower": 3, "upper": 3,
                 "channels": 0, "pixels": 0, "offsets": 3}


def fail(message, status=1):
    print(f"record: {message}", file=sys.stderr)
    sys.exit(status)


def golden(name):
    """Returns the lines of a recording of an H100 as lists of texts."""
    with lzma.open(os.path.join(GOLDEN, "h100", name + ".xz"), "rt") as file:
        return [line.split() for line in file]


# --- cases of words --------------------------------------------------------------------------------

# The largest count and tx-count.
LIMIT = (1 << 20) - 1

# The operations of transitions, in the order in which the random cases choose them.
OPS = ("init", "arrive", "arrive.n", "arrive.expect_tx", "expect_tx", "complete_tx", "arrive_drop",
       "arrive_drop.n", "arrive_drop.expect_tx", "arrive.noComplete", "arrive_drop.noComplete",
       "cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive.noinc", "test_wait.parity", "test_wait",
       "try_wait.parity", "inval")
COUNTED = ("arrive.n", "arrive_drop.n", "arrive.noComplete", "arrive_drop.noComplete")
CP, NOINC = "cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive.noinc"


def word(phase, pending, tx, expected, poison=0, bit0=0):
    """The fields of a word hold negative numbers."""
    return (phase << 63 | (-pending & 0xfffff) << 43 | poison << 42 | (-tx & 0x1fffff) << 21 |
            (-expected & 0xfffff) << 1 | bit0)


def edges():
    """The cases at the edges of ranges, and beyond. Many of them trap."""
    ops = (("arrive", 0), ("arrive.n", 1), ("arrive.n", 2), ("arrive.n", 3), ("arrive.expect_tx", 16),
           ("arrive_drop", 0), ("arrive_drop.n", 2), ("arrive_drop.expect_tx", 16),
           ("arrive.noComplete", 1), ("arrive.noComplete", 2), ("expect_tx", 16), ("expect_tx", LIMIT),
           ("complete_tx", 16), ("complete_tx", LIMIT), (CP, 0), (NOINC, 0), ("test_wait.parity", 0))
    for (op, arg), pending, tx in itertools.product(ops, range(4), (0, 16, 32, -16, LIMIT, -LIMIT)):
        yield op, arg, word(0, pending, tx, 2)
    ops = (("arrive_drop", 0), ("arrive_drop.n", 2), ("arrive_drop.expect_tx", 16),
           ("arrive_drop.noComplete", 1), ("arrive_drop.noComplete", 2), ("arrive", 0))
    for (op, arg), pending, expected in itertools.product(ops, (1, 2, 3), (0, 1, 3)):
        yield op, arg, word(1, pending, 0, expected)
    args = (0, LIMIT, LIMIT + 1, LIMIT + 2, 1 << 21, (1 << 21) + 5, 0x7fffffff, 0x80000000, 0xffffffff,
            0xfffffff0)
    ops = ("init", "arrive.n", "arrive.expect_tx", "expect_tx", "complete_tx", "arrive_drop.n",
           "arrive.noComplete")
    for arg, op in itertools.product(args, ops):
        yield op, arg, word(0, 5, 64, 5)
        yield op, arg, word(0, LIMIT, -64, LIMIT)
    for op, arg in (("init", 3), ("arrive", 0), ("expect_tx", 16), ("complete_tx", 16),
                    ("test_wait.parity", 0), ("test_wait", 0), ("try_wait.parity", 0), ("inval", 0),
                    (CP, 0), (NOINC, 0), ("arrive_drop", 0), ("arrive.noComplete", 1)):
        yield op, arg, word(0, 3, 0, 3, poison=1)
        yield op, arg, word(0, 3, 0, 3, bit0=1)
        yield op, arg, word(0, 0, 0, 0)
        yield op, arg, word(0, 0, 0, 3)
        yield op, arg, word(1, 0, -16, 3)


def keeps_the_rules(op, arg, pending, tx, expected):
    if op.startswith("arrive") or op == NOINC:
        count = arg if op in COUNTED else 1
        if count < 1 or count > pending or ("drop" in op and count >= expected):
            return False
        if op.endswith("noComplete") and count == pending:
            return False
        if op.endswith("expect_tx"):
            tx += arg
        return abs(tx) <= LIMIT and not (count == pending and tx < 0)
    if op == CP:
        return 0 < pending < LIMIT - 1 and tx < LIMIT - 1
    if op == "expect_tx":
        return abs(tx + arg) <= LIMIT
    if op == "complete_tx":
        return abs(tx - arg) <= LIMIT and not (pending == 0 and (tx < arg or tx <= 0))
    return True


def any_words(count):
    """Random operations on random words. None of them should trap."""
    rng = random.Random(5)
    while count:
        op = rng.choice(OPS)
        pending = rng.choice((1, 2, 3, rng.randint(1, LIMIT), rng.randint(0, LIMIT)))
        expected = rng.choice((1, 2, rng.randint(1, LIMIT)))
        tx = rng.choice((0, 0, 1, 16, rng.randint(0, LIMIT), -rng.randint(0, LIMIT)))
        if pending == 0 and tx <= 0:
            continue
        arg = rng.choice((1, 2, 16, rng.randint(0, LIMIT), pending, max(pending - 1, 0), max(tx, 0)))
        if op == "init":
            arg = rng.randint(0, LIMIT)
        if keeps_the_rules(op, arg, pending, tx, expected):
            yield op, arg, word(rng.randint(0, 1), pending, tx, expected), rng.getrandbits(64)
            count -= 1


def transition_cases():
    """Returns the cases of each file of transitions as lines of text."""
    return {name: [f"{op}\t{arg:#x}\t0x{before:016x}\t0x{next(iter(token), 0):016x}"
                   for op, arg, before, *token in cases]
            for name, cases in (("transitions-edge", edges()), ("transitions-random", any_words(20000)))}


# --- runs --------------------------------------------------------------------------------------------

def run(program, *args):
    """Runs a program. Returns its exit status, or None if it hung, and its output as lines."""
    try:
        done = subprocess.run([os.path.join(BUILD, program), *map(str, args)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=HANGS, check=False,
                              # The first GPU is that of nvidia-smi.
                              env={**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"})
    except subprocess.TimeoutExpired:
        return None, []
    if done.returncode not in (0, LAUNCH_FAILED):
        fail(f"{program} {' '.join(map(str, args))}: status {done.returncode}: {done.stderr.strip()}")
    return done.returncode, done.stdout.splitlines()


def run_all(program, *args):
    """Runs a program that must succeed. Returns its output as lines."""
    status, lines = run(program, *args)
    if status != 0:
        fail(f"{program}: {'it hangs' if status is None else 'a launch has failed'}")
    return lines


def case_file(name, lines):
    path = os.path.join(BUILD, name + ".cases")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def words():
    return [line for seed in WORDS_SEEDS for line in run_all("words", WORDS, seed)]


def transitions(name, size):
    """Runs size cases at a time. If the launch of several cases fails, runs them in two halves."""
    cases = transition_cases()[name]
    path = case_file(name, cases)

    def results(first, last):
        status, lines = run("transitions", path, first, last)
        if status == 0:
            return lines
        if last - first == 1:
            return [f"{cases[first]}\t{'hang' if status is None else 'trap'}\t-"]
        middle = (first + last) // 2
        return results(first, middle) + results(middle, last)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        starts = range(0, len(cases), size)
        parts = pool.map(results, starts, [min(start + size, len(cases)) for start in starts])
        return [line for part in parts for line in part]


def tensor_cases():
    """Returns the parameters of the cases of an H100, by name.

    For some tiled copies that trapped, the recording does not say whether they were stores. They are
    run as stores, because no tiled load has trapped."""
    cases = {}
    for name, what, _count, *numbers, _data, _map in golden("tensor"):
        numbers = list(map(int, numbers))
        case = cases[name] = {}
        case["store"] = int(what in ("store", "trap-store") or (what == "trap" and not numbers[0]))
        for field, count in TENSOR_FIELDS.items():
            case[field] = numbers[:count] if count else numbers[0]
            del numbers[:count or 1]
    return cases


def numbers_of(case):
    return [case["store"], *itertools.chain(*(case[field] if count else [case[field]]
                                              for field, count in TENSOR_FIELDS.items()))]


def tensor():
    """Goes on with the next case when a launch has failed."""
    cases = tensor_cases()
    path = case_file("tensor", (" ".join(map(str, [name, *numbers_of(case)]))
                                for name, case in cases.items()))
    results = []
    while len(results) < len(cases):
        status, lines = run("tensor", path, len(results))
        if not lines or (status == 0 and len(results) + len(lines) != len(cases)):
            fail(f"tensor: it ends or hangs at case {len(results)}")
        results += map(json.loads, lines)
    return [json.dumps({**cases[result["case"]], **result}) for result in results]


def case_names():
    with lzma.open(os.path.join(GOLDEN, "h100/cases.xz"), "rt") as file:
        return [line.split("|")[0] for line in file]


def cases():
    """Runs each of the programs that may hang or trap."""
    with open(os.path.join(KERNELS, "silicon/cases.table"), encoding="utf-8") as file:
        rows = [line.split("|") for line in file if not line.startswith("#")]
    lines = []
    for name, (number, shape, *_) in zip(case_names(), rows):
        threads, _, ctas = shape.partition("x")
        line, = run_all("cases", number, ctas or "1", threads)
        lines.append(f"case {number}: {name}: {line}")
    return lines


# What is recorded: the file, the first compute capability times 10, and how.
RECORDINGS = {
    "words.tsv.xz": (80, words),
    "transitions-edge.tsv.xz": (80, lambda: transitions("transitions-edge", 1)),
    "transitions-random.tsv.xz": (80, lambda: transitions("transitions-random", 500)),
    "tensor.jsonl.xz": (90, tensor),
    "cases.txt": (90, cases),
    "timing.tsv": (80, lambda: run_all("timing")),
    "matrix.tsv.xz": (80, lambda: run_all("matrix")),
}


def record(out, capability):
    recorded = os.path.join(out, "recorded")
    os.makedirs(recorded, exist_ok=True)
    for name, (least, lines) in RECORDINGS.items():
        if capability < least:
            print(f"{name}: skipped, this GPU has compute capability {capability / 10}", flush=True)
            continue
        lines = lines()
        opener = lzma.open if name.endswith(".xz") else open
        with opener(os.path.join(recorded, name), "wt", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        print(f"{name}: {len(lines)} lines", flush=True)
    subprocess.run([sys.executable, os.path.join(GOLDEN, "make.py"), recorded, out], check=True)


def find_gpu():
    """Returns the name and the compute capability times 10 of the first GPU."""
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        fail("there is no NVIDIA GPU (nvidia-smi lists none)", 2)
    name, capability = text.splitlines()[0].split(", ")
    return name, round(10 * float(capability))


def build(nvcc, capability, options=()):
    # wgmma and setmaxnreg exist only for architectures with the suffix a.
    arch = f"{capability}{'a' if capability >= 90 else ''}"
    os.makedirs(BUILD, exist_ok=True)
    for name in sorted(os.listdir(HERE)):
        program, suffix = os.path.splitext(name)
        # The kernels of cases have instructions of compute capability 9.0.
        if suffix == ".cu" and (program != "cases" or capability >= 90):
            subprocess.run([nvcc, "-O1", "-std=c++17", f"-gencode=arch=compute_{arch},code=sm_{arch}",
                            "-I" + KERNELS, *options, "-o", os.path.join(BUILD, program), os.path.join(HERE, name)],
                           check=True)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    out = sys.argv[1]
    nvcc = os.environ.get("NVCC", "nvcc")
    if not shutil.which(nvcc):
        fail(f"{nvcc} is not installed (NVCC= names the compiler of CUDA)", 2)
    name, capability = find_gpu()
    print(f"recording {name} in {out}", flush=True)
    build(nvcc, capability)
    record(out, capability)


if __name__ == "__main__":
    main()

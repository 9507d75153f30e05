#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the recording programs without a GPU. Prints TAP; compiles with CXX, and all programs with
NVCC if it is set."""

import contextlib
import lzma
import os
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import record  # noqa: E402

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Skip(Exception):
    pass


def listed_words():
    """Returns the cases of words that its generator makes, without a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "words")
        subprocess.run([*shlex.split(os.environ.get("CXX", "g++")), "-std=c++17", "-Wall", "-Wextra",
                        "-Werror", "-O1", "-x", "c++", "-o", program,
                        os.path.join(record.HERE, "words.cu")], check=True)
        return [subprocess.run([program, "--list", record.WORDS, seed], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
                for seed in record.WORDS_SEEDS]


@check
def generated_words_are_those_that_were_recorded():
    cases = [line.split("\t")[2:] for lines in listed_words() for line in lines]
    assert [[op, int(arg)] for op, arg in cases] == \
        [[op, int(arg, 16)] for op, arg, *_ in record.golden("words")]


@check
def generated_transitions_contain_those_that_were_recorded():
    cases = {tuple(line.replace("0x", "").split("\t"))
             for lines in record.transition_cases().values() for line in lines}
    rows = [tuple(row[:4]) for row in record.golden("transitions")]
    assert len(rows) == 10237 and cases.issuperset(rows)


class H100:
    """Answers like the programs on an H100."""

    def __init__(self):
        self.transitions = {tuple(row[:4]): row[4:] for row in record.golden("transitions")}
        self.tensor = {row[0]: row for row in record.golden("tensor")}
        self.words = dict(zip(record.WORDS_SEEDS, listed_words()))

    def run(self, program, *args):
        return getattr(self, "run_" + program)(*args)

    def run_words(self, _count, seed):
        rows = iter(record.golden("words"))
        if seed == record.WORDS_SEEDS[1]:
            rows = list(rows)[len(self.words[record.WORDS_SEEDS[0]]):]
        return 0, ["# a comment", *("\t".join([line, *row[2:]])
                                    for line, row in zip(self.words[seed], rows))]

    def run_transitions(self, path, first, last):
        with open(path, encoding="utf-8") as file:
            cases = file.read().splitlines()[first:last]
        results = [self.transitions[tuple(case.replace("0x", "").split("\t"))] for case in cases]
        if ["trap", "-"] in results:
            return record.LAUNCH_FAILED, []
        return 0, ["\t".join([case, *result]) for case, result in zip(cases, results)]

    def run_tensor(self, path, first):
        lines = []
        with open(path, encoding="utf-8") as file:
            cases = [line.split() for line in file.read().splitlines()][first:]
        for name, _store, *numbers in cases:
            row = self.tensor[name]
            assert numbers == row[3:46]
            result = {"case": name, "result": int(row[1] == "refused")}
            if row[1] != "refused":
                result["map"] = row[47]
            if row[1].startswith("trap"):
                return record.LAUNCH_FAILED, [*lines, record.json.dumps({**result, "launch": "failed"})]
            if row[1] == "store":
                result.update(changed=int(row[2]), **{"global": row[46].replace("-", "")})
            if row[1] == "load":
                result.update(expected=int(row[2]), word=f"{COMPLETE:x}", smem=row[46])
            lines.append(record.json.dumps(result))
        return 0, lines

    def run_cases(self, number, _ctas, _threads):
        with lzma.open(os.path.join(record.GOLDEN, "h100/cases.xz"), "rt") as file:
            _name, end, words = file.read().splitlines()[int(number)].split("|")
        error = {"done": "cudaSuccess", "hang": "HANG"}.get(
            end, "cudaError" + end.title().replace(" ", ""))
        return 0, [f"launch cudaSuccess, end {error};" +
                   "".join(" [{}]=0x{}".format(*word.split("=")) for word in words.split())]

    def run_timing(self):
        with open(TIMING, encoding="utf-8") as file:
            return 0, file.read().splitlines()

    def run_matrix(self):
        return 0, []


TIMING = os.path.join(record.GOLDEN, "h100/timing.tsv")

# The word when all bytes have come.
COMPLETE = 0x7ffff800001ffffc

# How many transitions are at the edges of ranges. They come first.
EDGES = 237


@check
def the_golden_files_are_made_of_the_answers_of_an_h100():
    cases = ["\t0x".join(row[:4]) for row in record.golden("transitions")]
    record.run = H100().run
    record.transition_cases = lambda: {"transitions-edge": cases[:EDGES],
                                       "transitions-random": cases[EDGES:]}
    os.makedirs(record.BUILD, exist_ok=True)
    with tempfile.TemporaryDirectory() as out:
        with contextlib.redirect_stdout(sys.stderr):
            record.record(out, 90)
        with open(TIMING, "rb") as one, open(os.path.join(out, "timing.tsv"), "rb") as other:
            assert one.read() == other.read()
        for name in "words", "transitions", "tensor", "cases":
            with lzma.open(os.path.join(out, name + ".xz"), "rt") as file:
                lines = [line.split() for line in file]
            rows = record.golden(name)
            # It is now known that the copies which trapped were stores or loads.
            for row in rows if name == "tensor" else ():
                if row[1] == "trap":
                    row[1] = "trap-load" if row[3] == "1" else "trap-store"
            assert lines == rows, next(pair for pair in zip(lines, rows) if pair[0] != pair[1])


@check
def without_a_compiler_nothing_is_recorded():
    done = subprocess.run([sys.executable, os.path.join(record.HERE, "record.py"), "/nonexistent"],
                          env={**os.environ, "NVCC": "/no/nvcc"}, stderr=subprocess.PIPE, text=True,
                          check=False)
    assert done.returncode == 2 and done.stderr.startswith("record: /no/nvcc is not installed"), done


@check
def the_programs_compile_for_two_architectures():
    nvcc = os.environ.get("NVCC")
    if not nvcc:
        raise Skip("NVCC names no compiler of CUDA")
    for capability in 80, 90:
        record.build(nvcc, capability, ["-Werror", "all-warnings"])


def main():
    failed = 0
    print(f"TAP version 13\n1..{len(CHECKS)}", flush=True)
    for number, function in enumerate(CHECKS, 1):
        result, comment = "ok", ""
        try:
            function()
        except Skip as reason:
            comment = f" # SKIP {reason}"
        except (AssertionError, OSError, subprocess.CalledProcessError) as error:
            print("#", *str(error)[:1000].splitlines())
            result, failed = "not ok", 1
        print(f"{result} {number} - {function.__name__}{comment}", flush=True)
    sys.exit(failed)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles tests of CUTLASS and libcu++ to PTX, and writes launch files for their kernels.

The launch files replace the host code of the tests: they have the same grids, blocks, clusters and
arguments. The sources are those of a checkout. Nothing of them is part of vsm.
"""

import argparse
import concurrent.futures
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

FLAGS = ["-arch=sm_90a", "-ptx", "-lineinfo", "-w", "--expt-relaxed-constexpr"]

# --- CUTLASS ------------------------------------------------------------------

# The tests draw up to 1000 iterations at random. These numbers are less and more than all numbers
# of stages, and odd and even.
ITERATIONS = (1, 7, 60)

# Name, threads, bytes of shared memory for a number of stages, argument for a number of
# iterations, flags. pipeline_async sets no role for its threads, which its own checks report for
# every thread (printf and brkpt): it runs without these checks.
CUTLASS = (
    ("pipeline_async", 96, lambda stages: 16 * stages, "i32:{0}", ["-DNDEBUG"]),
    ("pipeline_tma_async", 128, lambda stages: 16 * stages, "i32:{0}", []),
    ("pipeline_tma_async_warp_specialized", 384, lambda stages: 16 * stages,
     "{{i32:{0}, u64:0}}", []),
    ("pipeline_tma_async_warp_specialized_persistent", 384, lambda stages: 16 * stages + 32,
     "{{i32:{0}, i32:{1}, u64:0}}", []),
)

# The template arguments of a kernel: the shape of the cluster and the number of stages
SHAPE = re.compile(r"<cute::tuple<cute::C<(\d+)>, cute::C<(\d+)>, cute::C<1> ?>, (\d+)u?>")
# Those of the test of ordered groups: depth, groups, threads of each group
GROUPS = re.compile(r"ordered_sequence_device<(\d+), (\d+), (\d+)>")


def kernels(path, pattern):
    """Yields the kernels of a module with their template arguments."""
    with open(path, encoding="utf-8") as file:
        names = re.findall(r"\.entry (\w+)", file.read())
    texts = subprocess.run(["c++filt", *names], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    for name, text in zip(names, texts):
        match = pattern.search(text)
        if match:
            yield name, tuple(map(int, match.groups()))


def launch_cutlass(path, test):
    """Returns the launches of a pipeline test."""
    name, threads, memory, argument, _ = test
    lines = [f"# The launches of {name}: one cluster, as many stages as the kernel has."]
    for kernel, (x, y, stages) in kernels(path, SHAPE):
        for count in ITERATIONS:
            lines.append(f"launch {kernel} grid {x},{y} cluster {x},{y} block {threads} "
                         f"smem {memory(stages)} args {argument.format(count, count % 10 + 1)}")
    return lines


def launch_sequence(path):
    """Returns the launches of the test of ordered groups."""
    lines = ["# Groups of 128 threads that take turns."]
    for kernel, (depth, groups, threads) in kernels(path, GROUPS):
        for count in ITERATIONS:
            lines.append(f"launch {kernel} block {groups * threads} smem {8 * depth * groups} "
                         f"args i32:{count}")
    return lines


# --- libcu++ ------------------------------------------------------------------

# What a test does that PTX does not allow. Such a test is expected to be refused, and to pass with
# the policy of the hardware.
MISUSE = {
    # shared_memory_selector gives the second barrier the memory of the first, which is still live.
    "cuda/barrier/arrive_tx_cta.pass": "INIT_OVER_LIVE",
    "cuda/barrier/arrive_tx_thread.pass": "INIT_OVER_LIVE",
    "cuda/barrier/arrive_tx_warp.pass": "INIT_OVER_LIVE",
    "cuda/barrier/expect_tx_cta.pass": "INIT_OVER_LIVE",
    "cuda/barrier/expect_tx_thread.pass": "INIT_OVER_LIVE",
    "cuda/barrier/expect_tx_warp.pass": "INIT_OVER_LIVE",
    # A producer destroys the barriers when it ends. What is wrong then depends on the order: copies
    # may be in flight, or a consumer may use a barrier afterwards.
    "cuda/pipeline/pipeline_memcpy_async_producer_consumer.pass": "",
}

# pipeline::quit() destroys the barriers of the shared state, and its destructor does so again. The
# test of large types in system scope is the only one of its scope that has no barriers of blocks.
for _scope in ("block", "system"):
    for _size in ("8", "16", "32", "64", "large_type"):
        MISUSE[f"cuda/pipeline/pipeline_memcpy_async_thread_scope_{_scope}_{_size}.pass"] = \
            "NOT_AN_MBARRIER"
del MISUSE["cuda/pipeline/pipeline_memcpy_async_thread_scope_system_large_type.pass"]

# These tests pass if the kernel fails.
FAILS = {
    "cuda/barrier/arrive_tx_cluster.runfail": "expect fault OUT_OF_WINDOW",
    "cuda/barrier/arrive_tx_device.runfail": "expect fault",
    "cuda/barrier/expect_tx_device.runfail": "expect fault",
}

# The tensors of which the host code writes tensor maps: extents of the tensor and of the box
TENSORS = {
    "cuda/barrier/cp_async_bulk_tensor.pass": ((1024, 1024), (32, 8)),
    "cuda/barrier/cp_async_bulk_tensor_1d.pass": ((256,), (32,)),
    "cuda/barrier/cp_async_bulk_tensor_2d.pass": ((8, 11), (4, 2)),
    "cuda/barrier/cp_async_bulk_tensor_3d.pass": ((8, 11, 13), (4, 2, 4)),
    "cuda/barrier/cp_async_bulk_tensor_4d.pass": ((8, 11, 13, 3), (4, 2, 4, 1)),
    "cuda/barrier/cp_async_bulk_tensor_5d.pass": ((8, 11, 13, 3, 3), (4, 2, 4, 1, 1)),
}

# Each of them copies several boxes, and initialises the same barrier for each again.
MISUSE.update(dict.fromkeys(TENSORS, "INIT_OVER_LIVE"))

FOLDERS = ("cuda/barrier", "cuda/pipeline", "std/thread/thread.barrier")


def find_libcudacxx(tests):
    """Returns the names of the tests of a checkout, without .cpp."""
    names = []
    for folder in FOLDERS:
        top = os.path.join(tests, folder)
        names += [f"{folder}/{name[:-4]}" for name in sorted(os.listdir(top))
                  if name.endswith((".pass.cpp", ".runfail.cpp"))] if os.path.isdir(top) else []
    return names


def launch_libcudacxx(source, name):
    """Returns the launches of a test."""
    with open(source, encoding="utf-8") as file:
        match = re.search(r"cuda_thread_count *= *(\d+)", file.read())
    threads = match.group(1) if match else 1
    launch = (f"launch _Z16fake_main_kernelPi block {threads}", "args result")
    lines = ["buffer result 4"]
    if name in TENSORS:
        dims, box = TENSORS[name]
        lines += [f"variable gmem_tensor {4 * math.prod(dims)}",
                  f"tensor map gmem_tensor s32 dims {','.join(map(str, dims))} "
                  f"box {','.join(map(str, box))}",
                  "variable global_fake_tensor_map 128 tensor:map"]
    if name in FAILS:
        return lines + [" ".join(launch), FAILS[name]]
    if name in MISUSE:
        lines += [" ".join(launch), f"expect fault {MISUSE[name]}".rstrip()]
        launch = (launch[0], "policy hardware", launch[1])
    return lines + [" ".join(launch), "launch vsm_expect_zero args result"]


# --- compiling ----------------------------------------------------------------


def compile_test(command, source, out):
    """Compiles a test unless that was done with the same command. Returns what was printed."""
    stamp = out + ".command"
    text = " ".join(command)
    try:
        with open(stamp, encoding="utf-8") as file:
            same = file.read() == text
        if same and os.path.getmtime(out) > os.path.getmtime(source):
            return ""
    except OSError:
        pass
    for path in (stamp, out):
        if os.path.exists(path):
            os.remove(path)
    result = subprocess.run(command + ["-o", out, source], capture_output=True, text=True,
                            check=False)
    if result.returncode or not os.path.exists(out):
        return result.stdout + result.stderr or f"nvcc ends with status {result.returncode}"
    with open(os.path.join(HERE, "shim.ptx"), encoding="utf-8") as shim, \
            open(out, "a", encoding="utf-8") as file:
        file.write(shim.read())
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(text)
    return ""


def jobs_cutlass(args):
    """Yields command, source, name of the output, and a function that returns the launches."""
    if not args.cutlass:
        return
    unit = os.path.join(args.cutlass, "test/unit")
    includes = [f"-I{path}" for path in (os.path.join(HERE, "include"),
                                         os.path.join(args.cutlass, "include"), unit,
                                         os.path.join(args.cutlass, "tools/util/include"))]
    command = [args.nvcc, *FLAGS, "-std=c++17", *includes]
    for test in CUTLASS:
        yield (command + test[4], f"{unit}/pipeline/{test[0]}.cu", f"cutlass/{test[0]}",
               lambda path, test=test: launch_cutlass(path, test))
    yield (command + ["-DNDEBUG"], f"{unit}/pipeline/sequence_barrier.cu",
           "cutlass/sequence_barrier", launch_sequence)


def jobs_libcudacxx(args):
    """Yields command, source, name of the output, and a function that returns the launches."""
    if not args.cccl:
        return
    top = os.path.join(args.cccl, "libcudacxx")
    tests = os.path.join(top, "test/libcudacxx")
    command = [args.nvcc, *FLAGS, "-std=c++20", "--extended-lambda", "-x", "cu",
               "-include", f"{tests}/force_include.h", f"-I{top}/include",
               f"-I{top}/test/support", f"-I{args.cccl}/cub", f"-I{args.cccl}/thrust"]
    for name in find_libcudacxx(tests):
        source = f"{tests}/{name}.cpp"
        yield (command, source, "libcudacxx/" + name.replace("/", "_"),
               lambda _, source=source, name=name: launch_libcudacxx(source, name))


def prepare(job, out):
    """Compiles a test and writes its launch file. Returns an error message, or an empty string."""
    command, source, name, launches = job
    path = os.path.join(out, name)
    error = compile_test(command, source, path + ".ptx")
    if not error:
        with open(path + ".launch", "w", encoding="utf-8") as file:
            file.write("\n".join(launches(path + ".ptx")) + "\n")
    return error


def main():
    """Prepares all tests. The exit status is 1 if one cannot be compiled."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--nvcc", default="nvcc", help="the compiler")
    parser.add_argument("--cutlass", help="a checkout of CUTLASS")
    parser.add_argument("--cccl", help="a checkout of CCCL, which contains libcu++")
    parser.add_argument("out", help="the folder for PTX and launch files")
    args = parser.parse_args()

    jobs = [*jobs_cutlass(args), *jobs_libcudacxx(args)]
    for folder in ("cutlass", "libcudacxx"):
        os.makedirs(os.path.join(args.out, folder), exist_ok=True)
    known = {os.path.join(args.out, job[2] + ".launch") for job in jobs}
    for folder, _, names in os.walk(args.out):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".launch")):
            if path not in known:
                os.remove(path)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, error in zip(jobs, pool.map(lambda job: prepare(job, args.out), jobs)):
            if error:
                print(f"{job[1]} cannot be compiled:\n{error}", file=sys.stderr)
                failed += 1
    print(f"# {len(jobs) - failed} of {len(jobs)} tests are compiled")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())

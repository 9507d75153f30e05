# SPDX-License-Identifier: MIT
"""The traces that the tests of the page and of the picture export.

- "pipeline" ends with a wait that never ends, and has a fault;
- "reported" has two faults: the cluster refuses one, and only reports the other;
- "hostile" has texts that try to break out of the page;
- "empty" has no events;
- "long" has two events, as far apart as times can be;
- "big" has 100000 events of 400 warps.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
MAKE_BIG = os.path.join(HERE, "../../vsm/trace/example.py")
REPORTED = b"""vsm trace 1
1000 fault client=3 cluster=7 lanes=0x1 op=mbarrier_arrive fault=ARRIVAL_OVERFLOW error=-71
2000 fault client=3 cluster=7 lanes=0x1 op=mbarrier_try_wait fault=PHASE_UNOBSERVED
"""
TEXT = (b"</script><script>document.title='broken'</script><!-- ]]> & \\\"\\\\ "
        b"<img src=x onerror=alert(1)> \x01\x7f\xff\xc3")
HOSTILE = b"""vsm trace 1
title "%(text)s"
cluster 7 ctas=1 threads=64 layout=sm_90 policy=strict
name "<img src=x onerror=alert(1)>" offset=0x0 size=16 stride=8
site 4 "%(text)s" "%(text)s"
1000 insn client=3 cluster=7 lanes=0x1 op=mbarrier_init next=0x7ffff800001ffffe site=4
1070 suspend id=1 client=3 cluster=7 thread=32 lanes=0x1 op=mbarrier_try_wait mods=0x10 \
word=0x7ffff800001ffffe site=4
2000 job_queue id=2 client=3 channel=1 value=3
note "%(text)s"
""" % {b"text": TEXT}


def make_trace(kind):
    """Returns the text of a trace."""
    if kind == "pipeline":
        with open(os.path.join(HERE, "pipeline.txt"), "rb") as file:
            return file.read()
    if kind == "reported":
        return REPORTED
    if kind == "hostile":
        return HOSTILE
    if kind == "long":
        return (b"vsm trace 1\n0 job_queue id=2 client=3 channel=1 value=3\n"
                b"18446744073709551615 job_begin id=2 client=3 channel=1 value=3\n")
    if kind == "empty":
        return b"vsm trace 1\n"
    return subprocess.run([sys.executable, MAKE_BIG, "--ctas", "16", "--consumers", "24",
                           "--rounds", "66"], stdout=subprocess.PIPE, check=True).stdout


def export(program, folder, kind, *times, name=None):
    """Writes the page of a trace, and the picture with these options. Returns both paths."""
    os.makedirs(folder, exist_ok=True)
    trace, *paths = [os.path.join(folder, f"{name or kind}.{end}")
                     for end in ("txt", "html", "svg")]
    with open(trace, "wb") as file:
        file.write(make_trace(kind))
    for path in paths:
        range_of = times if path.endswith(".svg") else ()
        subprocess.run([program, "trace", "export", trace, "-o", path, *range_of], check=True)
    return paths

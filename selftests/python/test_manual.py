# SPDX-License-Identifier: MIT
"""Runs the examples of the manual, and compares what they print with what the page shows."""

import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).parents[2]
EXAMPLES = TOP / "Documentation/python"
PAGE = (TOP / "Documentation/python.rst").read_text(encoding="utf-8")


def run(*command):
    done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True)
    assert not done.returncode, done.stdout
    return done.stdout


def shown():
    """What the page shows: {name of the example: output}."""
    blocks = re.findall(r"literalinclude:: python/(\w+)\.py\n.*?\.\. code-block:: none\n\n(.*?)\n\S",
                        PAGE, re.S)
    return {name: re.sub(r"^   ", "", text, flags=re.M).strip() for name, text in blocks}


@pytest.mark.parametrize("name, arguments", [
    ("tile", []), ("warp", []), ("kernel", [TOP / "selftests/kernels/tile.ptx"])])
def test_example_prints_what_the_page_shows(name, arguments):
    assert run(EXAMPLES / f"{name}.py", *arguments).split() == shown()[name].split()


def test_example_for_pytest_passes():
    out = run("-m", "pytest", "-p", "pytest_vsm", "-p", "no:cacheprovider",
              EXAMPLES / "test_order.py")
    assert "4 passed" in out


def test_every_example_is_in_the_page():
    for path in EXAMPLES.glob("*.py"):
        assert f"literalinclude:: python/{path.name}" in PAGE

# SPDX-License-Identifier: MIT
"""Tests of the package as it is installed."""

import os
import shutil
import subprocess
import sys

import pytest

import vsm

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.path.join(PACKAGE, "../../build/userlib")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the files of the wheel."""
    for needed in ("setuptools", "wheel"):
        pytest.importorskip(needed)
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in ("pyproject.toml", "README.rst", "pytest_vsm.py"):
        shutil.copy(os.path.join(PACKAGE, name), source)
    shutil.copytree(os.path.join(PACKAGE, "vsm"), source / "vsm",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for command in (["-c", f"import setuptools.build_meta as b; b.build_wheel({str(target)!r})"],
                    ["-m", "zipfile", "-e",
                     str(target / f"vsm-{vsm.__version__}-py3-none-any.whl"), str(target)]):
        done = subprocess.run([sys.executable, *command], cwd=source, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True)
        assert not done.returncode, done.stdout
    return target


def run(installed, program, **env):
    return subprocess.run([sys.executable, "-c", program], cwd="/", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True,
                          env=dict(os.environ, PYTHONPATH=str(installed), **env))


def test_wheel_has_all_modules(installed):
    assert (installed / "pytest_vsm.py").exists()
    names = {name for name in os.listdir(os.path.join(PACKAGE, "vsm")) if name != "__pycache__"}
    assert names == set(os.listdir(installed / "vsm"))
    assert "py.typed" in names


def test_wheel_has_the_version_and_the_plugin(installed):
    done = run(installed, "from importlib.metadata import *\n"
                          "print(version('vsm'), [e.value for e in entry_points(group='pytest11') "
                          "if e.name == 'pytest_vsm'])")
    assert done.stdout == f"{vsm.__version__} ['pytest_vsm']\n"


def test_installed_package_finds_the_library(installed):
    done = run(installed, "import vsm; print(vsm.insn.exit(), vsm.__file__)",
               LD_LIBRARY_PATH=BUILD, VSM_LIBRARY_PATH="")
    assert done.stdout == f"exit {installed}/vsm/__init__.py\n"
    done = run(installed, "import vsm; print(vsm.Context().load('.version 8.0\\n'"
                          "'.target sm_90\\n.address_size 64\\n').kernels())", VSM_LIBRARY_PATH=BUILD)
    assert done.stdout == "[]\n"


def test_missing_library_says_what_to_do(installed):
    done = run(installed, "import vsm", VSM_LIBRARY_PATH="/nonexistent")
    assert "set VSM_LIBRARY_PATH to the folder of the library" in done.stdout


def test_plugin_needs_no_library_until_a_test_needs_a_device(installed, tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_it(): assert 'vsm' not in sys.modules\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
                          cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=False,
                          env=dict(os.environ, PYTHONPATH=str(installed),
                                   VSM_LIBRARY_PATH="/nonexistent"))
    assert "1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("options", [[], ["-p", "pytest_vsm"]])
def test_plugin_is_loaded_once_with_and_without_an_option(installed, tmp_path, options):
    (tmp_path / "test_it.py").write_text("def test_it(vsm_seed): assert vsm_seed == 4\n",
                                         encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "pytest", "--vsm-seeds=4", "-p", "no:cacheprovider",
                           *options, str(tmp_path)], cwd=tmp_path, stdout=subprocess.PIPE, text=True,
                          check=False, env=dict(os.environ, PYTHONPATH=str(installed),
                                                VSM_LIBRARY_PATH=BUILD))
    assert "1 passed" in done.stdout, done.stdout


def test_folder_is_one_that_python_searches():
    def folder(prefix):
        return subprocess.run([sys.executable, os.path.join(PACKAGE, "folder.py"), prefix],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    assert folder("/nonexistent/").startswith("/nonexistent/lib/python3.")
    if os.path.isdir("/usr/lib/python3/dist-packages") and sys.executable == "/usr/bin/python3":
        assert folder("/usr") == "/usr/lib/python3/dist-packages"
        assert folder("/usr/local") in sys.path or not os.path.isdir(folder("/usr/local"))

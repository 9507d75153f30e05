# SPDX-License-Identifier: MIT
"""A plugin for pytest: the fixtures ``vsm_device`` and ``vsm_seed``.

Where a machine has no vsm device, the tests that use ``vsm_device`` run in one virtual machine, with
the same options of pytest, and their results come back. The manual describes the options.

Once it is installed, every run of pytest loads this module. It is therefore not a part of the package,
and imports the package only when a test needs a device.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from typing import (TYPE_CHECKING, Any, Dict, Generator, Iterator, List, Optional, Sequence, Set,
                    TextIO)

import pytest

if TYPE_CHECKING:
    from vsm import Device

# Events that the flight recorder of each cluster keeps for the timeline of a test that fails.
TIMELINE_EVENTS = 1 << 14

# Seconds that the virtual machine may run, unless --vsm-vm-args says something else.
VM_SECONDS = 3600

# Lines of the output of the virtual machine in the report of a test that it did not run to its end.
VM_LINES = 60

# Title of the section of a report that names the file of the timeline.
TIMELINE = "vsm timeline"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("vsm", "tests that use a vsm device")
    group.addoption("--vsm-vm", choices=["auto", "always", "never"], default="auto",
                    help="run tests that use vsm_device in a virtual machine: if there is no device "
                         "(auto), always, or never: then they are skipped if there is no device")
    group.addoption("--vsm-kernel", metavar="KERNEL",
                    help="kernel of the virtual machine, as vsm-vm takes it")
    group.addoption("--vsm-vm-args", metavar="ARGS", default="",
                    help="more arguments of vsm-vm, such as '--mem 2G'")
    group.addoption("--vsm-runner", metavar="FILE",
                    help="program to use as vsm-vm (default: that of VSM_VM_RUN)")
    group.addoption("--vsm-seeds", metavar="A..B", type=seeds_of,
                    help="run each test that uses vsm_device with these seeds of the copy engine")
    group.addoption("--vsm-timeline", metavar="FOLDER",
                    help="write a timeline of each test that fails into this folder")
    group.addoption("--vsm-guest", metavar="FOLDER", help=argparse.SUPPRESS)


def seeds_of(text: str) -> range:
    """The seeds that the option names: N or A..B."""
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    if not found or int(found[2] or found[1]) < int(found[1]):
        raise argparse.ArgumentTypeError(f"'{text}' is not A..B, such as 1..20")
    return range(int(found[1]), int(found[2] or found[1]) + 1)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "vsm_seeds(seeds): run the test with these seeds of the copy "
                                       "engine of vsm_device")
    guest = config.getoption("vsm_guest")
    if guest:
        config.pluginmanager.register(_Guest(config, guest), "vsm-guest")
    else:
        config.pluginmanager.register(_Host(config), "vsm-host")


# --- fixtures --------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vsm_seed" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("vsm_seeds")
    seeds = list(marker.args[0]) if marker else metafunc.config.getoption("vsm_seeds")
    if seeds is not None:
        metafunc.parametrize("vsm_seed", seeds, indirect=True, ids=[f"seed{s}" for s in seeds])


@pytest.fixture
def vsm_seed(request: pytest.FixtureRequest) -> int:
    """The seed of the copy engine of ``vsm_device``; 0 without ``vsm_seeds``."""
    return int(getattr(request, "param", 0))


@pytest.fixture
def vsm_device(request: pytest.FixtureRequest, vsm_seed: int) -> Iterator[Device]:
    """An open :class:`vsm.Device`, whose copy engine has the seed ``vsm_seed``. Everything that is
    made from it is closed at the end of the test."""
    import vsm  # pylint: disable=import-outside-toplevel
    from vsm.trace import Recorder  # pylint: disable=import-outside-toplevel

    if not has_device():
        if request.config.getoption("vsm_guest"):
            pytest.fail("there is no vsm device in the virtual machine")
        if request.config.getoption("vsm_vm") != "never":
            pytest.fail("there is no vsm device. A test must name vsm_device as an argument to run "
                        "in a virtual machine: getfixturevalue() is too late")
        pytest.skip("there is no vsm device, and --vsm-vm=never")
    with vsm.Device() as device:
        if request.config.getoption("vsm_timeline"):
            device.trace_events = TIMELINE_EVENTS
            device.recorder = Recorder(request.node.nodeid)
        before = device.model(shuffle_seed=vsm_seed) if vsm_seed else {}
        try:
            yield device
        finally:
            if before:
                device.model(**before)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    device = getattr(item, "funcargs", {}).get("vsm_device")
    folder = item.config.getoption("vsm_timeline")
    if report.when == "call" and report.failed and device and folder:
        for path in _write_timeline(device, folder, item.nodeid, report.longreprtext):
            report.sections.append((TIMELINE, path))


# The test that each file name belongs to: the names of several tests may have the same letters.
_bases: Dict[str, str] = {}


def _write_timeline(device: Device, folder: str, name: str, note: str) -> List[str]:
    """Write what has happened in a test. Returns the paths of the files."""
    os.makedirs(folder, exist_ok=True)
    recordings = [device.recording(name)] + (device.recorder.launches if device.recorder else [])
    stem = base = os.path.join(folder, re.sub(r"[^\w.-]+", "-", name).strip("-")[-200:])
    number = 1
    while _bases.setdefault(base, name) != name:
        number += 1
        base = f"{stem}.{number}"
    paths: List[str] = []
    for recording in recordings:
        if recording.count:
            recording.note = recording.note or note.rpartition("\n")[2]
            path = f"{base}{f'-{len(paths)}' if paths else ''}.trace"
            recording.write(path)
            paths.append(path)
    return paths


def has_device() -> bool:
    """Whether the machine has a device. A device that cannot be opened counts: the test says why."""
    import vsm  # pylint: disable=import-outside-toplevel

    try:
        return bool(vsm.devices())
    except OSError:
        return True


# --- the virtual machine -----------------------------------------------------------


def runner(config: pytest.Config) -> Optional[str]:
    """The program that runs a command in a virtual machine: that of --vsm-runner or VSM_VM_RUN, that
    of the source tree that the package is in, or vsm-vm in PATH."""
    given = config.getoption("vsm_runner") or os.environ.get("VSM_VM_RUN")
    if given:
        return str(given)
    tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/vm/run")
    return os.path.normpath(tree) if os.access(tree, os.X_OK) else shutil.which("vsm-vm")


class _Guest:
    """In the virtual machine: runs the tests that the host names, and writes their reports."""

    def __init__(self, config: pytest.Config, folder: str) -> None:
        self.config = config
        with open(os.path.join(folder, "items"), encoding="utf-8") as file:
            self.wanted: List[str] = json.load(file)
        self.reports = open(os.path.join(folder, "reports"), "w", encoding="utf-8")

    def _write(self, data: Any) -> None:
        self.reports.write(json.dumps(data, default=str) + "\n")
        self.reports.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[nodeid] for nodeid in self.wanted if nodeid in found]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write(self.config.hook.pytest_report_to_serializable(config=self.config,
                                                                   report=report))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._write({"finished": nodeid})

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, None]:
        yield
        # Other plugins may have changed it.
        self._write({"exit": int(session.exitstatus)})


class _Machine:
    """A virtual machine that runs tests."""

    def __init__(self, config: pytest.Config, nodeids: Sequence[str], failures_left: int) -> None:
        self.config = config
        self.timeline: Optional[str] = config.getoption("vsm_timeline")
        self.out = tempfile.mkdtemp(prefix="vsm-pytest.")
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.reports: Dict[str, List[Any]] = {}
        self.finished: Set[str] = set()
        # Status of pytest in the virtual machine, as it says itself.
        self.status: Optional[int] = None
        self.file: Optional[TextIO] = None
        self.line = ""
        self.error = ""
        with open(os.path.join(self.out, "items"), "w", encoding="utf-8") as file:
            json.dump(list(nodeids), file)
        program = runner(config)
        if not program:
            self.error = "there is no vsm device, and no vsm-vm to run a virtual machine that has " \
                "one. --vsm-vm=never skips the tests that need a device"
            return
        command = [program, "--no-stdin", "--timeout", str(VM_SECONDS), "--out", self.out]
        if config.getoption("vsm_kernel"):
            command += ["--kernel", config.getoption("vsm_kernel")]
        command += shlex.split(config.getoption("vsm_vm_args"))
        command += ["--", sys.executable, "-m", "pytest", *map(str, config.invocation_params.args),
                    f"--rootdir={config.rootpath}", f"--vsm-guest={self.out}",
                    f"--maxfail={failures_left}"]
        if self.timeline:
            command += [f"--vsm-timeline={self.out}/timeline"]
        with open(os.path.join(self.out, "log"), "wb") as log:
            try:
                self.process = subprocess.Popen(command, cwd=config.invocation_params.dir,
                                                stdout=log, stdin=subprocess.DEVNULL,
                                                stderr=subprocess.STDOUT)
            except OSError as error:
                self.error = str(error)

    def _read(self) -> None:
        """Read what the guest has written since the last call."""
        path = os.path.join(self.out, "reports")
        if self.file is None:
            if not os.path.exists(path):
                return
            self.file = open(path, encoding="utf-8")
        self.line += self.file.read()
        *lines, self.line = self.line.split("\n")
        for line in lines:
            data = json.loads(line)
            if "finished" in data:
                self.finished.add(data["finished"])
            elif "exit" in data:
                self.status = data["exit"]
            else:
                self.reports.setdefault(data["nodeid"], []).append(data)

    def reports_of(self, item: pytest.Item) -> List[pytest.TestReport]:
        """Wait until a test has ended, and return its reports."""
        while item.nodeid not in self.finished:
            ended = self.process is None or self.process.poll() is not None
            self._read()
            if item.nodeid in self.finished:
                break
            if ended:
                return [self._lost(item)]
            # Another machine writes the file: nothing tells this process about it.
            time.sleep(0.05)
        return [self._report(data) for data in self.reports[item.nodeid]]

    def _report(self, data: Any) -> pytest.TestReport:
        there = os.path.join(self.out, "timeline")
        for section in data["sections"]:
            if section[0] == TIMELINE and self.timeline:
                path = os.path.join(self.timeline, os.path.basename(section[1]))
                os.makedirs(self.timeline, exist_ok=True)
                shutil.move(os.path.join(there, os.path.basename(section[1])), path)
                section[1] = path
        if isinstance(data["longrepr"], list):
            # The place and the reason of a skip, of which JSON has made a list.
            data["longrepr"] = tuple(data["longrepr"])
        report: pytest.TestReport = self.config.hook.pytest_report_from_serializable(
            config=self.config, data=data)
        return report

    def log(self) -> str:
        """The end of what the runner and pytest in the virtual machine have printed."""
        with open(os.path.join(self.out, "log"), encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-VM_LINES:])

    def _lost(self, item: pytest.Item) -> pytest.TestReport:
        """The report of a test that the virtual machine has not run to its end."""
        text = self.error
        if self.process:
            text = f"the virtual machine ended with status {self.process.returncode} before this " \
                f"test had ended. {shlex.join(self._command())} printed in the end:\n{self.log()}"
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "setup")

    def _command(self) -> List[str]:
        assert self.process and isinstance(self.process.args, list)
        return [str(word) for word in self.process.args[:1]]

    def end(self, wait: bool) -> Optional[str]:
        """End the virtual machine. Returns why it has failed, if it has."""
        failure = None
        if self.process:
            if not wait:
                self.process.terminate()
            status = self.process.wait()
            self._read()
            # pytest in the virtual machine ends with 0 or 1, and with 2 after --maxfail. The runner
            # passes this on, but has the same numbers for failures of its own.
            if wait and (status != self.status or status not in (0, 1, 2)):
                there = "no status" if self.status is None else f"status {self.status}"
                failure = f"it ended with status {status}, and pytest in it with {there}\n" \
                    f"{self.log()}"
        if self.file:
            self.file.close()
        shutil.rmtree(self.out, ignore_errors=True)
        return failure


class _Host:
    """On this machine: sends tests to the virtual machine, and takes their reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.machine: Optional[_Machine] = None
        self.remote: List[str] = []
        self.done: Set[str] = set()
        self.failure: Optional[str] = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        """Tests for the virtual machine run after all others. Fixtures of modules and of the session
        are then not torn down and set up again between them."""
        which = self.config.getoption("vsm_vm")
        remote = [item for item in items if "vsm_device" in getattr(item, "fixturenames", ())]
        if not remote or which == "never" or (which == "auto" and has_device()):
            return
        self.remote = [item.nodeid for item in remote]
        items[:] = [item for item in items if item not in remote] + remote

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Optional[bool]:
        if item.nodeid not in self.remote:
            return None
        if not self.machine:
            limit = self.config.getoption("maxfail")
            self.machine = _Machine(self.config, self.remote,
                                    limit and limit - item.session.testsfailed)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.machine.reports_of(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.done.add(item.nodeid)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.machine:
            return
        # Without all results, the session was stopped: the virtual machine need not go on.
        self.failure = self.machine.end(wait=self.done == set(self.remote))
        if self.failure and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.failure:
            terminalreporter.section("the virtual machine of vsm has failed", red=True)
            terminalreporter.line(self.failure)

    def pytest_report_collectionfinish(self) -> List[str]:
        return [f"vsm: {len(self.remote)} run in a virtual machine ({runner(self.config)})"] \
            if self.remote else []

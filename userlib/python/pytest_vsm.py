# SPDX-License-Identifier: MIT
"""A plugin for pytest: the fixtures ``vsm_device`` and ``vsm_seed``.

Where a machine has no vsm device, the tests that use ``vsm_device`` run in a virtual machine, with the
same options of pytest, and their results come back. pytest in the virtual machine runs one test after
another, as this machine asks for them. The manual describes the options.

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
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Iterator, List, Optional, Set, TextIO

import pytest

if TYPE_CHECKING:
    from vsm import Device

# Events that the flight recorder of each cluster keeps for the timeline of a test that fails.
TIMELINE_EVENTS = 1 << 14

# Seconds that the virtual machine may run, besides the limits of its tests, unless --vsm-vm-args says
# something else.
VM_SECONDS = 3600

# Default of --vsm-timeout.
TEST_SECONDS = 300

# Seconds for `vsm ps --why`, and for the end of a test in the virtual machine after that.
PS_SECONDS = 30
END_SECONDS = 60

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
                    help="program to use as vsm-vm (default: VSM_VM_RUN, or tools/vm/run of the source tree, "
                         "or vsm-vm in PATH)")
    group.addoption("--vsm-timeout", metavar="S", type=float, default=TEST_SECONDS,
                    help="seconds that a test that uses vsm_device may take, and as many for its setup "
                         "and its teardown; 0: no limit (default: %(default)s)")
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
    if config.getoption("vsm_guest"):
        guest = _Guest(config, config.getoption("vsm_guest"))
        config.pluginmanager.register(guest, "vsm-guest")
        config.pluginmanager.register(_Timer(config, guest.write), "vsm-timer")
        # For pytest-xdist: only the machine outside has workers.
        config.option.dist, config.option.tx = "no", []
    else:
        config.pluginmanager.register(_Host(config), "vsm-host")
        config.pluginmanager.register(_Timer(config), "vsm-timer")


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

    number = device_number(request.config)
    if number is None:
        if request.config.getoption("vsm_guest"):
            pytest.fail("there is no vsm device in the virtual machine")
        if request.config.getoption("vsm_vm") != "never":
            pytest.fail("there is no vsm device. A test must name vsm_device as an argument to run "
                        "in a virtual machine: getfixturevalue() is too late")
        pytest.skip("there is no vsm device, and --vsm-vm=never")
    with vsm.Device(number) as device:
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


def device_number(config: pytest.Config) -> Optional[int]:
    """The number of the device for the tests of this process. Each worker of pytest-xdist gets a device
    of its own. Without a virtual machine, workers share devices if there are too few."""
    import vsm  # pylint: disable=import-outside-toplevel

    try:
        numbers = vsm.devices()
    except OSError:
        return 0    # it cannot be opened, and the test says why
    worker = int(re.sub(r"\D", "", worker_name(config)) or 0)
    if numbers and config.getoption("vsm_vm") == "never":
        worker %= len(numbers)
    return numbers[worker] if worker < len(numbers) else None


def worker_name(config: pytest.Config) -> str:
    """The name that pytest-xdist has given to this process, such as gw0."""
    return str(getattr(config, "workerinput", {}).get("workerid", ""))


# --- the time limit -----------------------------------------------------------------


def uses_device(item: Any) -> bool:
    return "vsm_device" in getattr(item, "fixturenames", ())


def waits() -> str:
    """What `vsm ps --why` of the source tree that the package is in, or of PATH, prints."""
    command = [of_tree("build/tools/vsm") or "vsm", "ps", "--why"]
    try:
        text = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PS_SECONDS, check=False).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"`vsm ps --why` does not say what it waits for: {error}"
    return "`vsm ps --why` says:\n" + text.decode(errors="replace").rstrip()


class _Timer:
    """Makes tests that use vsm_device fail if they take too long, and says who waits for what.

    A thread asks `vsm ps` while the test waits. Then it interrupts the test with a signal."""

    def __init__(self, config: pytest.Config, write: Callable[[Any], None] = lambda data: None) -> None:
        self.default = self.limit = float(config.getoption("vsm_timeout"))
        self.write = write
        self.over = threading.Event()

    def _limited(self, item: pytest.Item) -> Generator[None, None, None]:
        main = threading.main_thread()
        if not self.limit or not uses_device(item) or threading.current_thread() is not main:
            yield
            return
        limit, over, why = self.limit, threading.Event(), []

        def expire() -> None:
            why.append(f"{item.nodeid} has not ended after {limit:g} s. {waits()}")
            if not over.is_set():
                self.write({"hangs": item.nodeid, "why": why[0]})
                signal.pthread_kill(main.ident or 0, signal.SIGALRM)

        def interrupt(*_: Any) -> None:
            # The test may have ended since the thread has looked.
            if why and not over.is_set():
                over.set()
                pytest.fail(why[0])

        self.over = over
        self.write({"limit": limit})
        timer = threading.Timer(limit, expire)
        timer.daemon = True
        before = signal.signal(signal.SIGALRM, interrupt)
        timer.start()
        try:
            yield
        finally:
            over.set()
            timer.cancel()
            timer.join()
            signal.signal(signal.SIGALRM, before)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._limited(item)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._limited(item)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._limited(item)

    def pytest_enter_pdb(self) -> None:
        self.over.set()

    # The time limits of pytest-timeout count here as well. Its own signal would come while this machine
    # waits for the virtual machine, and no test of this machine would be there to fail.
    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> Optional[bool]:
        if not uses_device(item):
            return None
        self.limit = settings.timeout
        return True

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> Optional[bool]:
        self.limit = self.default
        return True if uses_device(item) else None


# --- the virtual machine -----------------------------------------------------------


def runner(config: pytest.Config) -> Optional[str]:
    """The program that runs a command in a virtual machine: that of --vsm-runner or VSM_VM_RUN, that
    of the source tree that the package is in, or vsm-vm in PATH."""
    given = config.getoption("vsm_runner") or os.environ.get("VSM_VM_RUN")
    if given:
        return str(given)
    return of_tree("tools/vm/run") or shutil.which("vsm-vm")


def of_tree(name: str) -> Optional[str]:
    """The path of a program of the source tree that the package is in, if it is in one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", name)
    return os.path.normpath(path) if os.access(path, os.X_OK) else None


class _Guest:
    """In the virtual machine: runs the tests that the host asks for, and writes their reports."""

    def __init__(self, config: pytest.Config, folder: str) -> None:
        self.config = config
        self.folder = folder
        self.reports = open(os.path.join(folder, "reports"), "w", encoding="utf-8")

    def write(self, data: Any) -> None:
        # In one piece, because the thread of the time limit writes as well.
        self.reports.write(json.dumps(data, default=str) + "\n")
        self.reports.flush()

    def _requests(self) -> Iterator[List[Optional[str]]]:
        """The names of the next test and of the one after it, until the host asks for no more."""
        number = 0
        while True:
            path = os.path.join(self.folder, f"request-{number}")
            # The host creates each file in one step. Nothing tells this machine about it.
            while not os.path.exists(path):
                time.sleep(0.01)
            with open(path, encoding="utf-8") as file:
                names: List[Optional[str]] = json.load(file)
            if not names[0]:
                return
            yield names
            number += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        found: Dict[Optional[str], pytest.Item] = {item.nodeid: item for item in session.items}
        self.write({"booted": True})
        for name, after in self._requests():
            if name not in found:
                pytest.exit(f"pytest in the virtual machine has not found {name}", 1)
            self.write({"started": name})
            self.config.hook.pytest_runtest_protocol(item=found[name], nextitem=found.get(after))
            self.write({"finished": name})
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.write(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, None]:
        yield
        # Other plugins may have changed it.
        self.write({"exit": int(session.exitstatus)})


class _Machine:
    """A virtual machine that runs tests."""

    def __init__(self, config: pytest.Config, count: int) -> None:
        """Boot it. It will run at most @count tests."""
        self.config = config
        self.timeline: Optional[str] = config.getoption("vsm_timeline")
        self.out = tempfile.mkdtemp(prefix="vsm-pytest.")
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.requests = 0
        self.name = ""                  # the test that runs now
        self.reports: List[Any] = []    # what it has reported
        self.started = False            # whether the machine has begun it
        self.idle = False               # whether the machine waits for a request
        self.ran = 0                    # number of tests that have ended
        # The time limit of this test, and why it has not kept it.
        self.limit = 0.0
        self.why: Optional[str] = None
        # Status of pytest in the virtual machine, as it says itself.
        self.status: Optional[int] = None
        self.file: Optional[TextIO] = None
        self.line = ""
        self.error = ""
        program = runner(config)
        if not program:
            self.error = "there is no vsm device, and no vsm-vm to run a virtual machine that has " \
                "one. --vsm-vm=never skips the tests that need a device"
            return
        limit = config.getoption("vsm_timeout")
        seconds = VM_SECONDS + 3 * count * limit if limit else 0
        command = [program, "--no-stdin", "--timeout", f"{seconds:.0f}", "--out", self.out]
        if config.getoption("vsm_kernel"):
            command += ["--kernel", config.getoption("vsm_kernel")]
        command += shlex.split(config.getoption("vsm_vm_args"))
        command += ["--", sys.executable, "-m", "pytest", *map(str, config.invocation_params.args),
                    f"--rootdir={config.rootpath}", f"--vsm-guest={self.out}"]
        if self.timeline:
            command += [f"--vsm-timeline={self.out}/timeline"]
        with open(os.path.join(self.out, "log"), "wb") as log:
            try:
                self.process = subprocess.Popen(command, cwd=config.invocation_params.dir,
                                                stdout=log, stdin=subprocess.DEVNULL,
                                                stderr=subprocess.STDOUT)
            except OSError as error:
                self.error = str(error)

    def _request(self, *names: Optional[str]) -> None:
        path = os.path.join(self.out, f"request-{self.requests}")
        self.requests += 1
        try:
            # The machine may have put a link there.
            with open(path + ".new", "x", encoding="utf-8") as file:
                json.dump(names, file)
            os.rename(path + ".new", path)
        except OSError as error:
            self._lose(str(error))

    def _lose(self, why: str) -> None:
        """End a machine whose files are not those of this plugin."""
        self.error = self.error or f"the virtual machine was ended: {why}"
        self.idle = False
        if self.process:
            self.process.terminate()

    def _read(self) -> bool:
        """Read what the guest has written since the last call. Returns whether there was something."""
        path = os.path.join(self.out, "reports")
        if self.error or not os.path.exists(path):
            return False
        if self.file is None:
            self.file = open(path, encoding="utf-8", errors="replace")
        self.line += self.file.read()
        *lines, self.line = self.line.split("\n")
        for line in lines:
            try:
                data = dict(json.loads(line))
            except (TypeError, ValueError) as error:
                self._lose(f"it has written a report that is none: {error}")
                return False
            self.started |= "started" in data
            self.idle |= "booted" in data or "finished" in data
            self.limit = data.get("limit", self.limit)
            self.why = data.get("why", self.why)
            self.status = data.get("exit", self.status)
            if "nodeid" in data:
                self.reports.append(data)
        return bool(lines)

    def await_idle(self) -> bool:
        """Wait until it has booted, or until the test has ended. Returns whether that has happened."""
        heard = time.monotonic()
        while not self.idle:
            ended = self.process is None or self.process.poll() is not None
            if self._read():
                heard = time.monotonic()
            elif ended:
                break
            elif self.limit and time.monotonic() > heard + self.limit + PS_SECONDS + END_SECONDS:
                self.why = self.why or f"{self.name} has not ended after {self.limit:g} s, and the " \
                    "virtual machine does not answer"
                break
            else:
                # Another machine writes the file: nothing tells this process about it.
                time.sleep(0.01)
        return self.idle

    def run(self, name: str, after: Optional[str]) -> None:
        """Run a test, until it has ended or the machine has."""
        self.name, self.reports, self.limit = name, [], 0.0
        self.started = self.idle = False
        self._request(name, after)
        self.ran += self.await_idle()

    def reports_of(self, item: pytest.Item) -> List[pytest.TestReport]:
        """The reports of the test that has run."""
        reports = [self._report(data) for data in self.reports]
        if not self.idle:
            called = any(report.when == "call" for report in reports)
            reports.append(self.lost(item, "teardown" if called else "call"))
        return reports

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

    def lost(self, item: pytest.Item, when: Any) -> pytest.TestReport:
        """The report of a test that the virtual machine has not run to its end."""
        text = self.why or self.error
        if self.why:
            text += "\nThe test could not be interrupted. Its virtual machine was ended."
        elif self.process and not self.error:
            program = shlex.join([str(word) for word in self.process.args[:1]])  # type: ignore[index]
            text = f"the virtual machine ended with status {self.process.returncode} before this " \
                f"test had ended. {program} printed in the end:\n{self.log()}"
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, when)

    def end(self) -> Optional[str]:
        """End the virtual machine. Returns why it has failed, if it has."""
        failure = None
        wait = self.idle and self.why is None
        if self.process:
            if wait:
                self._request(None, None)
            else:
                self.process.terminate()
            status = self.process.wait()
            self._read()
            # pytest in the virtual machine ends with 0 or 1. The runner passes this on, but has the
            # same numbers for failures of its own.
            if wait and (status != self.status or status not in (0, 1)):
                there = "no status" if self.status is None else f"status {self.status}"
                failure = f"it ended with status {status}, and pytest in it with {there}\n" \
                    f"{self.log()}"
        if self.file:
            self.file.close()
        shutil.rmtree(self.out, ignore_errors=True)
        return failure


class _Host:
    """On this machine: sends tests to virtual machines, and takes their reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.machine: Optional[_Machine] = None
        self.remote: Set[pytest.Item] = set()
        # Whether the machine has ended without a test. Another one would do so, too.
        self.useless = False
        self.failures: List[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        """Tests for the virtual machine run after all others. Fixtures of modules and of the session
        are then not torn down and set up again between them. All workers of pytest-xdist must have the
        same order, also those that have a device."""
        which = self.config.getoption("vsm_vm")
        remote = [item for item in items if uses_device(item)]
        if not remote or which == "never":
            return
        here = which == "auto" and device_number(self.config) is not None
        if not here:
            self.remote = set(remote)
        if not here or worker_name(self.config):
            items[:] = [item for item in items if not uses_device(item)] + remote

    def _name(self, item: Optional[pytest.Item]) -> Optional[str]:
        """The name of a test in the virtual machine, if it runs there."""
        if item not in self.remote or not item:
            return None
        # Workers of pytest-xdist append the name of a group.
        grouped = getattr(self.config.option, "loadgroup", False) and \
            item.get_closest_marker("xdist_group")
        return item.nodeid.rpartition("@")[0] if grouped else item.nodeid

    def _boot(self) -> _Machine:
        """Wait until there is a virtual machine that has booted, or that will not."""
        if not self.machine:
            terminal: Any = self.config.pluginmanager.getplugin("terminalreporter")
            if terminal and terminal.verbosity >= 0:
                terminal.write_line("vsm: booting a virtual machine")
            self.machine = _Machine(self.config, len(self.remote))
            self.machine.await_idle()
        return self.machine

    def _leave(self, machine: _Machine) -> None:
        failure = machine.end()
        if failure:
            self.failures.append(failure)
        self.machine = None

    def _run(self, item: pytest.Item, nextitem: Optional[pytest.Item]) -> List[pytest.TestReport]:
        """Run a test in a virtual machine. Returns its reports."""
        name = self._name(item)
        assert name
        while not self.useless:
            machine = self._boot()
            machine.run(name, self._name(nextitem))
            if machine.started:
                reports = machine.reports_of(item)
                if not machine.idle or machine.why:
                    # What the test has left behind must not disturb the others.
                    self._leave(machine)
                return reports
            if not machine.ran:
                self.useless = True
                break
            why = machine.error or "it ended after a test"
            self.failures.append(f"{why}, before {name}\n{machine.log()}")
            self._leave(machine)
        assert self.machine
        return [self.machine.lost(item, "setup")]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item,
                                nextitem: Optional[pytest.Item]) -> Optional[bool]:
        if item not in self.remote:
            return None
        self._boot()
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._run(item, nextitem):
            report.nodeid = item.nodeid
            item.ihook.pytest_runtest_logreport(report=report)
        # The test before this one may have run here, and its fixtures may have waited for this one.
        state: Any = item.session._setupstate  # pylint: disable=protected-access

        def tear_down() -> None:
            state.teardown_exact(nextitem)

        call = pytest.CallInfo.from_call(tear_down, "teardown")
        if call.excinfo:
            report = item.ihook.pytest_runtest_makereport(item=item, call=call)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.machine:
            self._leave(self.machine)
        if worker_name(self.config):
            self.config.workeroutput["vsm"] = self.failures  # type: ignore[attr-defined]
        if self.failures and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist has ended."""
        self.failures += getattr(node, "workeroutput", {}).get("vsm", [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for failure in self.failures:
            terminalreporter.section("the virtual machine of vsm has failed", red=True)
            terminalreporter.line(failure)

    def pytest_report_collectionfinish(self) -> List[str]:
        return [f"vsm: {len(self.remote)} run in a virtual machine ({runner(self.config)})"] \
            if self.remote else []

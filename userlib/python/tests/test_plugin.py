# SPDX-License-Identifier: MIT
"""Tests of the plugin for pytest, with a program in the place of vsm-vm."""

import fnmatch
import json
import os
import signal
import sys
import textwrap
import types

import pytest

import pytest_vsm
import vsm

# Runs the command on this machine, after BOOT=N seconds. With DIE_AT=N it ends like a virtual machine
# whose kernel panics, when N tests have begun. With STATUS=N it ends with this status.
RUNNER = f"#!{sys.executable}\n" + """
import json, os, signal, subprocess, sys, time
words = sys.argv[1:]
command = words[words.index("--") + 1:]
out = words[words.index("--out") + 1]
with open(os.environ["RUNS"], "a") as f:
    f.write(json.dumps(words) + "\\n")
print("booting")
sys.stdout.flush()
time.sleep(float(os.environ.get("BOOT", 0)))
if os.environ.get("DIE_AT") == "0":
    sys.exit(125)
guest = subprocess.Popen(command, env=dict(os.environ, IN_GUEST="1"))
signal.signal(signal.SIGTERM, lambda *_: (guest.kill(), sys.exit(143)))
if "DIE_AT" in os.environ:
    while guest.poll() is None:
        try:
            with open(out + "/reports") as f:
                if f.read().count('"started"') >= int(os.environ["DIE_AT"]):
                    break
        except OSError:
            pass
        time.sleep(0.01)
    guest.kill()
    guest.wait()
    print("Kernel panic - not syncing")
    sys.exit(125)
status = guest.wait()
sys.exit(int(os.environ.get("STATUS", status)))
"""

CONFTEST = """
import os, pytest

@pytest.fixture
def vsm_device():
    assert os.environ["IN_GUEST"] == "1"
    return "device"

@pytest.fixture(scope="session", autouse=True)
def session():
    yield
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Makes a folder with tests. Returns a function that runs pytest there."""
    program = pytester.path / "fake-vm"
    program.write_text(RUNNER, encoding="utf-8")
    program.chmod(0o755)
    pytester.makeconftest(CONFTEST)
    monkeypatch.setenv("RUNS", str(pytester.path / "runs"))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(text, *options, **env):
        pytester.makepyfile(test_it=textwrap.dedent(text))
        for name, value in env.items():
            monkeypatch.setenv(name, str(value))
        return pytester.runpytest_subprocess("-p", "pytest_vsm", "-p", "no:cacheprovider",
                                             "--vsm-vm=always", "--vsm-runner", program, *options)

    run.pytester = pytester
    run.calls = lambda: [json.loads(line) for line in
                         (pytester.path / "runs").read_text(encoding="utf-8").splitlines()]
    return run


MIXED = """
import os, pytest

def test_here():
    assert "IN_GUEST" not in os.environ

def test_passes(vsm_device):
    print("printed there")

def test_fails(vsm_device):
    print("before it failed")
    assert vsm_device == "something else"

def test_skips(vsm_device):
    pytest.skip("no reason")

@pytest.mark.xfail(reason="known")
def test_xfails(vsm_device):
    assert False

@pytest.mark.xfail(reason="known")
def test_xpasses(vsm_device):
    pass

@pytest.fixture
def broken(vsm_device):
    yield
    raise RuntimeError("teardown is broken")

def test_teardown(broken):
    pass

def test_also_here():
    pass
"""


def test_outcomes_come_back(project):
    result = project(MIXED)
    result.assert_outcomes(passed=4, failed=1, skipped=1, xfailed=1, xpassed=1, errors=1)
    result.stdout.fnmatch_lines([
        "*RuntimeError: teardown is broken*",
        "*_ test_fails _*",
        "*assert vsm_device == \"something else\"*",
        "E *AssertionError: assert 'device' == 'something else'",
        "test_it.py:*: AssertionError",
        "*Captured stdout call*",
        "before it failed",
    ])
    assert result.ret == 1
    assert len(project.calls()) == 1


def test_tests_for_the_machine_run_last_and_in_order(project):
    result = project(MIXED, "-v")
    names = [line.split()[0].partition("::")[2] for line in result.outlines
             if line.startswith("test_it.py::")]
    assert names[:2] == ["test_here", "test_also_here"]
    assert [n for i, n in enumerate(names[2:]) if n not in names[2:i + 2]] == [
        "test_passes", "test_fails", "test_skips", "test_xfails", "test_xpasses", "test_teardown"]


def test_fixture_of_this_machine_that_fails_after_tests_of_the_other(project):
    result = project("""
        import pytest
        @pytest.fixture(scope="module")
        def module():
            yield
            raise RuntimeError("teardown is broken")
        def test_here(module): pass
        def test_there(vsm_device): pass
    """)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*RuntimeError: teardown is broken*"])


def test_reason_of_a_skip_comes_back(project):
    project(MIXED, "-rs").stdout.fnmatch_lines(["SKIPPED*no reason"])


def test_machine_is_not_needed_without_its_tests(project):
    project(MIXED, "-k", "here").assert_outcomes(passed=2, deselected=6)
    assert not os.path.exists(os.environ["RUNS"])


def test_selection_is_that_of_the_host(project):
    project(MIXED, "-k", "passes and not x").assert_outcomes(passed=1, deselected=7)
    project(MIXED, "test_it.py::test_passes").assert_outcomes(passed=1)


def test_first_failure_ends_the_session(project):
    result = project("""
        def test_first(vsm_device): pass
        def test_second(vsm_device): assert 0
        def test_third(vsm_device): open("third", "w").close()
    """, "-x")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*stopping after 1 failures*"])
    assert not (project.pytester.path / "third").exists()
    assert "has failed" not in str(result.stdout)


def test_failure_here_counts_for_the_limit(project):
    result = project("""
        def test_first(): assert 0
        def test_second(vsm_device): assert 0
        def test_third(vsm_device): assert 0
        def test_fourth(vsm_device): assert 0
    """, "--maxfail=3")
    result.assert_outcomes(failed=3)


HANGS = """
    import time
    def test_first(vsm_device): pass
    def test_second(vsm_device):
        print("printed before")
        time.sleep(1000)
    def test_third(vsm_device): pass
"""


def test_panic_fails_only_the_test_that_runs(project):
    result = project(HANGS, "-v", DIE_AT=2)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["vsm: booting a virtual machine", "*test_first PASSED*",
                                 "*test_second FAILED*", "vsm: booting a virtual machine",
                                 "*test_third PASSED*",
                                 "the virtual machine ended with status 125 before this test had "
                                 "ended. *fake-vm printed in the end:", "booting",
                                 "*Kernel panic - not syncing"])
    assert result.ret == 1
    assert len(project.calls()) == 2


def test_machine_that_does_not_boot_is_tried_once(project):
    result = project(HANGS, DIE_AT=0)
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["*test_second*", "the virtual machine ended with status 125 before*"])
    assert len(project.calls()) == 1


def test_panic_between_two_tests_fails_the_session(project):
    project.pytester.makeconftest(CONFTEST + """
import pytest_vsm

def once(self, requests=pytest_vsm._Guest._requests):
    yield next(requests(self))
    os._exit(9)

pytest_vsm._Guest._requests = once
""")
    result = project("""
        def test_first(vsm_device): pass
        def test_second(vsm_device): pass
    """)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["it ended after a test, before test_it.py::test_second",
                                 "it ended with status 9, and pytest in it with no status"])
    assert result.ret == 1
    assert len(project.calls()) == 2


def test_test_that_the_machine_does_not_find(project):
    project.pytester.makeconftest(CONFTEST + """
def pytest_collection_modifyitems(items):
    if "IN_GUEST" in os.environ:
        del items[1]
""")
    result = project(HANGS.replace("time.sleep(1000)", "pass"), "-k", "not third")
    result.assert_outcomes(passed=1, errors=1, deselected=1)
    result.stdout.fnmatch_lines(["*has not found test_it.py::test_second*"])


# --- time limits -------------------------------------------------------------------


def test_hang_fails_one_test_which_is_named(project):
    result = project(HANGS, "-v", "--vsm-timeout=2", "--junitxml=results")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines([
        "*test_second FAILED*", "vsm: booting a virtual machine", "*test_third PASSED*",
        "*time.sleep(1000)", "E *Failed: test_it.py::test_second has not ended after 2 s. `vsm ps --why` *",
        "*Captured stdout call*", "printed before"])
    assert len(project.calls()) == 2
    assert "test_second has not ended after 2 s." in (project.pytester.path / "results").read_text()


@pytest.mark.parametrize("when, outcomes", [
    ("setup", {"passed": 1, "errors": 1}), ("teardown", {"passed": 2, "errors": 1})])
def test_hang_of_a_fixture_fails_one_test(project, when, outcomes):
    result = project(f"""
        import pytest, time
        @pytest.fixture
        def slow():
            {"time.sleep(1000)" if when == "setup" else ""}
            yield
            time.sleep(1000)
        def test_slow(vsm_device, slow): pass
        def test_other(vsm_device): pass
    """, "--vsm-timeout=2")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([f"*ERROR at {when} of test_slow*",
                                 "*test_it.py::test_slow has not ended after 2 s. *"])


def test_hang_that_no_signal_ends_ends_the_machine(project):
    project.pytester.makeconftest(CONFTEST + """
import pytest_vsm
pytest_vsm.PS_SECONDS = pytest_vsm.END_SECONDS = 2
""")
    text = """
        import signal, time
        def test_first(vsm_device):
            {}
            while True:
                try:
                    time.sleep(1000)
                except BaseException:
                    pass
        def test_second(vsm_device): pass
    """
    result = project(text.format(""), "--vsm-timeout=2")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["test_it.py::test_first has not ended after 2 s. `vsm ps --why` *",
                                 "The test could not be interrupted. Its virtual machine was ended."])
    # Not even the thread that looks at the time runs.
    result = project(text.format("import os; os.kill(os.getpid(), signal.SIGSTOP)"), "--vsm-timeout=2")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_first has not ended after 2 s, and the virtual machine does not *"])


def test_boot_counts_for_no_time_limit(project):
    project("def test_it(vsm_device): pass", "--vsm-timeout=2", BOOT=4).assert_outcomes(passed=1)


def test_limit_of_0_is_none(project):
    result = project("import signal\ndef test_it(vsm_device):\n"
                     "    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL", "--vsm-timeout=0")
    result.assert_outcomes(passed=1)
    words = project.calls()[0]
    assert words[words.index("--timeout") + 1] == "0"


@pytest.mark.parametrize("code, failed, why", [
    ("os.symlink('/dev/full', guest.folder + '/request-1.new')", 0, "*was ended: *File exists: *"),
    ("guest.write([1])", 1, "*was ended: it has written a report that is none: *")])
def test_wrong_files_of_the_machine_do_not_disturb_other_tests(project, code, failed, why):
    result = project(f"""
        import os
        def test_first(vsm_device, pytestconfig):
            guest = pytestconfig.pluginmanager.getplugin("vsm-guest")
            {code}
        def test_second(vsm_device): pass
    """)
    result.assert_outcomes(passed=2 - failed, failed=failed)
    result.stdout.fnmatch_lines([why])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


HERE = "import pytest\n@pytest.fixture\ndef vsm_device(): return 1\n"


def test_hang_on_a_machine_with_a_device(project):
    project.pytester.makeconftest(HERE)
    result = project(HANGS, "--vsm-timeout=2", "--vsm-vm=never")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_it.py::test_second has not ended after 2 s. `vsm ps --why` *"])


def test_debugger_has_no_time_limit(project):
    project.pytester.makeconftest(HERE)
    result = project("""
        import time
        def test_it(vsm_device, pytestconfig):
            pytestconfig.hook.pytest_enter_pdb(config=pytestconfig, pdb=None)
            time.sleep(3)
    """, "--vsm-timeout=1", "--vsm-vm=never")
    result.assert_outcomes(passed=1)


def test_thread_that_takes_no_signals_has_no_time_limit(project):
    project.pytester.makeconftest(HERE)
    project.pytester.makepyfile("def test_it(vsm_device): pass")
    result = project.pytester.runpython_c(
        "import threading, pytest\n"
        "threading.Thread(target=pytest.main, args=[['-ppytest_vsm', '--vsm-vm=never']]).start()")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("program, shown", [
    ("echo $0 $* | sed 's|/.*/||'; echo wrong >&2", "`vsm ps --why` says:\nvsm ps --why\nwrong"),
    ("sleep 1000", "`vsm ps --why` does not say what it waits for: *timed out after 2 seconds"),
    (None, "`vsm ps --why` does not say what it waits for: *No such file or directory: 'vsm'")],
    ids=["prints", "hangs", "missing"])
def test_report_has_what_vsm_ps_says(tmp_path, monkeypatch, program, shown):
    monkeypatch.setattr(pytest_vsm, "of_tree", lambda _: None)
    monkeypatch.setattr(pytest_vsm, "PS_SECONDS", 2)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if program else str(tmp_path))
    if program:
        (tmp_path / "vsm").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (tmp_path / "vsm").chmod(0o755)
    assert fnmatch.fnmatch(pytest_vsm.waits(), shown)


def test_limits_of_pytest_timeout_are_those_of_the_machine(project):
    pytest.importorskip("pytest_timeout")
    result = project(HANGS + """
    import pytest
    @pytest.mark.timeout(3)
    def test_marked(vsm_device): time.sleep(1000)
    def test_here(): time.sleep(1000)
    """, "--timeout=2", BOOT=4)
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(["*Failed: Timeout >2.0s", "*test_second has not ended after 2 s. *",
                                 "*test_marked has not ended after 3 s. *"])


# --- pytest-xdist ------------------------------------------------------------------


def test_each_worker_has_a_machine_of_its_own(project):
    pytest.importorskip("xdist")
    result = project("""
        import pytest, time
        @pytest.mark.parametrize("number", range(4))
        def test_it(vsm_device, number):
            if number == 2:
                time.sleep(1000)
    """, "-n2", "--vsm-timeout=2")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*test_it?2? has not ended after 2 s. *"])
    outs = {words[words.index("--out") + 1] for words in project.calls()}
    assert len(outs) == len(project.calls()) == 3


def test_complaint_of_the_kernel_of_a_worker_fails_the_session(project):
    pytest.importorskip("xdist")
    result = project("def test_it(vsm_device): pass", "-n1", STATUS=125)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["it ended with status 125, and pytest in it with status 0"])
    assert result.ret == 1


@pytest.mark.parametrize("dist", ["loadgroup", "loadscope"])
def test_workers_run_tests_of_both_kinds(project, dist):
    """loadscope gives a worker a module after another: tests of this machine after those of another."""
    pytest.importorskip("xdist")
    text = """
        import os, pytest
        @pytest.fixture(scope="module")
        def module():
            yield
            with open("ends", "a") as f:
                f.write(f"{__name__}\\n")
        def test_here(module): pass
        @pytest.mark.xdist_group("group")
        def test_there(vsm_device): assert os.environ["IN_GUEST"]
    """
    project.pytester.makepyfile(test_other=textwrap.dedent(text))
    result = project(text, "-n1", f"--dist={dist}")
    result.assert_outcomes(passed=4)
    assert sorted((project.pytester.path / "ends").read_text().split()) == ["test_it", "test_other"]


def test_each_worker_has_a_device_of_its_own(monkeypatch):
    def number(worker, which):
        config = types.SimpleNamespace(getoption=lambda _: which, workerinput={"workerid": worker})
        return pytest_vsm.device_number(config)

    monkeypatch.setattr(vsm, "devices", lambda: [3, 5])
    assert [number(f"gw{i}", "auto") for i in range(3)] == [3, 5, None]
    assert [number(f"gw{i}", "never") for i in range(3)] == [3, 5, 3]
    monkeypatch.setattr(vsm, "devices", lambda: [])
    assert number("gw0", "never") is None


# --- the end of the machine ----------------------------------------------------------


def test_complaint_of_the_kernel_fails_the_session(project):
    result = project("def test_it(vsm_device): pass", STATUS=125)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*the virtual machine of vsm has failed*",
                                 "it ended with status 125, and pytest in it with status 0"])
    assert result.ret == 1


@pytest.mark.parametrize("status", [1, 2, -9])
def test_status_of_the_runner_itself_fails_the_session(project, status):
    """The runner crashes after the last test, with a status that pytest may have, too."""
    result = project("def test_it(vsm_device): pass", STATUS=status)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"it ended with status {status % 256}, and pytest in it with "
                                 "status 0"])
    assert result.ret == 1


def test_pytest_that_does_not_end_fails_the_session(project):
    """pytest in the virtual machine is killed after the last test."""
    project.pytester.makeconftest(CONFTEST + """
def pytest_sessionfinish():
    if "IN_GUEST" in os.environ:
        os._exit(0)
""")
    result = project("def test_it(vsm_device): pass")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["it ended with status 0, and pytest in it with no status"])
    assert result.ret == 1


def test_environment_names_the_runner(project, monkeypatch):
    monkeypatch.setenv("VSM_VM_RUN", "/nonexistent")
    test = "def test_it(vsm_device): pass"
    project(test).assert_outcomes(passed=1)
    result = project(test, "--vsm-runner=")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*/nonexistent*"])


def test_runner_that_does_not_exist(project):
    result = project("def test_it(vsm_device): pass", "--vsm-runner", "/nonexistent")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*No such file or directory: '/nonexistent'"])


def test_options_of_the_machine(project):
    project("def test_it(vsm_device): pass", "--vsm-kernel", "6.12", "--vsm-vm-args",
            "--mem 2G --timeout 60").assert_outcomes(passed=1)
    words = project.calls()[0]
    assert words[words.index("--kernel") + 1] == "6.12"
    assert words[words.index("--mem"):words.index("--")] == ["--mem", "2G", "--timeout", "60"]


def test_never_skips(project):
    result = project.pytester.runpytest_subprocess
    project.pytester.makeconftest("")
    project.pytester.makepyfile("def test_it(vsm_device): pass")
    if vsm.devices():
        pytest.skip("there is a device")
    done = result("-p", "pytest_vsm", "--vsm-vm=never", "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*there is no vsm device, and --vsm-vm=never*"])


@pytest.mark.skipif(bool(vsm.devices()), reason="there is a device")
@pytest.mark.parametrize("text, reason", [
    ("def test_it(vsm_device): pass", "there is no vsm device in the virtual machine"),
    ("def test_it(request): request.getfixturevalue('vsm_device')",
     "there is no vsm device. A test must name vsm_device as an argument*")])
def test_missing_device_is_no_skip(project, text, reason):
    """The virtual machine has no device, or the test asks too late to run in one."""
    project.pytester.makeconftest("")
    result = project(text)
    result.assert_outcomes(errors="getfixturevalue" not in text, failed="getfixturevalue" in text)
    result.stdout.fnmatch_lines([f"*{reason}"])
    assert result.ret == 1


SEEDS = """
import pytest

def test_plain(vsm_seed):
    assert vsm_seed == 0

@pytest.mark.vsm_seeds(range(2, 4))
def test_marked(vsm_device, vsm_seed):
    assert vsm_seed in (2, 3)
"""


def test_seeds_are_parameters(project):
    result = project(SEEDS, "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*test_plain PASSED*", "*test_marked?seed2? PASSED*",
                                 "*test_marked?seed3? PASSED*"])


def test_seeds_of_the_option(project):
    result = project("def test_it(vsm_seed): assert vsm_seed in (0, 1, 2)", "--vsm-seeds=0..2")
    result.assert_outcomes(passed=3)
    result = project("def test_it(vsm_seed): assert vsm_seed == 7", "--vsm-seeds=7")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("text", ["x", "3..1", "1-3"])
def test_wrong_seeds_are_refused(project, text):
    result = project(SEEDS, f"--vsm-seeds={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*'{text}' is not A..B*"])


def test_timeline_comes_back(project):
    project.pytester.makeconftest("""
        import pytest, vsm
        from vsm.trace import Recorder

        class Device:
            recorder = Recorder("t")

            def recording(self, title):
                recording = vsm.Recording(title)
                recording.add_events(vsm.insn.ffi.new("struct drm_vsm_trace_event[]", 3))
                return recording

        @pytest.fixture
        def vsm_device():
            return Device()
    """)
    text = """
        def test_good(vsm_device): pass
        def test_bad(vsm_device): assert 0, "why"
    """
    result = project(text, "--vsm-timeline=lines")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*vsm timeline*", "lines/test_it.py-test_bad.trace"])
    path = project.pytester.path / "lines"
    assert os.listdir(path) == ["test_it.py-test_bad.trace"]
    data = (path / "test_it.py-test_bad.trace").read_bytes()
    assert data.startswith(b"VSMTRACE") and b"test_it.py::test_bad" in data


def test_interrupt_ends_the_machine(project):
    """Control-C ends pytest, and the program that runs the virtual machine."""
    pytester = project.pytester
    pytester.makepyfile(test_it="""
        import os, time
        def test_it(vsm_device):
            open(os.environ["RUNS"] + ".started", "w").close()
            time.sleep(1000)
    """)
    # A shell without job control lets programs in the background ignore the signal.
    process = pytester.popen([sys.executable, "-m", "pytest", "-p", "pytest_vsm",
                              "--vsm-vm=always", f"--vsm-runner={pytester.path}/fake-vm"],
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not os.path.exists(os.environ["RUNS"] + ".started"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.wait(timeout=300)
    assert process.returncode == pytest.ExitCode.INTERRUPTED


def test_timelines_of_tests_with_similar_names_stay_apart(tmp_path):
    class Recording:
        count, note = 1, ""

        def __init__(self, name):
            self.name = name

        def write(self, path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.name)

    class Device:
        recorder, recording = None, Recording

    names = ["test_it.py::test[a+b]", "test_it.py::test[a/b]", "test_it.py::test[a-b]"]
    paths = [pytest_vsm._write_timeline(Device(), str(tmp_path), name, "") for name in names]
    assert [open(path, encoding="utf-8").read() for path, in paths] == names
    assert pytest_vsm._write_timeline(Device(), str(tmp_path), names[1], "") == paths[1]

# SPDX-License-Identifier: MIT
"""A plugin for pytest that prints TAP, and nothing else."""

import pytest


class Tap:
    """Prints a line for each test when it has ended."""

    def __init__(self):
        self.count = 0
        self.about = ()

    def line(self, good, name, lines=()):
        self.count += 1
        for line in lines:
            print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {self.count} - python: {name}", flush=True)

    def pytest_collectreport(self, report):
        if report.failed:
            self.about += (report.nodeid, str(report.longrepr))

    def pytest_collection_finish(self, session):
        print(f"1..{len(session.items) + bool(self.about)}")
        if self.about:
            self.line(False, "the tests can be imported", "\n".join(self.about).splitlines())

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("/")[2].replace("#", " ")
        if report.failed and report.when == "teardown":
            print(f"Bail out! the teardown of {name} failed\n{report.longrepr}", flush=True)
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "xfail"
            self.line(True, f"{name} # SKIP {reason}")
        elif report.failed:
            self.line(False, name, report.longreprtext.splitlines() +
                      [f"{title}: {text}" for title, text in report.sections])
        elif report.when == "call":
            self.line(True, name)


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    config.pluginmanager.unregister(config.pluginmanager.getplugin("terminalreporter"))
    config.pluginmanager.register(Tap(), "vsm-tap")

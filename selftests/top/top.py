#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `vsm top` in a terminal, while programs use the device: top.py FOLDER

FOLDER is for temporary files. selftests/top/run.sh runs this program.
"""

import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from terminal import LIMIT, Terminal  # noqa: E402

VSM, PIPELINE = os.environ["VSM"], os.environ["PIPELINE"]

# Bytes that a channel moves in a second, and the bytes of the file, which are copied in and out.
BANDWIDTH = 1000000
SIZE = 4 << 20

# Two threads wait for each other. Each wait lasts for 4 s.
HANG = ("cluster threads=2\n"
        "0.0: mbarrier.init.shared.b64 [0x40], 1;\n" +
        "0.0-1& mbarrier.try_wait.parity.shared.b64 %p1, [0x40], 0, 4000000000;\n"
        "join 0.0-1\n" * 60 +
        "expect 0.0 %p1 == 0\n")

# Runs vsm top between two texts, and says how it has ended and whether the terminal is as before.
FRAMED = ('echo before; stty -g >{0}.before; {1} top -d 0.5 --color={2}; echo status $?; '
          'stty -g >{0}.after; cmp {0}.before {0}.after && echo restored; exec cat')

AMOUNT = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def amount(text):
    """Returns a number such as 1.2M."""
    match = re.fullmatch(r"([0-9.]+)([kMG]?)", text)
    assert match, f"'{text}' is no amount"
    return float(match[1]) * AMOUNT[match[2]]


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def row(lines, table, command):
    """Returns the cells of a row, by their titles, or None. Tables have different first titles."""
    titles = None
    for line in lines:
        words = line.split()
        if words and words[0] in ("CLIENT", "CLUSTER", "CHANNEL"):
            titles = words if words[0] == table else None
        elif titles and command in words:
            return dict(zip(titles, words))
    return None


@contextlib.contextmanager
def client(name):
    """A process of this name that has the device open and does nothing. Yields its number."""
    node = sorted(glob.glob("/dev/dri/renderD*"))[0]
    reads, writes = os.pipe()
    pid = os.fork()
    if not pid:
        with open("/proc/self/comm", "wb") as file:
            file.write(name)
        os.open(node, os.O_RDWR)
        os.close(writes)
        os.read(reads, 1)
        os._exit(0)
    try:
        yield pid
    finally:
        os.close(writes)
        os.waitpid(pid, 0)
        os.close(reads)


def pid_of(command):
    """Returns the newest process whose command line begins with these words."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            if file.read().split("\0")[:len(command)] == command:
                found.append(int(path.split("/")[2]))
    return max(found)


class Tests:
    """The tests. They run in the order in which they stand here, most with one vsm top."""

    def __init__(self, folder):
        self.folder = folder
        self.terminals = []
        self.programs = []
        self.rates = []
        self.source = os.path.join(folder, "in")
        with open(self.source, "wb") as file:
            file.truncate(SIZE)
        hang = os.path.join(folder, "hang.vsm")
        with open(hang, "w", encoding="ascii") as file:
            file.write(HANG)
        self.start(VSM, "run", hang)
        self.top = self.open("main")

    def start(self, *command):
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.programs.append(program)
        return program

    def open(self, name, color="always", **options):
        command = FRAMED.format(os.path.join(self.folder, name + ".tty"), VSM, color)
        terminal = Terminal(self.folder, name, command, **options)
        self.terminals.append(terminal)
        return terminal

    def close(self):
        for terminal in self.terminals:
            terminal.close()
        for program in self.programs:
            program.kill()
            program.wait()

    def row(self, table, command, holds=lambda cells: True):
        """Waits for a row for which holds(cells) is true."""
        def find(lines):
            cells = row(lines, table, command)
            return cells if cells and holds(cells) else None
        return self.top.wait(f"{table} has no such row of {command}", find)

    def test_a_cluster_that_hangs_is_marked(self):
        cells = self.row("CLUSTER", "vsm", lambda cells: cells["STATUS"] == "DEADLOCK")
        assert cells["THREADS"] == cells["WAIT"] == "2", cells
        assert cells["ARMED"] == cells["MEET"] == cells["EXIT"] == "0", cells
        self.top.wait_for("1 cluster (1 stuck), 2 waiting")

    def test_a_channel_that_copies_has_a_rate(self):
        self.record = self.start(VSM, "top", "--json", "-d", "0.5")
        # It is running when it has written a line.
        self.written = [self.record.stdout.readline()]
        self.stream = self.start(PIPELINE, self.source, os.path.join(self.folder, "out"))

        def both(lines):
            channel = row(lines, "CHANNEL", "vsm-pipeline")
            # A line of 80 columns lacks the last letter.
            cluster = row(lines, "CLUSTER", "vsm-pipelin")
            return (channel and cluster and channel["BYTES/S"] not in "-0" and
                    (channel, cluster))
        channel, cluster = self.top.wait("nothing is copied", both)
        assert amount(channel["BYTES/S"]) < 1.5 * BANDWIDTH, channel
        # Its cluster works, although it waits.
        assert cluster["STATUS"] not in ("DEADLOCK", "stuck"), cluster

    def test_its_client_has_rates(self):
        cells = self.row("CLIENT", "vsm-pipeline", lambda cells: cells["BYTES/S"] != "-")
        assert cells["PID"] == str(self.stream.pid), cells
        assert amount(cells["PHASES/S"]) > 0, cells
        assert int(cells["COPY%"]) > 0, cells
        assert cells["FAULTS"] == "0", cells
        # On a slow machine, the program may end before there are four samples.
        while cells and len(self.rates) < 4:
            self.rates.append(amount(cells["BYTES/S"]))
            clock = self.top.lines()[0].split()[2]
            lines = self.top.wait("the clock stands still", lambda lines:
                                  lines[0].split()[2] != clock and lines)
            cells = row(lines, "CLIENT", "vsm-pipeline")

    def test_its_rates_are_those_that_it_reports(self):
        text = self.stream.communicate(timeout=LIMIT)[0].decode()
        assert self.stream.returncode == 0, text
        # Each byte is copied in and out. On a busy machine the rate is not steady.
        expected = 2 * SIZE / float(re.search(r"time +([0-9.]+) s", text)[1])
        assert 0.5 < median(self.rates) / expected < 2, (self.rates, expected)
        self.record.send_signal(signal.SIGTERM)
        self.written += self.record.communicate()[0].splitlines()
        clients = [client for line in self.written for client in json.loads(line)["clients"]
                   if client["comm"] == "vsm-pipeline"]
        rates = [client["bytes_per_s"] for client in clients if client["bytes_per_s"]]
        assert len(rates) >= 3, rates
        assert 0.75 < sum(rates) / len(rates) / expected < 1.33, (rates, expected)
        assert 0 < clients[-1]["moved_bytes"] <= 2 * SIZE, clients[-1]
        assert clients[-1]["phases"] > 0, clients[-1]

    def test_a_program_that_ends_is_not_shown(self):
        self.top.wait_without("vsm-pipeline")

    def test_enter_says_why_it_hangs(self):
        self.top.keys("2", "Enter")
        self.top.wait_for("no thread runs, and nothing is in flight: nothing in this")
        self.top.wait_for("2 threads: warp 0 of CTA 0 waits for the phase of parity 0")
        self.top.keys("Escape")
        self.top.wait_for("COMMAND")

    def test_keys_sort(self):
        def begins(*names):
            def holds(lines):
                first = next(i for i, line in enumerate(lines) if line.startswith("CLIENT"))
                return [line.split()[-1] for line in lines[first + 1:first + 3]] == list(names)
            return holds
        with client(b"idle"):
            # By memory, which only the other one has.
            self.top.keys("1", "<", "<")
            self.top.wait("'<' does not sort", begins("vsm", "idle"))
            self.top.keys("r")
            self.top.wait("'r' does not reverse the order", begins("idle", "vsm"))
            self.top.keys("<")
            self.top.wait("'<' does not sort by the process", lambda lines:
                          not begins("idle", "vsm")(lines))

    def test_a_pause_keeps_what_is_shown(self):
        self.top.keys("p")
        self.top.wait_for("PAUSED")
        paused = self.top.lines()
        # Three intervals.
        time.sleep(1.5)
        assert self.top.lines() == paused, self.top.lines()
        self.top.keys("p")
        self.top.wait("the pause does not end", lambda lines: "every 0.5 s" in lines[0] and
                      lines[1:] != paused[1:])

    def test_the_interval_can_be_typed(self):
        self.top.keys("d", "0", ".", "4", "Enter")
        self.top.wait_for("every 0.4 s")

    def test_help_is_shown(self):
        self.top.keys("h")
        self.top.wait_for("Tab, 1 2 3")
        self.top.keys("q")
        self.top.wait_for("COMMAND")

    def test_a_smaller_terminal_shows_one_table(self):
        self.top.resize(40, 5)
        self.top.wait("the lines are not those of 40x5", lambda lines: len(lines) == 6 and
                      lines[1].startswith("CLIENT DEV     PID  MEMORY COPY% BYTES/") and
                      lines[4].startswith("q end") and max(map(len, lines)) <= 40)
        self.top.resize(100, 30)
        self.top.wait("the lines are not those of 100x30", lambda lines: len(lines) == 31 and
                      lines[29].startswith("q end") and
                      any(line.startswith("CHANNEL") for line in lines))

    def test_a_hostile_name_is_printable(self):
        with client(b"\x1b[2J\x1b[31mx\xff\x07") as pid:
            line = self.top.wait_for("?[2J?[31mx??")
            assert line.split()[2] == str(pid), line
        self.top.wait_without("?[2J")

    def test_another_user_sees_nothing(self):
        for node in glob.glob("/dev/dri/renderD*"):
            os.chmod(node, 0o666)
        shown = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534",
                                "--clear-groups", VSM, "top", "--json", "-n", "1", "-d", "0.1"],
                               check=True, stdout=subprocess.PIPE).stdout
        shown = json.loads(shown)
        assert shown["devices"] == 1, shown
        assert not (shown["clients"] or shown["clusters"] or shown["channels"]), shown

    def test_q_restores_the_terminal(self):
        self.top.keys("q")
        self.top.wait_for("status 0")
        self.top.wait_for("before")
        self.top.wait_for("restored")
        assert not any("COMMAND" in line for line in self.top.lines())

    def test_signals_restore_the_terminal(self):
        for number, name in ((signal.SIGTERM, "term"), (signal.SIGINT, "int")):
            terminal = self.open(name)
            terminal.wait_for("COMMAND")
            os.kill(pid_of([VSM, "top", "-d", "0.5"]), number)
            terminal.wait_for(f"status {128 + number}")
            terminal.wait_for("restored")

    def test_colours_are_an_option(self):
        terminal = self.open("colour")
        terminal.wait("there are no colours",
                      lambda lines: any("\x1b[36m" in line for line in lines), escapes=True)
        terminal = self.open("plain", color="auto", env={"NO_COLOR": "1"})
        terminal.wait_for("COMMAND")
        shown = terminal.lines(escapes=True)
        assert not any(re.search(r"\x1b\[[0-9;]*[34][0-8]", line) for line in shown), shown

    def test_it_needs_a_terminal(self):
        ended = subprocess.run([VSM, "top"], check=False, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert ended.returncode == 1 and b"--batch" in ended.stderr, ended
        terminal = Terminal(self.folder, "unknown", f"TERM=none {VSM} top; echo status $?; cat")
        self.terminals.append(terminal)
        terminal.wait_for("cannot use the terminal 'none'")
        terminal.wait_for("status 1")

    def test_batch_writes_each_sample(self):
        # Every 4 s the threads wait anew, and for a moment nothing says that they hang. Of a few
        # attempts, one is between two such moments.
        for _ in range(10):
            shown = subprocess.run([VSM, "top", "--batch", "-n", "2", "-d", "0.3"], check=True,
                                   stdout=subprocess.PIPE).stdout.decode()
            parts = shown.split("\n\n")
            assert len(parts) == 2 and all(part.startswith("vsm top 20") for part in parts), shown
            rows = [row(part.split("\n"), "CLUSTER", "vsm") for part in parts]
            if all(cells["STATUS"] == "DEADLOCK" and cells["WAIT"] == "2" for cells in rows):
                break
        else:
            raise AssertionError(shown)
        terminal = Terminal(self.folder, "few", f"{VSM} top -n 2 -d 0.2; echo status $?; cat")
        self.terminals.append(terminal)
        terminal.wait_for("status 0")

    def test_a_device_may_go_and_come_back(self):
        terminal = self.open("gone")
        terminal.wait_for("1 device, ")
        driver = "/sys/bus/platform/drivers/vsm/"
        with open(driver + "unbind", "w", encoding="ascii") as file:
            file.write("vsm.0")
        try:
            terminal.wait_for("no vsm device; 0 devices, ")
            ended = subprocess.run([VSM, "top", "--batch", "-n", "1"], check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert ended.returncode == 1 and b"no vsm device" in ended.stderr, ended
        finally:
            with open(driver + "bind", "w", encoding="ascii") as file:
                file.write("vsm.0")
        terminal.wait_for("1 device, ")
        terminal.wait_without("no vsm device")


def set_bandwidth(value):
    for path in glob.glob("/sys/kernel/debug/dri/*/vsm_copy/bandwidth"):
        with open(path, "w", encoding="ascii") as file:
            file.write(str(value))


def main():
    names = [name for name in Tests.__dict__ if name.startswith("test_")]
    print("KTAP version 1", flush=True)
    print(f"1..{len(names)}", flush=True)
    if not os.path.ismount("/sys/kernel/debug"):
        subprocess.run(["mount", "-t", "debugfs", "none", "/sys/kernel/debug"], check=True)
    set_bandwidth(BANDWIDTH)
    tests = Tests(sys.argv[1])
    failed = False
    try:
        for number, name in enumerate(names, 1):
            title = name.removeprefix("test_").replace("_", " ")
            try:
                getattr(tests, name)()
            except Exception as error:  # pylint: disable=broad-except
                failed = True
                print("\n".join("# " + line for line in f"{error!r}".replace("\\n", "\n")
                                .split("\n")))
                print(f"not ok {number} {title}", flush=True)
            else:
                print(f"ok {number} {title}", flush=True)
    finally:
        tests.close()
        set_bandwidth(0)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

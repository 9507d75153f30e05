# SPDX-License-Identifier: MIT
"""Further commands in a guest that runs: of other runners (--join), and of the guest's own."""

import glob
import json
import os
import select
import socket
import struct
import sys
import tempfile
import threading

from common import Failure, HERE, NAME, STATUS_FAILED, say
from terminal import Terminal

# What a runner and the runner of the guest send each other: a letter, the size of the data, the data.
# First the runner of the guest says which command it runs, and then the other one which command to
# begin, both in JSON. Then 'o' and 'e' are output, 'x' is a status, 'i' is what was typed, and 'w' the
# size of the terminal.
HEAD = struct.Struct("<cI")


def vsm_program():
    """Returns the path of the program vsm, of the source tree or of this installation, or None."""
    paths = (os.path.join(HERE, "../../build/tools/vsm"), os.path.join(HERE, "../../../bin/vsm"))
    return next((os.path.realpath(path) for path in paths if os.access(path, os.X_OK)), None)


def pack(kind, data=b""):
    return HEAD.pack(kind, len(data)) + data


def receive(connection):
    """Returns the letter and the data of what comes next, or (None, None) at the end."""
    def read(size):
        data = b""
        while len(data) < size:
            part = connection.recv(size - len(data))
            if not part:
                return None
            data += part
        return data

    try:
        head = read(HEAD.size)
        kind, size = HEAD.unpack(head) if head else (None, 0)
        data = read(size) if head and size <= 1 << 21 else None
    except OSError:
        data = None
    return (None, None) if data is None else (kind, data)


class Answer(Exception):
    """The command of Door.ask() has ended."""

    output = b""
    status = None


class Door:
    """The further commands of a guest. Each has a number."""

    def __init__(self, guest, folder, path):
        self.guest = guest
        self.folder = folder
        self.path = path
        self.count = 0
        self.lock = threading.Lock()
        self.connections = {}
        self.answers = {}

    def open(self):
        """Lets other runners of the caller in. A guest whose path is too long for a socket has no door."""
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(self.path)    # in a folder of which others have no right to read
        except OSError:
            return
        listener.listen()
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            connection = listener.accept()[0]
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def prepare(self, command, tty=False, folder=None, environment=None):
        """Describes a command for the agent. Returns its number."""
        with self.lock:
            self.count = self.count % 0xffff + 1
            number = self.count
        text = self.guest.describe(command, folder, environment) + (b"tty=1\0" if tty else b"")
        path = os.path.join(self.folder, f"join-{number}")
        with open(path, "wb") as f:
            f.write(text)
        return number

    def serve(self, connection):
        hello = {"pid": os.getpid(), "command": self.guest.command}
        try:
            connection.sendall(pack(b"h", json.dumps(hello).encode()))
        except OSError:
            return
        kind, data = receive(connection)
        if kind != b"j":
            return
        try:
            number = self.prepare(**json.loads(data))
        except Failure as failure:
            connection.sendall(pack(b"e", f"{NAME}: {failure}\n".encode()) +
                               pack(b"x", struct.pack("<i", STATUS_FAILED)))
            return
        # A runner that does not read must not keep the output of the guest's own command.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 10, 0))
        self.connections[number] = connection
        self.guest.send(b"j", number)
        while True:
            kind, data = receive(connection)
            if kind is None:
                break
            if kind == b"w":
                self.guest.send(b"w", number, *struct.unpack("<HH", data))
            for at in range(0, len(data) if kind == b"i" else 0, 4096):
                part = data[at:at + 4096]
                self.guest.send(b"i", number, len(part), 0, part)
        if self.connections.pop(number, None):
            self.guest.send(b"k", number)       # its runner has ended

    def ask(self, command):
        """Begins a command. take() raises the object that this returns, when the command has ended."""
        number = self.prepare(command)
        self.answers[number] = Answer()
        self.guest.send(b"j", number)
        return self.answers[number]

    def take(self, kind, data):
        """Takes the output, or the status, of a further command."""
        if kind == b"X":
            number, status = map(int, data.split())
        else:
            number, data = int.from_bytes(data[:2], "little"), data[2:]
        answer = self.answers.get(number)
        if answer:
            if kind == b"X":
                answer.status = status
                raise answer
            answer.output += data
            return
        connection = self.connections.get(number)
        if not connection:
            return
        try:
            connection.sendall(pack(kind.lower(), struct.pack("<i", status) if kind == b"X" else data))
        except OSError:
            self.connections.pop(number, None)
            connection.close()


def find(pid):
    """Returns connections to the guests of the caller: that of the runner @pid, or all if it is 0."""
    found = []
    for path in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), "vsm-vm.*", "door")):
        connection = socket.socket(socket.AF_UNIX)
        try:
            if os.stat(path).st_uid != os.getuid():
                continue
            connection.connect(path)
        except OSError:
            continue        # its runner was killed
        kind, data = receive(connection)
        hello = json.loads(data) if kind == b"h" else {}
        if hello and pid in (0, hello["pid"]):
            found.append((connection, hello))
    return found


def join(opts, command):
    """Runs a command in a guest that runs. Returns its status."""
    found = find(opts.join)
    if len(found) != 1:
        say("no virtual machine of yours runs" + (f" in process {opts.join}" if opts.join else "") if not found
            else "several virtual machines run: name one with --join=PID")
        for _, hello in found:
            say(f"  {hello['pid']}: {' '.join(hello['command'])}")
        return STATUS_FAILED
    connection = found[0][0]

    def resized(rows, columns):
        connection.sendall(pack(b"w", struct.pack("<HH", rows, columns)))

    terminal = Terminal(resized) if opts.shell else None
    wanted = {"command": command, "tty": bool(terminal), "folder": os.getcwd(),
              "environment": dict(os.environ)}
    connection.sendall(pack(b"j", json.dumps(wanted).encode()))
    if not terminal:
        return converse(connection, None)
    terminal.enter()
    try:
        return converse(connection, terminal)
    finally:
        terminal.leave()


def converse(connection, terminal):
    while True:
        ready = select.select([connection, *([0] if terminal else [])], [], [])[0]
        if 0 in ready:
            typed = os.read(0, 65536)
            if not typed or terminal.typed(typed):
                return STATUS_FAILED
            connection.sendall(pack(b"i", typed))
        if connection not in ready:
            continue
        kind, data = receive(connection)
        if kind is None:
            say("the virtual machine has ended")
            return STATUS_FAILED
        if kind == b"x":
            return struct.unpack("<i", data)[0]
        out = sys.stdout.buffer if kind == b"o" else sys.stderr.buffer
        out.write(data)
        out.flush()

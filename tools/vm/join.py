# SPDX-License-Identifier: MIT
"""Further commands in a guest that runs: of other runners (--join), and of the guest's own."""

import contextlib
import glob
import json
import os
import select
import socket
import struct
import tempfile
import threading

from common import Failure, HERE, NAME, STATUS_FAILED, pass_on, say, start_thread
from terminal import Terminal

# The two runners send each other messages: a letter, the size of the data, the data.
#   h     the guest's runner first: its process ID and command, in JSON
#   j     the joining runner then: the command to begin, in JSON
#   o, e  output; x  the status
#   i     what was typed; w  the size of the terminal
HEAD = struct.Struct("<cI")
LONGEST = 1 << 24       # JSON may be six times as long as the environment

# Seconds in which a runner must say what its guest runs.
HELLO = 5


def vsm_program():
    """Returns the path of the program vsm, of the source tree or of this installation, or None."""
    paths = (os.path.join(HERE, "../../build/tools/vsm"), os.path.join(HERE, "../../../bin/vsm"))
    return next((os.path.realpath(path) for path in paths if os.access(path, os.X_OK)), None)


def pack(kind, data=b""):
    return HEAD.pack(kind, len(data)) + data


def receive(connection):
    """Returns the letter and the data of what comes next, or (None, None) at the end."""
    data, size = b"", HEAD.size
    try:
        while len(data) < size <= LONGEST:
            part = connection.recv(size - len(data))
            if not part:
                return None, None
            data += part
            if len(data) == HEAD.size:
                size += HEAD.unpack(data)[1]
    except OSError:
        return None, None
    return (data[:1], data[HEAD.size:]) if len(data) == size else (None, None)


class Answer(Exception):
    """The command of Door.ask() has ended."""

    output = b""
    status = None


class Door:
    """The socket at which other runners ask for commands in a guest, and these commands. Each command has
    a number."""

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
        start_thread(self.accept, listener)

    def accept(self, listener):
        while True:
            connection = listener.accept()[0]
            start_thread(self.serve, connection)

    def prepare(self, command, tty=False, folder=None, environment=None):
        """Describes a command for the agent. Returns its number."""
        with self.lock:
            self.count = self.count % 0xffff + 1
            number = self.count
        text = self.guest.describe(command, folder, environment) + (b"tty=1\0" if tty else b"")
        with open(self.file(number), "wb") as f:
            f.write(text)
        return number

    def file(self, number):
        """The file for the agent. It exists until the command has ended."""
        return os.path.join(self.folder, f"join-{number}")

    def serve(self, connection):
        number = None
        try:
            # A runner that does not read must not keep the output of the guest's own command.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 10, 0))
            hello = {"pid": os.getpid(), "command": self.guest.command}
            connection.sendall(pack(b"h", json.dumps(hello).encode()))
            kind, data = receive(connection)
            if kind != b"j":
                return
            try:
                number = self.prepare(**json.loads(data))
            except (Failure, OSError) as failure:
                connection.sendall(pack(b"e", f"{NAME}: {failure}\n".encode()) +
                                   pack(b"x", struct.pack("<i", STATUS_FAILED)))
                return
            self.connections[number] = connection
            self.guest.send(b"j", number)
            while kind is not None:
                kind, data = receive(connection)
                if kind == b"w":
                    self.guest.send(b"w", number, *struct.unpack("<HH", data))
                for at in range(0, len(data) if kind == b"i" else 0, 4096):
                    part = data[at:at + 4096]
                    self.guest.send(b"i", number, len(part), 0, part)
        except OSError:
            pass        # its runner has ended
        finally:
            if self.connections.pop(number, None):
                self.guest.send(b"k", number)

    def ask(self, command):
        """Begins a command. take() raises the object that this returns, when the command has ended."""
        number = self.prepare(command)
        self.answers[number] = Answer()
        self.guest.send(b"j", number)
        return self.answers[number]

    def take(self, kind, data):
        """Takes the output, or the status, of a further command."""
        number, data = int.from_bytes(data[:2], "little"), data[2:]
        status = int.from_bytes(data[:1], "little")
        if kind == b"X":
            with contextlib.suppress(OSError):
                os.unlink(self.file(number))
        answer = self.answers.get(number)
        if answer:
            if kind == b"X":
                answer.status = status
                raise answer
            answer.output += data
            return
        connection = self.connections.pop(number, None) if kind == b"X" else self.connections.get(number)
        if not connection:
            return
        try:
            connection.sendall(pack(kind.lower(), struct.pack("<i", status) if kind == b"X" else data))
        except OSError:
            # serve(), which reads in a thread of its own, now sees the end.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def find(pid):
    """Returns connections to the guests of the caller: that of the runner @pid, or all if it is 0."""
    found = []
    for path in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), "vsm-vm.*", "door")):
        # Another user may have made a link to any socket of the caller.
        if os.path.islink(path) or os.path.islink(os.path.dirname(path)):
            continue
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(HELLO)
        try:
            connection.connect(path)
        except OSError:
            continue        # its runner was killed, or is stopped
        peer = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        kind, data = receive(connection) if peer[1] == os.getuid() else (None, None)
        connection.settimeout(None)
        hello = json.loads(data) if kind == b"h" else {}
        if hello and pid in (0, hello["pid"]):
            found.append((connection, hello))
    return found


def join(opts, command):
    """Runs a command in a guest that runs. Returns its status."""
    found = find(opts.join)
    if not found and opts.join:
        say(f"process {opts.join} is not the runner of a virtual machine of yours")
    elif not found:
        say("no virtual machine of yours runs")
    elif len(found) > 1:
        say("several virtual machines run: name one with --join=PID")
        for _, hello in found:
            # A command may have characters that control the terminal.
            say(f"  {hello['pid']}: {repr(' '.join(hello['command']))[1:-1]}")
    if len(found) != 1:
        return STATUS_FAILED
    connection, sending = found[0][0], threading.Lock()

    def send(kind, data):
        # If the guest has ended, converse() sees it.
        with contextlib.suppress(OSError), sending:
            connection.sendall(pack(kind, data))

    terminal = Terminal(lambda *size: send(b"w", struct.pack("<HH", *size))) if opts.shell else None
    wanted = {"command": command, "tty": bool(terminal), "folder": os.getcwd(),
              "environment": dict(os.environ)}
    send(b"j", json.dumps(wanted).encode())
    if not terminal:
        return converse(connection, None, send)
    terminal.enter()
    try:
        return converse(connection, terminal, send)
    finally:
        terminal.leave()


def converse(connection, terminal, send):
    while True:
        ready = select.select([connection, *([0] if terminal else [])], [], [])[0]
        if 0 in ready:
            typed = os.read(0, 65536)
            if not typed or terminal.typed(typed):
                return STATUS_FAILED
            send(b"i", typed)
        if connection not in ready:
            continue
        kind, data = receive(connection)
        if kind is None:
            raise Failure("the virtual machine has ended")
        if kind == b"x":
            return struct.unpack("<i", data)[0]
        pass_on(1 if kind == b"o" else 2, data)

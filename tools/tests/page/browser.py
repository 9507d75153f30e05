# SPDX-License-Identifier: MIT
"""Drives Chromium through its DevTools protocol, over two pipes. Nothing but Python is needed."""

import base64
import collections
import functools
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zlib

# Seconds after which an answer counts as missing. A large page takes seconds on a busy machine.
HANGS = 120


class BrowserError(Exception):
    pass


class Browser:
    """A headless Chromium with one page. It notes console messages, exceptions and requests."""

    def __init__(self):
        program = shutil.which("chromium")
        if not program:
            raise BrowserError("chromium is missing: apt-get install chromium")
        self.profile = tempfile.TemporaryDirectory(prefix="vsm-page-")
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()

        def connect():
            # Chromium reads file descriptor 3 and writes to 4.
            copies = [os.dup(from_us), os.dup(to_us)]
            high = [os.dup2(copies[0], 60), os.dup2(copies[1], 61)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
             "--force-color-profile=srgb", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors, close_fds=False,
            preexec_fn=connect, start_new_session=True)
        os.close(from_us)
        os.close(to_us)
        self.input, self.output = to_browser, from_browser
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = collections.deque()
        self.messages = []
        self.requests = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.input)
        os.close(self.output)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for _ in range(50):
            try:
                self.profile.cleanup()
                return
            except OSError:
                # A process of Chromium that is being killed still writes into the folder.
                time.sleep(0.1)

    # --- protocol ---

    def read(self):
        """Returns the next message of the browser."""
        while b"\0" not in self.buffer:
            if not select.select([self.output], [], [], HANGS)[0]:
                raise BrowserError("the browser does not answer")
            data = os.read(self.output, 1 << 20)
            if not data:
                self.errors.seek(0)
                raise BrowserError("the browser ended: " +
                                   self.errors.read().decode(errors="replace")[-2000:])
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        method, params = event["method"], event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(arg.get("value", arg.get("description")))
                                          for arg in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        self.events.append(event)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.input, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.note(answer)

    def wait_event(self, method):
        while True:
            while self.events:
                event = self.events.popleft()
                if event["method"] == method:
                    return event
            answer = self.read()
            if "method" in answer:
                self.note(answer)

    # --- page ---

    def open(self, path, width=1200, height=760, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.set_scheme(scheme)
        self.messages.clear()
        self.requests.clear()
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_event("Page.loadEventFired")

    def set_scheme(self, scheme):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script):
        """Evaluates JavaScript in the page, waits for a promise, returns the value."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def settle(self):
        """Waits until the page has drawn what it was told to draw."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y, **params):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **params)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.settle()

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, from_x, from_y, to_x, to_y):
        self.mouse("mouseMoved", from_x, from_y)
        self.mouse("mousePressed", from_x, from_y, button="left", clickCount=1)
        for n in range(1, 6):
            self.mouse("mouseMoved", from_x + (to_x - from_x) * n / 5,
                       from_y + (to_y - from_y) * n / 5, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, down, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down, modifiers=modifiers)
        self.settle()

    def key(self, key, modifiers=0):
        """Presses a key: a character, or a name such as Enter."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "PageUp": 33,
                 "PageDown": 34}
        params = {"key": key, "modifiers": modifiers}
        if key in codes:
            params["windowsVirtualKeyCode"] = codes[key]
            if key == "Enter":
                params["text"] = "\r"
        else:
            params["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)
        self.settle()

    def type(self, text):
        for character in text:
            self.key(character)

    def screenshot(self, path):
        """Writes what the page shows as PNG, and returns it as a Picture."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as file:
            file.write(data)
        return Picture(data)


class Picture:
    """The pixels of a PNG of 8 bits in each of 3 or 4 channels, which is what Chromium writes."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colours = struct.unpack(">IIBB", body[:10])
                assert depth == 8 and colours in (2, 6)
                self.channels = 3 if colours == 2 else 4
            elif kind == b"IDAT":
                packed += body
            at += 12 + size
        self.packed = packed

    @functools.cached_property
    def rows(self):
        """The rows of the picture, as bytes. This takes seconds, so it happens on first use."""
        data = zlib.decompress(self.packed)
        step, size = self.channels, self.channels * self.width
        before, rows = bytearray(size), []
        for y in range(self.height):
            start = y * (size + 1)
            kind, row = data[start], bytearray(data[start + 1:start + 1 + size])
            for x in range(size):
                left = row[x - step] if x >= step else 0
                up = before[x]
                corner = before[x - step] if x >= step else 0
                if kind == 1:
                    row[x] = (row[x] + left) & 255
                elif kind == 2:
                    row[x] = (row[x] + up) & 255
                elif kind == 3:
                    row[x] = (row[x] + (left + up) // 2) & 255
                elif kind == 4:
                    guess = left + up - corner
                    best = min((left, up, corner), key=lambda value: abs(guess - value))
                    row[x] = (row[x] + best) & 255
            rows.append(row)
            before = row
        return rows

    def pixel(self, x, y):
        start = int(x) * self.channels
        return tuple(self.rows[int(y)][start:start + 3])

    def colours(self):
        """The number of different colours, up to 1000."""
        seen = set()
        for y in range(0, self.height, 3):
            for x in range(0, self.width, 2):
                seen.add(self.pixel(x, y))
                if len(seen) == 1000:
                    return 1000
        return len(seen)

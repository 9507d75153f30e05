# SPDX-License-Identifier: MIT
"""A program in a terminal of tmux: keys go to it, and what is on the screen is read."""

import os
import subprocess
import time

# Seconds after which something counts as not happening. The machine may be slow.
LIMIT = 30


class Missing(Exception):
    """Something did not appear on the screen."""


class Terminal:
    """Runs a command of the shell in a terminal. The folder gets the socket of tmux."""

    def __init__(self, folder, name, command, env=None, columns=80, rows=24):
        self.tmux = ["tmux", "-f", "/dev/null", "-S", os.path.join(folder, name)]
        env = dict(os.environ, LANG="C.UTF-8", **(env or {}))
        env.pop("TMUX", None)
        subprocess.run([*self.tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows),
                        "sh", "-c", command], env=env, check=True)

    def keys(self, *names):
        subprocess.run([*self.tmux, "send-keys", *names], check=True)

    def resize(self, columns, rows):
        subprocess.run([*self.tmux, "resize-window", "-x", str(columns), "-y", str(rows)],
                       check=True)

    def lines(self, escapes=False):
        options = ["-p", "-e"] if escapes else ["-p"]
        shown = subprocess.run([*self.tmux, "capture-pane", *options], check=True,
                               stdout=subprocess.PIPE).stdout.decode(errors="replace")
        return [line.rstrip() for line in shown.split("\n")]

    def wait(self, what, holds, escapes=False):
        """Waits until holds(lines) is true for the lines of the screen. Returns its result."""
        end = time.monotonic() + LIMIT
        while True:
            lines = self.lines(escapes)
            result = holds(lines)
            if result:
                return result
            if time.monotonic() > end:
                raise Missing(what + "\n" + "\n".join(lines))
            time.sleep(0.1)

    def wait_for(self, text):
        """Waits until a line has a text. Returns the line."""
        return self.wait(f"'{text}' does not appear",
                         lambda lines: next((line for line in lines if text in line), None))

    def wait_without(self, text):
        self.wait(f"'{text}' does not go",
                  lambda lines: not any(text in line for line in lines))

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False, stderr=subprocess.DEVNULL)

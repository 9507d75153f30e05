#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what tutorial.rst says, as a new user would, and compares what is seen. Prints TAP.

	tutorial.py [--write]

The commands run in a fresh Debian, which has only git, make and sudo, as an ordinary user
(tools/fresh). A block with a caption is a file that the user writes. A block of shell commands must
succeed, unless a block of output follows: then the output must be the same. VSM-REPOSITORY is this
tree as git has it, without changes that are not committed. With --write the page gets the new
output.
"""

import os
import re
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(HERE)
PAGE = os.path.join(HERE, "tutorial.rst")
DONE = "the tutorial's command ended with status"

BLOCK = re.compile(r"^\.\. (code-block|literalinclude):: (\S+)\n((?:   :.*\n)*)((?:\n*   .*\n)*)", re.M)


class Block:
    """A directive of the page."""

    def __init__(self, found):
        self.options = dict(re.findall(r":(\w+): *(.*)", found[3]))
        self.caption = self.options.get("caption")
        self.language = found[2]
        if found[1] == "code-block":
            self.text = textwrap.dedent(found[4]).strip("\n")
        else:
            with open(os.path.join(HERE, found[2]), encoding="utf-8") as f:
                lines = f.read().splitlines()
            self.text = "\n".join(lines[int(self.options.get("lines", "1-").rstrip("-")) - 1:])
        self.found = found


def blocks(text):
    """Yields (block, the block of output that follows it at once or None)."""
    found = [Block(match) for match in BLOCK.finditer(text)]
    taken = None
    for block, after in zip(found, found[1:] + [None]):
        if block is taken:
            continue
        shown = None
        if block.language == "sh" and after and after.language == "none" and not after.caption and \
                not text[block.found.end():after.found.start()].strip():
            taken = shown = after
        yield block, shown


class User:
    """A shell in a fresh Debian."""

    def __init__(self, folder):
        self.shell = subprocess.Popen(
            [os.path.join(TOP, "tools/fresh"), "--user", "--include", "git,make",
             "--bind", f"{folder}:/vsm", "--", "bash"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace")

    def do(self, commands):
        """Runs commands in the shell. Returns the status of the last one, and the output."""
        try:
            self.shell.stdin.write(f"{{ {commands}\n}} </dev/null\necho \"{DONE} $?\"\n")
            self.shell.stdin.flush()
        except BrokenPipeError:
            return 125, ""
        lines = []
        for line in self.shell.stdout:
            before, end, status = line.partition(DONE)
            if end:
                return int(status), "".join(lines) + before
            lines.append(line)
        return 125, "".join(lines)

    def leave(self):
        self.shell.stdin.close()
        return self.shell.wait()


def main():
    writes = sys.argv[1:] == ["--write"]
    if sys.argv[1:] and not writes:
        sys.exit(__doc__.strip())
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    steps = list(blocks(text))
    shown = []
    failed = False
    print(f"1..{len(steps)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        # The branch is there, too, unless none is checked out: git would have much to say then.
        branch = subprocess.run(["git", "-C", TOP, "symbolic-ref", "-q", "HEAD"], check=False,
                                stdout=subprocess.PIPE, encoding="utf-8").stdout.split()
        subprocess.run(["git", "-C", TOP, "bundle", "create", "-q", folder + "/vsm.bundle", "HEAD",
                        *branch], check=True)
        user = User(folder)
        for number, (block, after) in enumerate(steps, 1):
            if block.caption:
                name = f"write {block.caption}"
                status, output = user.do(f"cat >{block.caption} <<'THE END'\n{block.text}\nTHE END")
            else:
                name = block.text.splitlines()[0]
                status, output = user.do(block.text.replace("VSM-REPOSITORY", "/vsm/vsm.bundle"))
            # Output may be that of a command that fails. But 124 and 125 say that there was no
            # virtual machine.
            good = status not in (124, 125) if after else status == 0
            if after and writes:
                shown.append((after.found, output.strip()))
            elif after and output.strip() != after.text.strip():
                good = False
            failed |= not good
            print(f"{'ok' if good else 'not ok'} {number} - {name}")
            if not good:
                print(textwrap.indent(f"status {status}\n{output}", "# "))
            sys.stdout.flush()
        if user.leave():
            failed = True
            print("# the shell in the fresh Debian failed")
    for found, output in reversed(shown):
        text = text[:found.start(4)] + "\n" + textwrap.indent(output, "   ") + "\n" + \
            text[found.end(4):]
    if writes:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

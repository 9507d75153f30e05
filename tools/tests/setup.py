#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tools/setup.sh on machines that are not there: setup.py

The package tools are those below. They know the packages of a folder, the "machine", and note their
calls there. Packages for Debian and Ubuntu are real; dpkg-deb makes them. Prints TAP."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "tools/vm/tests"))
import harness  # noqa: E402
from harness import expect, with_directory  # noqa: E402

SETUP = os.path.join(TOP, "tools/setup.sh")

DISTRIBUTIONS = {"debian-12": ["6.1", "6.12"], "debian-13": ["6.12"], "ubuntu-22.04": ["6.8"],
                 "ubuntu-24.04": ["6.8"], "fedora-42": ["fedora"]}

# All package tools. The name by which this program is called says which one it is.
TOOL = r'''#!/usr/bin/env python3
import json, os, re, shutil, sys, time
machine = os.environ["MACHINE"]
name, words = os.path.basename(sys.argv[0]), sys.argv[1:]
path = lambda *parts: os.path.join(machine, *parts)
read = lambda file: open(path(file)).read() if os.path.exists(path(file)) else ""
settings = dict(words[i + 1].split("=", 1) for i, w in enumerate(words) if w == "-o")
plain = [w for i, w in enumerate(words) if not w.startswith("-") and words[i - 1:i] not in (["-o"], ["--destdir"])]
archive = json.loads(read("archive"))
installed = read("installed").split()
lists = os.listdir(path("lists"))
with open(path("calls"), "a") as f:
    print(name, *plain, file=f)

def known(package):
    return package in archive and (name == "dnf" or any("_Packages" in entry for entry in lists))

def fail(text):
    print("E:", text)
    sys.exit(100)

def fetch(package, folder):
    """Fetches a package into a folder, if it is not there."""
    file = os.path.join(folder, archive[package]["file"])
    if os.path.exists(file):
        return
    if os.path.exists(path("offline")):
        fail(f"no network for {package}")
    with open(path("fetched"), "a") as f:
        print(package, file=f)
    shutil.copyfile(path("pool", archive[package]["file"]), file)

def install(packages):
    if "slow" in read("mode"):
        time.sleep(0.5)
    for package in packages:
        if not known(package):
            fail(f"Unable to locate package {package}")
    with open(path("installs"), "a") as f:
        print(*packages, file=f)
    if "broken" in read("mode"):
        fail("the disk is full")
    status = int(settings.get("APT::Status-Fd", 1))
    for package in packages:
        if "Dir::Cache::archives" in settings:
            os.makedirs(settings["Dir::Cache::archives"] + "partial", exist_ok=True)
            fetch(package, settings["Dir::Cache::archives"])
        elif os.path.exists(path("offline")):
            fail(f"no network for {package}")
        os.write(status, f"dlstatus:1:50.00:Retrieving {package}\npmstatus:{package}:70.0:Installing {package}\n".encode())
        print("Unpacking", package)
    with open(path("installed"), "a") as f:
        print(*packages, sep="\n", file=f)

if name == "id":
    print(read("uid").strip() or "0")
elif name == "uname":
    print(read("arch").strip() or "x86_64")
elif name == "sudo":
    os.execvp(words[0], words)
elif name == "apt-config":
    print(f"lists='{path('lists')}/'\nsources='{path('sources')}/'")
elif name == "dpkg-query":
    for package in plain or installed:
        if package in installed:
            print(f"installed {package}:amd64" if plain else package)
    sys.exit(not all(package in installed for package in plain))
elif name == "rpm":
    for package in plain:
        print(package + "-1" if package in installed else f"package {package} is not installed")
elif name == "rpm2cpio":
    sys.stdout.buffer.write(open(plain[0], "rb").read())
elif name == "cpio":
    os.execvp("tar", ["tar", "-x"])
elif name == "apt-cache":
    for package in plain[1:]:
        if known(package) and plain[0] == "policy":
            print(f"{package}:\n  Installed: (none)\n  Candidate: {archive[package]['version']}")
        elif known(package):
            print(f"Package: {package}\nDepends: {archive[package]['depends']}")
elif name == "apt-get" and plain[0] == "indextargets":
    print("http://mirror/debian|oldstable|")
elif name == "apt-get" and plain[0] == "update":
    if os.path.exists(path("offline")):
        fail("no network")
    if "Dir::Etc::sourcelist" in settings:
        archive.update(json.loads(read("security")))
        open(path("archive"), "w").write(json.dumps(archive))
    open(path("lists", "mirror_Packages"), "w").close()
elif name == "apt-get" and plain[0] == "install" and "-s" in words:
    for package in plain[1:]:
        print("Inst", package) if known(package) else fail(package)
elif name == "apt-get" and plain[0] == "install" and "--print-uris" in words:
    folder = settings.get("Dir::Cache::archives", "")
    for package in plain[1:]:
        if not os.path.exists(folder + archive[package]["file"]):
            print(f"'http://mirror/{package}' {package} 1900000 SHA256:0")
elif name in ("apt-get", "dnf") and plain[0] == "install":
    install(plain[1:])
elif name == "apt-get" and plain[0] == "download":
    for package in plain[1:]:
        fetch(package, ".") if known(package) else fail(package)
elif name == "dnf" and plain[0] == "download":
    for package in plain[1:]:
        fetch(package, words[words.index("--destdir") + 1])
else:
    sys.exit(f"{name}: what is {words}?")
'''
TOOLS = ("id", "uname", "sudo", "apt-config", "dpkg-query", "rpm", "rpm2cpio", "cpio", "apt-cache",
         "apt-get", "dnf")


def write(path, text="", mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


ROWS = [line.split() for line in read("tools/packages").splitlines() if line and not line.startswith("#")]


class Machine:
    """A machine with a distribution, in a folder."""

    def __init__(self, folder, distribution, cache=None):
        self.folder = folder
        self.id, _, self.version = distribution.partition("-")
        self.cache = cache or os.path.join(folder, "home/.cache/vsm")
        self.archive = {}
        for name in ("lists", "sources", "pool", "home"):
            os.makedirs(os.path.join(folder, name))
        for name in TOOLS:
            write(os.path.join(folder, "bin", name), TOOL, 0o755)
        self.put("os-release", f'PRETTY_NAME="A {self.id}"\nID={self.id}\nVERSION_ID="{self.version}"\n')
        self.put("archive", "{}")
        self.put("security", "{}")
        self.put("lists/mirror_Packages")

    def put(self, name, text=""):
        write(os.path.join(self.folder, name), text)

    def get(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def know(self, name, depends="", version="1", files=(), links=(), to="archive"):
        """Makes a package known to apt-get or dnf. @files has (path, text), @links (path, target)."""
        root = tempfile.mkdtemp(dir=self.folder)
        os.chmod(root, 0o755)
        for path, text in files:
            write(os.path.join(root, path), text, 0o755)
        for path, target in links:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            os.symlink(target, os.path.join(root, path))
        if self.id == "fedora":
            file = f"{name}-{version}.rpm"
            command = ["tar", "-C", root, "-cf", os.path.join(self.folder, "pool", file), "."]
        else:
            file = f"{name}_{version}_amd64.deb"
            write(os.path.join(root, "DEBIAN/control"),
                  f"Package: {name}\nVersion: {version}\nArchitecture: amd64\n"
                  "Maintainer: nobody <nobody@localhost>\nDescription: test\n")
            command = ["dpkg-deb", "--build", root, os.path.join(self.folder, "pool", file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(root)
        known = json.loads(self.get(to))
        known[name] = {"version": version, "depends": depends, "file": file}
        self.put(to, json.dumps(known))

    def know_all(self, *purposes):
        for name in self.table(*purposes):
            self.know(name)

    def table(self, *purposes):
        """The packages of purposes, read from the table by other means than setup.sh does."""
        places = {"all", "dnf" if self.id == "fedora" else "apt", self.id, f"{self.id}-{self.version}"}
        todo, seen, result = list(purposes), set(), set()
        while todo:
            purpose = todo.pop()
            if purpose == "source" or purpose in seen:
                continue
            seen.add(purpose)
            for row in ROWS:
                if row[0] == purpose and row[1] in places:
                    todo += [word[1:] for word in row[2:] if word[0] == "+"]
                    result.update(word for word in row[2:] if word[0] != "+")
        return result

    def environment(self, **more):
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        env = {k: v for k, v in os.environ.items() if not k.startswith(("VSM_", "XDG_", "MAKE"))}
        env.update(PATH=path, MACHINE=self.folder, HOME=os.path.join(self.folder, "home"),
                   VSM_CACHE=self.cache, VSM_OS_RELEASE=os.path.join(self.folder, "os-release"))
        return dict(env, **more)

    def setup(self, *arguments, **more):
        return subprocess.run([SETUP, *arguments], env=self.environment(**more), check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8")

    def succeed(self, *arguments, **more):
        done = self.setup(*arguments, **more)
        expect(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
        return done

    def refuse(self, pattern, *arguments, **more):
        done = self.setup(*arguments, **more)
        expect(done.returncode not in (0, 127), f"status {done.returncode}")
        expect(pattern in done.stderr, f"says: {done.stderr}")
        return done

    def installs(self):
        """The packages of each call that installed some."""
        return [set(line.split()) for line in self.get("installs").splitlines()]

    def debian_kernel(self, meta, release, kbuild="6.1", to="archive"):
        headers, common = f"usr/src/linux-headers-{release}", f"linux-headers-{release}-common"
        self.know(meta, f"linux-image-{release} (= 1)", to=to)
        self.know(f"linux-image-{release}", "kmod, linux-base (>= 4)", "1.2", [
            (f"boot/vmlinuz-{release}", "image"), (f"boot/config-{release}", ""),
            (f"lib/modules/{release}/modules.order", ""), (f"lib/modules/{release}/modules.builtin", ""),
            (f"lib/modules/{release}/kernel/a.ko", "")], to=to)
        self.know(f"linux-headers-{release}", f"{common} (= 1), linux-kbuild-{kbuild}, gcc-12 | gcc", files=[
            (f"{headers}/Makefile", f"include /usr/src/{common}/Makefile\n"),
            (f"{headers}/Module.symvers", "")],
            links=[(f"{headers}/scripts", f"../../lib/linux-kbuild-{kbuild}/scripts")], to=to)
        self.know(common, files=[(f"usr/src/{common}/Makefile", "all:\n\t@echo $(CURDIR)\n")], to=to)
        self.know(f"linux-kbuild-{kbuild}", "libc6", files=[
            (f"usr/lib/linux-kbuild-{kbuild}/scripts/basic/fixdep", "")], to=to)

    def ubuntu_kernel(self, meta, release, kind):
        headers, common = f"usr/src/linux-headers-{release}", f"{kind}headers-{release[:-8]}"
        self.know(meta, f"linux-image-{release}, linux-modules-extra-{release}, linux-firmware")
        self.know(f"linux-image-{release}", f"kmod, linux-modules-{release}", "1.2",
                  [(f"boot/vmlinuz-{release}", "image")])
        self.know(f"linux-modules-{release}", "", files=[
            (f"boot/config-{release}", ""), (f"lib/modules/{release}/modules.order", ""),
            (f"lib/modules/{release}/modules.builtin", ""), (f"lib/modules/{release}/kernel/a.ko.zst", "")])
        self.know(f"linux-modules-extra-{release}",
                  f"linux-modules-{release}, linux-image-{release} | linux-image-unsigned-{release}",
                  files=[(f"lib/modules/{release}/kernel/b.ko.zst", "")])
        self.know(f"linux-headers-{release}", common, files=[(f"{headers}/Module.symvers", "")],
                  links=[(f"{headers}/{name}", f"../{common}/{name}") for name in ("Makefile", "scripts")])
        self.know(common, files=[(f"usr/src/{common}/Makefile", "all:\n"),
                                 (f"usr/src/{common}/scripts/basic/fixdep", "")])

    def fedora_kernel(self, release):
        modules = f"lib/modules/{release}"
        self.know("kernel-core", "", release, [(f"{modules}/vmlinuz", "image"), (f"{modules}/config", ""),
                                               (f"{modules}/modules.order", ""), (f"{modules}/modules.builtin", "")])
        self.know("kernel-modules-core", "", release, [(f"{modules}/kernel/a.ko.xz", "")])
        self.know("kernel-modules", "", release, [(f"{modules}/kernel/b.ko.xz", "")])
        self.know("kernel-devel", "", release, [
            (f"usr/src/kernels/{release}/Makefile", "all:\n"),
            (f"usr/src/kernels/{release}/Module.symvers", ""),
            (f"usr/src/kernels/{release}/scripts/basic/fixdep", "")])

    def know_source(self, to="archive"):
        with tempfile.TemporaryDirectory() as tmp:
            for name in ("scripts/checkpatch.pl", "scripts/spelling.txt", "scripts/kernel-doc",
                         "scripts/const_structs.checkpatch", "Documentation/sphinx/kerneldoc.py",
                         "tools/testing/selftests/kselftest.h", "drivers/large.c",
                         "tools/testing/selftests/kselftest_harness.h",
                         "tools/testing/selftests/kselftest/ktap_helpers.sh"):
                write(f"{tmp}/linux-source-6.12/{name}", name)
            packed = f"{tmp}/packed.tar.xz"
            subprocess.run(["tar", "-C", tmp, "-cJf", packed, "linux-source-6.12"], check=True)
            self.know("linux-source-6.12", "xz-utils", "6.12.9-1", [("usr/src/linux-source-6.12.tar.xz", "")], to=to)
            # Again, with the bytes.
            root = f"{tmp}/root"
            os.makedirs(root + "/usr/src")
            os.makedirs(root + "/DEBIAN")
            shutil.copy(packed, root + "/usr/src/linux-source-6.12.tar.xz")
            write(root + "/DEBIAN/control", "Package: linux-source-6.12\nVersion: 6.12.9-1\n"
                  "Architecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: test\n")
            os.chmod(root, 0o755)
            subprocess.run(["dpkg-deb", "--build", root,
                            f"{self.folder}/pool/linux-source-6.12_6.12.9-1_amd64.deb"], check=True,
                           stdout=subprocess.DEVNULL)


def test(function):
    return harness.test("setup")(with_directory(function))


# --- the distribution ---------------------------------------------------------


@test
def each_distribution_has_its_stock_kernels(tmp):
    for name, kernels in DISTRIBUTIONS.items():
        got = Machine(f"{tmp}/{name}", name).succeed("--kernels").stdout.split()
        expect(got == kernels, f"{name}: {got}")


@test
def each_distribution_can_build_and_run(tmp):
    for name in DISTRIBUTIONS:
        machine = Machine(f"{tmp}/{name}", name)
        machine.know_all("run")
        machine.succeed("--quiet", "build")
        expect(machine.installs() == [machine.table("build")], f"{name}: {machine.installs()}")
        machine.succeed("--quiet", "run")
        expect(machine.installs()[1:] == [machine.table("run") - machine.table("build")],
               f"{name}: {machine.installs()}")


@test
def users_need_no_package_of_developers(tmp):
    for name in DISTRIBUTIONS:
        needed = Machine(f"{tmp}/{name}", name).table("run")
        for package in ("clang", "sphinx", "sparse", "cmocka", "linux-source", "chromium", "shellcheck"):
            expect(not any(package in one for one in needed), f"{name}: {package}")


@test
def an_unknown_distribution_is_refused_with_a_list_of_the_known_ones(tmp):
    machine = Machine(f"{tmp}/a", "arch-1")
    expect(not machine.succeed("--kernels").stdout.split(), "has kernels")
    done = machine.refuse("A arch: this distribution is not in tools/packages", "run")
    for name in DISTRIBUTIONS:
        expect(name.replace("fedora-42", "fedora") in done.stderr, done.stderr)
    machine.refuse("VSM_SETUP=no", "kernel", "6.1")
    Machine(f"{tmp}/b", "debian-11").refuse("this distribution is not", "run")
    os.unlink(f"{tmp}/a/os-release")
    machine.refuse("this distribution is not", "run")
    expect(not machine.installs(), "installs")


@test
def another_architecture_is_refused(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.put("arch", "aarch64")
    machine.refuse("this machine is aarch64, and only x86_64 is supported", "run")


@test
def wrong_arguments_are_refused(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    for arguments in ((), ("--fast",), ("kernel",), ("kernel", "a", "b")):
        expect(machine.refuse("tools/setup.sh", *arguments).returncode == 2, str(arguments))
    machine.refuse('no packages for "bulid" on debian 12', "bulid")


# --- packages -----------------------------------------------------------------


@test
def nothing_missing_takes_two_programs_and_is_silent(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.put("installed", "\n".join(machine.table("run")))
    done = machine.succeed("--quiet", "run")
    expect(not done.stdout + done.stderr, done.stdout + done.stderr)
    called = [line.split()[0] for line in machine.get("calls").splitlines()]
    expect(called == ["uname", "dpkg-query"], str(called))
    expect("nothing is missing" in machine.succeed("run").stderr, "says nothing")


@test
def the_user_may_forbid_it(tmp):
    unknown = Machine(f"{tmp}/a", "arch-1")
    done = unknown.succeed("run", VSM_SETUP="no")
    expect(not done.stderr and not unknown.get("calls"), done.stderr)
    for name, command in ("debian-12", "apt-get install --no-install-recommends"), ("fedora-42", "dnf install"):
        machine = Machine(f"{tmp}/{name}", name, f"{tmp}/{name}/cache")
        machine.know_all("run")
        machine.put("uid", "1000")
        machine.put("installed", "\n".join(machine.table("run") - {"gcc", "make"}))
        done = machine.refuse(f"because VSM_SETUP is no. As root, run: {command}", "run", VSM_SETUP="no")
        expect('setup: missing for "run": gcc make\n' in done.stderr, done.stderr)
        expect(done.stderr.endswith(" gcc make\n"), done.stderr)
        expect("sudo" not in machine.get("calls") and not machine.installs(), machine.get("calls"))
        machine.put("installed", "\n".join(machine.table("run")))
        done = machine.succeed("--quiet", "run", VSM_SETUP="no")
        expect(not done.stderr, done.stderr)
    done = machine.succeed("test", VSM_SETUP="no")
    expect(not done.stderr, "a purpose that only the user can know is refused")


@test
def a_kernel_is_fetched_without_root(tmp):
    machine = Machine(f"{tmp}/a", "debian-13", f"{tmp}/a/cache")
    machine.know_all("fetch")
    machine.put("installed", "kmod\n")
    machine.debian_kernel("linux-image-amd64", "6.12.9-amd64")
    machine.put("uid", "1000")
    os.unlink(f"{tmp}/a/lists/mirror_Packages")
    machine.refuse("As root, run: apt-get update", "kernel", "6.12", VSM_SETUP="no")
    machine.put("lists/mirror_Packages")
    # Debian's users have no folder of programs for root in PATH.
    path = ":".join(part for part in machine.environment()["PATH"].split(":") if not part.endswith("sbin"))
    machine.succeed("kernel", "6.12", VSM_SETUP="no", PATH=path)
    expect("sudo" not in machine.get("calls"), machine.get("calls"))


@test
def only_what_is_missing_is_installed(tmp):
    machine = Machine(f"{tmp}/a", "debian-13")
    machine.know_all("run")
    machine.put("installed", "gcc\nmake\n")
    machine.succeed("run")
    expect(machine.installs() == [machine.table("run") - {"gcc", "make"}], str(machine.installs()))


@test
def a_purpose_without_packages_is_refused_by_name(tmp):
    Machine(f"{tmp}/a", "fedora-42").refuse('no packages for "test" on fedora 42', "test")
    Machine(f"{tmp}/b", "fedora-42").refuse('no packages for "check" on fedora 42', "check")
    Machine(f"{tmp}/c", "debian-13").refuse('no packages for "debug" on debian 13', "debug")


@test
def progress_takes_few_lines_and_hides_apt(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("run")
    count = len(machine.table("run"))
    lines = machine.succeed("--quiet", "run").stderr.splitlines()
    expect(lines == [f'setup: missing for "run": {" ".join(sorted(machine.table("run")))}',
                     "setup: they are installed with apt-get install --no-install-recommends "
                     "(VSM_SETUP=no forbids it)",
                     f"setup: installing {count} packages ({int(1.9 * count + 1)} MB to fetch)"], str(lines))
    machine.put("installed")
    lines = machine.succeed("run", VSM_SETUP_INTERVAL="0").stderr
    expect("setup: fetched 50 %, Retrieving gcc\n" in lines, lines)
    expect("setup: installed 70 %, Installing gcc\n" in lines, lines)
    expect("Unpacking" not in lines, lines)


@test
def lists_are_refreshed_if_a_machine_has_none(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("run")
    os.unlink(f"{tmp}/a/lists/mirror_Packages")
    done = machine.succeed("run")
    expect("setup: refreshing the lists of packages\nsetup: installing" in done.stderr, done.stderr)


@test
def a_failure_shows_the_end_of_the_log_after_a_second_try(tmp):
    for name in ("debian-12", "fedora-42"):
        machine = Machine(f"{tmp}/{name}", name)
        machine.know_all("run")
        machine.put("mode", "broken")
        done = machine.refuse("could not install: ", "run")
        expect("\n  E: the disk is full\n" in done.stderr, done.stderr)
        expect(f"the whole log: {machine.cache}/setup.log" in done.stderr, done.stderr)
        tries = 2 if name == "debian-12" else 1
        expect(done.stderr.count("setup: installing") == tries, done.stderr)


@test
def users_install_with_sudo_and_are_told_if_it_is_missing(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("run")
    machine.put("uid", "1000")
    done = machine.succeed("run")
    expect("they are installed with sudo apt-get" in done.stderr, done.stderr)
    expect("\nsudo " in machine.get("calls"), machine.get("calls"))
    machine.put("installed")
    os.unlink(f"{tmp}/a/bin/sudo")
    path = f"{tmp}/only"
    os.makedirs(path)
    for tool in ("bash", "sh", "sed", "awk", "tail", "tr", "paste", "dirname", "cat", "sort", "grep",
                 "mkdir", "rm", "flock", "env", "python3", "realpath"):
        os.symlink(shutil.which(tool), f"{path}/{tool}")
    machine.refuse("because you are not root, and there is no sudo. As root, run: apt-get install ", "run",
                   PATH=f"{tmp}/a/bin:{path}")


@test
def two_at_a_time_install_once(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("run")
    machine.put("mode", "slow")
    both = [subprocess.Popen([SETUP, "--quiet", "run"], env=machine.environment(),
                             stderr=subprocess.DEVNULL) for _ in range(2)]
    expect([one.wait() for one in both] == [0, 0], "fails")
    expect(len(machine.installs()) == 1, str(machine.installs()))


# --- kernels ------------------------------------------------------------------


def check_kernel(machine, name, release, modules):
    """Fetches a kernel, and checks that it is complete."""
    path = machine.succeed("kernel", name).stdout.strip()
    expect(path == f"{machine.cache}/kernels/{name}", path)
    for file in (f"boot/vmlinuz-{release}", f"boot/config-{release}", "boot/vmlinuz", "headers/Makefile",
                 "headers/Module.symvers", "headers/scripts/basic/fixdep",
                 f"lib/modules/{release}/modules.dep",
                 *(f"lib/modules/{release}/kernel/{module}" for module in modules)):
        expect(os.path.exists(f"{path}/{file}"), f"no {file}")
    with open(f"{path}/release", encoding="ascii") as f:
        expect(f.read().strip() == release, "another release")
    expect(os.path.realpath(f"{path}/headers").startswith(machine.cache), "headers are elsewhere")
    expect(not [n for n in os.listdir(machine.cache) if n.startswith("tmp.")], "leaves files")
    before = machine.get("fetched") + machine.get("calls")
    expect(machine.succeed("kernel", name).stdout.strip() == path, "another path")
    made = set((machine.get("fetched") + machine.get("calls"))[len(before):].split())
    expect(not made & {"apt-get", "dnf"}, f"the second time: {made}")
    return path


@test
def kernels_of_debian_are_unpacked_with_their_headers(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-amd64", "6.1.0-9-amd64")
    path = check_kernel(machine, "6.1", "6.1.0-9-amd64", ["a.ko"])
    made = subprocess.run(["make", "-s", "-C", f"{path}/headers"], check=True, stdout=subprocess.PIPE,
                          env=machine.environment(), encoding="utf-8").stdout
    expect(made.strip() == os.path.realpath(f"{path}/headers"), "the common makefile: " + made)
    expect(machine.installs() == [{"kmod"}], f"installs {machine.installs()}")
    machine.debian_kernel("linux-image-6.12-rt-amd64", "6.12.9+deb12-rt-amd64", "6.12.9")
    check_kernel(machine, "linux-image-6.12-rt-amd64", "6.12.9+deb12-rt-amd64", ["a.ko"])


@test
def a_kernel_in_use_stays_when_it_gets_another_name(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-amd64", "6.1.0-9-amd64")
    first = machine.succeed("kernel", "6.1").stdout.strip()
    before = os.stat(f"{first}/boot/vmlinuz").st_ino
    second = check_kernel(machine, "linux-image-6.1.0-9-amd64", "6.1.0-9-amd64", ["a.ko"])
    expect(os.path.realpath(first) == os.path.realpath(second), "two copies")
    expect(os.stat(f"{first}/boot/vmlinuz").st_ino == before, "another file")
    # A kernel that is not complete does not stay.
    os.unlink(f"{first}/headers/Module.symvers")
    check_kernel(machine, "6.1", "6.1.0-9-amd64", ["a.ko"])


@test
def what_a_killed_program_has_left_is_removed(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-amd64", "6.1.0-9-amd64")
    write(f"{machine.cache}/tmp.Abc123/root/boot/vmlinuz", "part")
    check_kernel(machine, "6.1", "6.1.0-9-amd64", ["a.ko"])


@test
def a_kernel_is_on_the_disk_before_it_has_its_name(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-amd64", "6.1.0-9-amd64")
    write(f"{machine.folder}/bin/sync", f"#!/bin/sh\n{{ ls {machine.cache}/kernels; echo \"$@\"; }} "
          ">>$MACHINE/synced\n", 0o755)
    check_kernel(machine, "6.1", "6.1.0-9-amd64", ["a.ko"])
    expect(re.fullmatch(rf"-f {machine.cache}/tmp\.\w+/root\n", machine.get("synced")),
           f"synced: {machine.get('synced')}")


@test
def kernels_of_other_distributions_look_like_those_of_debian(tmp):
    for name, called, release, make, modules in (
            ("ubuntu-22.04", "6.8", "6.8.0-9-generic",
             ("ubuntu_kernel", "linux-image-generic-hwe-22.04", "6.8.0-9-generic", "linux-hwe-6.8-"),
             ["a.ko.zst", "b.ko.zst"]),
            ("ubuntu-24.04", "6.8", "6.8.0-9-generic",
             ("ubuntu_kernel", "linux-image-generic", "6.8.0-9-generic", "linux-"), ["a.ko.zst", "b.ko.zst"]),
            ("fedora-42", "fedora", "6.14.9-300.fc42.x86_64", ("fedora_kernel", "6.14.9-300.fc42.x86_64"),
             ["a.ko.xz", "b.ko.xz"])):
        machine = Machine(f"{tmp}/{name}", name)
        machine.know_all("fetch")
        getattr(machine, make[0])(*make[1:])
        check_kernel(machine, called, release, modules)


@test
def an_incomplete_kernel_is_refused(tmp):
    machine = Machine(f"{tmp}/a", "debian-13")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-amd64", "6.12.9-amd64")
    machine.know("linux-kbuild-6.1")
    machine.refuse("Linux 6.12 is incomplete after unpacking", "kernel", "6.12")


@test
def a_kernel_that_apt_does_not_know_is_refused(tmp):
    machine = Machine(f"{tmp}/a", "debian-13")
    machine.know_all("fetch")
    machine.refuse("apt knows no package linux-image-6.99-amd64", "kernel", "linux-image-6.99-amd64")


@test
def a_download_that_fails_is_tried_again_and_explained(tmp):
    machine = Machine(f"{tmp}/a", "debian-13")
    machine.know_all("fetch")
    machine.put("installed", "kmod")
    machine.debian_kernel("linux-image-amd64", "6.12.9-amd64")
    machine.put("offline")
    done = machine.refuse("cannot download linux-image-amd64 and its headers", "kernel", "6.12")
    expect("\n  E: no network for linux-image" in done.stderr, done.stderr)
    expect(machine.get("calls").count("apt-get download") == 2, machine.get("calls"))


@test
def bookworm_gets_its_security_suite_for_linux_6_12(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-6.12-amd64", "6.12.9+deb12-amd64", "6.12.9", to="security")
    done = machine.succeed("kernel", "6.12")
    expect("wrote " in done.stderr, done.stderr)
    expect("bookworm-security main" in machine.get("sources/vsm-bookworm-security.list"), "wrong source")
    machine = Machine(f"{tmp}/b", "debian-12")
    machine.know_all("fetch")
    machine.refuse("comes from the suite bookworm-security", "kernel", "6.12")


# --- everything ---------------------------------------------------------------


def know_everything(machine):
    machine.know_all("run", "test", "check", "docs")
    if machine.id == "debian":
        machine.know_source()
        machine.debian_kernel("linux-image-amd64", "6.1.0-9-amd64")
        machine.debian_kernel("linux-image-6.12-amd64", "6.12.9+deb12-amd64", "6.12.9")
    else:
        machine.fedora_kernel("6.14.9-300.fc42.x86_64")


@test
def all_has_what_the_distribution_has(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    know_everything(machine)
    machine.succeed("all")
    expect(machine.installs() == [machine.table("check", "docs")], str(machine.installs()))
    for name in ("6.1", "6.12"):
        expect(os.path.exists(f"{machine.cache}/kernels/{name}/boot/vmlinuz"), name)
    expect("setup: nothing is missing\n" == machine.succeed("all").stderr, "something is missing again")
    machine = Machine(f"{tmp}/b", "fedora-42")
    know_everything(machine)
    machine.succeed("all")
    expect(machine.installs() == [machine.table("run")], str(machine.installs()))


@test
def files_of_the_source_are_taken_without_installing_it(tmp):
    machine = Machine(f"{tmp}/a", "debian-13")
    know_everything(machine)
    machine.succeed("test")
    expect("linux-source-6.12" not in machine.get("installed"), "is installed")
    for file in ("scripts/checkpatch.pl", "scripts/kernel-doc", "Documentation/sphinx/kerneldoc.py",
                 "tools/testing/selftests/kselftest.h"):
        with open(f"{machine.cache}/source/{file}", encoding="ascii") as f:
            expect(f.read() == file, file)
    expect(not os.path.exists(f"{machine.cache}/source/drivers"), "keeps all of it")


# --- what repeats the table ---------------------------------------------------


# Packages that provide a word of Build-Depends.
PROVIDES = {"debhelper-compat": "debhelper", "dh-sequence-dkms": "dh-dkms",
            "dh-sequence-python3": "dh-python", "dh-sequence-sphinxdoc": "python3-sphinx"}
# Packages that every build has, and those that only a build of the module needs, which DKMS does.
NOT_NAMED = {"gcc", "libc6-dev", "make", "perl"} | {"kmod", "libelf-dev"}


@test
def debian_packages_are_built_with_the_packages_of_the_table(tmp):
    field = re.search(r"^Build-Depends:(.*(?:\n .*)*)", read("tools/debian/control"), re.M)[1]
    words = [re.match(r"[\w.+-]+", word.strip())[0] for word in field.split(",") if word.strip()]
    depends = {PROVIDES.get(word, word) for word in words}
    machine = Machine(tmp, "debian-12")
    expect(depends <= machine.table("deb"), f"not in the table: {depends - machine.table('deb')}")
    missing = machine.table("docs") - depends
    expect(missing == NOT_NAMED, f"only one of table and Build-Depends has: {missing ^ NOT_NAMED}")


@test
def the_manual_lists_the_purposes_and_their_distributions(_tmp):
    text = read("Documentation/testing.rst")
    listed = {}
    for names, about, where in re.findall(
            r"^   \* - ((?:``\w+``(?:, )?)+)\n     - (.*(?:\n       .*)*)\n     - (.*)$", text, re.M):
        for name in re.findall(r"\w+", names):
            listed[name] = where
        if "," not in names:
            part_of = {word[1:] for row in ROWS if row[:2] == [name, "all"]
                       for word in row[2:] if word[0] == "+"} - {"fetch"}
            said = set(re.findall(r"``(\w+)``", about.partition("includes")[2]))
            expect(said == part_of, f"{name} includes {part_of}, and the manual says {said}")
    purposes = {row[0] for row in ROWS} - {"kernels", "source", "fetch"}
    expect(listed.keys() == purposes, f"only one has {listed.keys() ^ purposes}")
    for name, where in listed.items():
        there = {row[1] for row in ROWS if row[0] == name and any(word[0] != "+" for word in row[2:])}
        right = "all" if there & {"all", "dnf"} else "Debian" if "debian" in there else "Debian 12"
        expect(where == right and (right != "Debian 12" or there == {"debian-12"}), f"{name} is for {there}")


@test
def the_manual_lists_the_stock_kernels(_tmp):
    said = {name.lower().replace(" ", "-"): re.findall(r"\b6\.\d+|``(?:\w+)``", about) for name, about in
            re.findall(r"^((?:Debian|Ubuntu) [\d.]+|Fedora) +((?:6|``).*)$", read("Documentation/testing.rst"), re.M)}
    right = {row[1]: [word.partition("=")[0] for word in row[2:]] for row in ROWS if row[0] == "kernels"}
    right["fedora"] = ["``fedora``"]
    expect(said == right, f"says {said}, and tools/packages {right}")


# --- what languages share -----------------------------------------------------


def in_each_language(**env):
    """Returns the cache and the version in each language, in this environment."""
    env["PATH"] = os.environ["PATH"]
    for command in (["sh", "-c", '. tools/common.sh && echo "$cache" && vsm_version'],
                    ["make", "-s", "-f", "tools/common.mk", "--eval",
                     "show: ; @printf '%s\\n' '$(VSM_CACHE)' '$(VERSION)'", "show"],
                    [sys.executable, "-B", "-c", "import sys; sys.path.append('tools/vm'); import common; "
                     "print(common.CACHE, common.version(), sep='\\n')"]):
        yield subprocess.run(command, cwd=TOP, env=env, stdout=subprocess.PIPE, encoding="utf-8",
                             check=True).stdout.split("\n")[:-1]


@test
def all_languages_have_the_same_cache_and_version(_tmp):
    version = re.search(r'^#define VSM_VERSION "(.*)"$', read("userlib/vsm.h"), re.M)[1]
    for env, cache in (({}, "/root/.cache/vsm"), ({"HOME": "/h"}, "/h/.cache/vsm"),
                       ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/vsm"),
                       ({"HOME": "/h", "XDG_CACHE_HOME": "/x", "VSM_CACHE": "/v"}, "/v"),
                       ({"HOME": "/h", "XDG_CACHE_HOME": "", "VSM_CACHE": ""}, "/h/.cache/vsm")):
        for got in in_each_language(**env):
            expect(got == [cache, version], f"{env}: {got}")


@test
def with_sudo_kernel_doc_is_found_in_the_cache_of_the_user(tmp):
    cache = f"{tmp}/home/.cache/vsm/kernels/6.1/headers/scripts"
    write(f"{cache}/kernel-doc")
    write(f"{tmp}/bin/getent", f"#!/bin/sh\n[ \"$*\" = 'passwd me' ] && echo me:x:7:7::{tmp}/home:/bin/sh\n", 0o755)
    done = subprocess.run(["make", "-s", "-C", "userlib", "--eval", "show: ; @echo '$(KERNEL_DOC)'", "show"],
                          cwd=TOP, env={"PATH": f"{tmp}/bin:{os.environ['PATH']}", "HOME": f"{tmp}/root",
                                        "SUDO_USER": "me"},
                          stdout=subprocess.PIPE, encoding="utf-8", check=True)
    expect(done.stdout.strip() == f"{cache}/kernel-doc", done.stdout)


@test
def no_other_file_computes_them(_tmp):
    found = subprocess.run(["grep", "-rlIE", r"XDG_CACHE_HOME|(sed -n|re\.).*define VSM_VERSION", "Makefile",
                            "tools", "userlib", "selftests", "Documentation", ".ci"], cwd=TOP,
                           stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.split()
    expect(set(found) == {"tools/common.sh", "tools/common.mk", "tools/vm/common.py", "tools/tests/setup.py"},
           str(found))


# --- the cache of CI ----------------------------------------------------------


@test
def the_default_cache_keeps_no_packages(tmp):
    machine = Machine(f"{tmp}/a", "debian-12")
    machine.know_all("run")
    machine.succeed("run")
    expect(not os.path.exists(f"{machine.cache}/packages"), "keeps packages")


@test
def the_cache_may_be_named_from_the_current_directory(tmp):
    machine = Machine(f"{tmp}/a", "debian-13", "cache")
    machine.know_all("fetch")
    machine.debian_kernel("linux-image-amd64", "6.12.9-amd64")
    before = os.getcwd()
    os.chdir(tmp)
    try:
        path = machine.succeed("kernel", "6.12").stdout.strip()
    finally:
        os.chdir(before)
    expect(path == f"{os.path.realpath(tmp)}/cache/kernels/6.12" and os.path.exists(path), path)


@test
def a_second_machine_with_the_cache_fetches_nothing(tmp):
    cache = f"{tmp}/cache"
    first = Machine(f"{tmp}/a", "debian-12", cache)
    know_everything(first)
    first.put("sources/vsm-bookworm-security.list", 
              "deb [signed-by=/key.gpg] http://mirror/debian-security bookworm-security main\n")
    first.succeed("all")
    expect(not os.path.exists(f"{cache}/packages/partial"), "leaves a folder that only root can read")
    second = Machine(f"{tmp}/b", "debian-12", cache)
    second.put("archive", first.get("archive"))
    second.put("offline")
    os.unlink(f"{tmp}/b/lists/mirror_Packages")
    done = second.succeed("all")
    expect("packages (none to fetch)" in done.stderr, done.stderr)
    expect(second.installs() == first.installs(), str(second.installs()))
    expect(not second.get("fetched"), second.get("fetched"))
    expect("apt-get update" not in second.get("calls"), "refreshes the lists")
    expect(second.get("sources/vsm-bookworm-security.list"), "the source is not there")


@test
def a_user_owns_the_cache_that_apt_has_filled(tmp):
    if os.getuid():
        return  # nobody else can give files away
    machine = Machine(f"{tmp}/a", "debian-12", f"{tmp}/cache")
    machine.know_all("run")
    machine.put("uid", "1000")
    machine.succeed("run")
    owners = {path: os.lstat(path).st_uid for folder, _, files in os.walk(f"{tmp}/cache/packages")
              for path in (folder, *(os.path.join(folder, file) for file in files))}
    expect(len(owners) > 3 and set(owners.values()) == {1000}, str(owners))


@test
def a_damaged_package_in_the_cache_is_fetched_again(tmp):
    cache = f"{tmp}/cache"
    first = Machine(f"{tmp}/a", "debian-12", cache)
    first.know_all("run")
    first.succeed("run")
    write(f"{cache}/packages/gcc_1_amd64.deb", "damaged")
    second = Machine(f"{tmp}/b", "debian-12", cache)
    second.know_all("run")
    done = second.succeed("run")
    expect("gcc_1_amd64.deb in the cache is damaged" in done.stderr, done.stderr)
    expect(second.get("fetched").split() == ["gcc"], second.get("fetched"))


@test
def a_cache_names_no_files_outside_and_no_other_source(tmp):
    cache = f"{tmp}/cache"
    first = Machine(f"{tmp}/a", "debian-12", cache)
    first.know_all("run")
    first.succeed("run")
    write(f"{tmp}/victim.deb", "mine")
    with open(f"{cache}/packages/SHA256SUMS", "a", encoding="utf-8") as f:
        f.write("0" * 64 + "  ./../../victim.deb\n")
    good = "deb http://mirror/debian-security bookworm-security main\n"
    for number, line in enumerate((good + good, good.replace("http", "[trusted=yes] http"),
                                   good.replace("bookworm", "sid"))):
        write(f"{cache}/packages/lists/vsm-bookworm-security.list", line)
        second = Machine(f"{tmp}/b{number}", "debian-12", cache)
        second.know_all("run")
        os.unlink(f"{tmp}/b{number}/lists/mirror_Packages")
        second.succeed("run")
        expect(not second.get("sources/vsm-bookworm-security.list"), f"takes {line}")
    expect(os.path.exists(f"{tmp}/victim.deb"), "removes a file outside of the cache")


@test
def the_key_names_the_content(tmp):
    def key(folder, distribution="debian-12", installed="bash", arguments=()):
        machine = Machine(f"{tmp}/{folder}", distribution)
        machine.put("installed", installed)
        return machine.succeed("--key", *arguments).stdout.strip()
    one = key("a")
    expect(one.startswith("vsm-debian-12-") and len(one.split()) == 1, one)
    expect(key("b") == one, "another key for the same")
    others = {key("c", "debian-13"), key("d", installed="bash perl"), key("e", arguments=["test"])}
    expect(len(others | {one}) == 4, str(others))


if __name__ == "__main__":
    sys.exit(harness.run(harness.TESTS["setup"]))

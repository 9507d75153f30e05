#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what a file of rules for udev makes of a DRM device: udev.py RULES FOLDER

FOLDER is that of the device in sysfs. The program knows only the keys that vsm's rules use, and
refuses all others. A rule has matched a parent if one parent has all that the rule names."""

import fnmatch
import os
import re
import sys

TOKEN = re.compile(r'([A-Z]+)(?:\{(\w+)\})?(==|!=|=|\+=)"([^"]*)"')
OWN = {"SUBSYSTEM", "KERNEL"}
PARENTS = {"SUBSYSTEMS", "DRIVERS", "ATTRS"}
RESULTS = {"GROUP", "MODE", "SYMLINK"}


def link(folder, name):
    path = os.path.join(folder, name)
    return os.path.basename(os.path.realpath(path)) if os.path.exists(path) else None


def attribute(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except OSError:
        return None


def facts(folder, name):
    """What udev compares with the keys of a device."""
    return {"SUBSYSTEM": link(folder, "subsystem"), "SUBSYSTEMS": link(folder, "subsystem"),
            "KERNEL": os.path.basename(folder), "DRIVERS": link(folder, "driver"),
            "ATTRS": attribute(folder, name or "")}


def matches(folder, tokens):
    for key, name, operator, pattern in tokens:
        value = facts(folder, name)[key]
        if (value is not None and fnmatch.fnmatchcase(value, pattern)) != (operator == "=="):
            return False
    return True


def parse(line):
    tokens = [TOKEN.fullmatch(part.strip()) for part in line.split(",")]
    if not all(tokens):
        raise SystemExit(f"not a rule: {line}")
    return [token.groups() for token in tokens]


def main():
    rules, device = sys.argv[1], os.path.realpath(sys.argv[2])
    parents = [device]
    while os.path.dirname(parents[-1]) != "/sys/devices":
        parents.append(os.path.dirname(parents[-1]))
    results, label = [], None
    with open(rules, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for tokens in map(parse, lines):
        own = [token for token in tokens if token[0] in OWN]
        above = [token for token in tokens if token[0] in PARENTS]
        orders = [token for token in tokens if token not in own + above]
        if orders[0][0] == "LABEL":
            label = None if orders[0][3] == label else label
            continue
        parent = next((p for p in parents if matches(p, above)), None)
        if label or not matches(device, own) or not parent:
            continue
        for key, _, _, value in orders:
            if key == "GOTO":
                label = value
            elif key in RESULTS:
                results.append(key + "=" + re.sub(
                    r"\$attr\{(\w+)\}", lambda found, p=parent: attribute(p, found[1]), value))
            else:
                raise SystemExit(f"no key {key}")
    print(*results, sep="\n", end="\n" if results else "")
    if label:
        raise SystemExit(f"no label {label}")


if __name__ == "__main__":
    main()

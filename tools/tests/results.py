#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks results that vsm has written, and prints what they say.

    results.py json FILE     a document of --json
    results.py junit FILE    a document of --junit, which junit.xsd has accepted
    results.py serve         reads lines "json FILE OUTPUT" and "junit FILE OUTPUT"; answers each with a line,
                             0 or 1, after it has written to OUTPUT what is wrong or what the file says

Checks every key and type that Documentation/results.rst names, and that the sums are right. Prints
a line for each test: RESULT FILE NAME LINE SEED/RUNS, and with two more spaces at the beginning its
failures. The exit status is 1 if something is wrong.
"""

import contextlib
import json
import sys
import traceback
import xml.etree.ElementTree as ElementTree

TEXT, NUMBER, NONE = str, int, type(None)
DOCUMENT = {"version": [NUMBER], "vsm": [TEXT], "command": [TEXT], "shard": [TEXT, NONE],
            "whole": [dict, NONE], "result": [TEXT], "duration_ns": [NUMBER], "counts": [dict],
            "files": [list]}
WHOLE = {"tests": [NUMBER], "hash": [TEXT], "first_seed": [NUMBER, NONE],
         "last_seed": [NUMBER, NONE]}
FILE = {"file": [TEXT], "result": [TEXT], "duration_ns": [NUMBER], "counts": [dict],
        "tests": [list]}
TEST = {"name": [TEXT, NONE], "line": [NUMBER, NONE], "result": [TEXT], "reason": [TEXT, NONE],
        "duration_ns": [NUMBER], "seed": [NUMBER, NONE], "seeds": [NUMBER, NONE],
        "report": [TEXT, NONE], "output": [TEXT, NONE], "failures": [list]}
FAILURE = {"line": [NUMBER, NONE], "column": [NUMBER, NONE], "expected": [TEXT, NONE],
           "seen": [TEXT, NONE], "fault": [TEXT, NONE], "message": [TEXT]}
RESULTS = ("pass", "fail", "skip")


def need(good, what):
    if not good:
        sys.exit(f"results.py: {what}")


def unique(pairs):
    need(len({key for key, _ in pairs}) == len(pairs), f"a key is there twice: {pairs}")
    return dict(pairs)


def check_keys(value, keys):
    need(list(value) == list(keys), f"keys {list(value)}, not {list(keys)}")
    for key, types in keys.items():
        need(type(value[key]) in types, f"{key} is {value[key]!r}")


def check_sums(value, tests):
    counts = {result: sum(test["result"] == result for test in tests) for result in RESULTS}
    need(value["counts"] == counts, f"counts {value['counts']}, not {counts}")
    need(value["result"] == ("fail" if counts["fail"] else "pass"), "wrong result")
    need(value["duration_ns"] == sum(test["duration_ns"] for test in tests), "wrong duration")


def check_test(test):
    check_keys(test, TEST)
    need(test["result"] in RESULTS, f"result {test['result']}")
    need((test["result"] == "fail") == bool(test["failures"]), "failures do not fit the result")
    need((test["result"] == "skip") == bool(test["reason"]), "the reason does not fit the result")
    for failure in test["failures"]:
        check_keys(failure, FAILURE)
    # A test with errors in the file does not run, and nor do those of a part that is missing.
    runs = test["result"] != "skip" and not any(
        f["column"] or f["message"].startswith("there are no results of this part")
        for f in test["failures"])
    need(test["duration_ns"] > 0 if runs else test["duration_ns"] == 0, "wrong duration")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, object_pairs_hook=unique)
    check_keys(document, DOCUMENT)
    need(document["version"] == 1, "another version")
    need((document["shard"] is None) == (document["whole"] is None), "a part without a whole")
    if document["whole"]:
        check_keys(document["whole"], WHOLE)
    for file in document["files"]:
        check_keys(file, FILE)
        for test in file["tests"]:
            check_test(test)
        check_sums(file, file["tests"])
    check_sums(document, [test for file in document["files"] for test in file["tests"]])
    for file in document["files"]:
        for test in file["tests"]:
            print(test["result"], ascii(file["file"]), test["name"], test["line"],
                  f"{test['seed']}/{test['seeds']}")
            for failure in test["failures"]:
                print(f"  {failure['line']}: {ascii(failure['message'])}")


def count(element, name):
    return sum(case.find(name) is not None for case in element.iter("testcase"))


def read_junit(path):
    root = ElementTree.parse(path).getroot()
    for element in [root, *root]:
        need(int(element.get("tests")) == len(list(element.iter("testcase"))), "wrong tests")
        need(int(element.get("failures")) == count(element, "failure"), "wrong failures")
        need(int(element.get("skipped")) == count(element, "skipped"), "wrong skipped")
    for suite in root:
        for case in suite:
            failure, skipped = case.find("failure"), case.find("skipped")
            need(case.get("classname") == case.get("file") == suite.get("name"), "wrong file")
            print("fail" if failure is not None else "skip" if skipped is not None else "pass",
                  ascii(case.get("file")), ascii(case.get("name")))
            if failure is not None:
                print(f"  {failure.get('type')}: {ascii(failure.get('message'))}")


READERS = {"json": read_json, "junit": read_junit}


def serve():
    for line in sys.stdin:
        kind, path, output = line.split()
        status = 0
        with open(output, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
            try:
                READERS[kind](path)
            except SystemExit as wrong:
                print(wrong)
                status = 1
            except Exception:  # pylint: disable=broad-exception-caught
                print(traceback.format_exc())
                status = 1
        print(status, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        READERS[sys.argv[1]](sys.argv[2])

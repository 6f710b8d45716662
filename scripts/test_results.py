#!/usr/bin/env python3
"""Prints `passed failed skipped names...` of a lit JSON or JUnit XML file."""

import json
import sys
import xml.etree.ElementTree as xml


def read_lit(path):
    with open(path, encoding="utf-8") as file:
        for test in json.load(file)["tests"]:
            code = test["code"]
            kind = {"PASS": "passed", "FLAKYPASS": "passed", "XFAIL": "passed",
                    "UNSUPPORTED": "skipped", "SKIPPED": "skipped", "EXCLUDED": "skipped"}.get(code, "failed")
            yield kind, test["name"]


def read_junit(path):
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            kind = "failed"
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            kind = "skipped"
        else:
            kind = "passed"
        yield kind, case.get("name", "")


def main():
    path = sys.argv[1]
    read = read_lit if path.endswith(".json") else read_junit
    tests = list(read(path))
    counts = [sum(kind == wanted for kind, _ in tests) for wanted in ("passed", "failed", "skipped")]
    names = [name.replace(" ", "_") for kind, name in tests if kind == "failed"]
    print(*counts, *names)


if __name__ == "__main__":
    main()

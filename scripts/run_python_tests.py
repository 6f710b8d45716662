#!/usr/bin/env python3
"""Runs the unittest files test_*.py below some folders; results as JUnit XML.

Usage: run_python_tests.py RESULTS.xml FOLDER...
"""

import pathlib
import sys
import time
import traceback
import unittest
import xml.etree.ElementTree as xml


class JUnitResult(unittest.TextTestResult):
    """Collects one <testcase> per test, subtests that fail included."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.root = xml.Element("testsuite", name="python")
        self.started = {}

    def startTest(self, test):
        self.started[test.id()] = time.monotonic()
        super().startTest(test)

    def add_case(self, test, kind=None, text=""):
        seconds = time.monotonic() - self.started.get(test.id().split(" ")[0], time.monotonic())
        case = xml.SubElement(self.root, "testcase", name=test.id(), time=f"{seconds:.3f}")
        if kind:
            xml.SubElement(case, kind).text = text

    def addSuccess(self, test):
        super().addSuccess(test)
        self.add_case(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.add_case(test, "failure", "".join(traceback.format_exception(*err)))

    def addError(self, test, err):
        super().addError(test, err)
        self.add_case(test, "error", "".join(traceback.format_exception(*err)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.add_case(test, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.add_case(subtest, "failure", "".join(traceback.format_exception(*err)))


def load(folders):
    suite = unittest.TestSuite()
    for path in sorted({p.parent for folder in folders for p in pathlib.Path(folder).rglob("test_*.py")}):
        suite.addTests(unittest.TestLoader().discover(str(path), pattern="test_*.py", top_level_dir=str(path)))
    return suite


def main():
    out, *folders = sys.argv[1:]
    result = unittest.TextTestRunner(resultclass=JUnitResult, verbosity=1, buffer=True).run(load(folders))
    xml.ElementTree(result.root).write(out, encoding="unicode")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Warns about source files above 500 lines and fails above 1000.

Usage: check_sizes.py [ROOT]

A longer file holds several subjects; split it by subject.
"""

import pathlib
import sys

WARN, FAIL = 500, 1000
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".py", ".td"}
TOPS = ("include", "lib", "runtime", "tools", "unittests", "scripts", "test", "bench")


def is_generated(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        head = "".join(next(file, "") for _ in range(5))
    return "generated" in head.lower() and "do not edit" in head.lower()


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1])
    count = failed = 0
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES or is_generated(path):
                continue
            count += 1
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = sum(1 for _ in file)
            if lines > WARN:
                failed += lines > FAIL
                print(f"{path.relative_to(root)}: {lines} lines, {'at most ' + str(FAIL) if lines > FAIL else 'aim for ' + str(WARN)}")
    print(f"sizes: {count} files, {failed} above {FAIL} lines")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

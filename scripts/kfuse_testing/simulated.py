"""Runs kernels of every operation in the simulator and compares with eager PyTorch.

Usage: python -m kfuse_testing.simulated [--only TEXT] [--family TEXT] [--jobs N] [--junit FILE]

A check is one operation, element type, size and layout, compiled to a kernel
and run on the CPU thread by thread. The kernel may do nothing wrong (races,
accesses out of bounds, unwritten outputs, ...) and its result must be that of
PyTorch: the same bits where the contract of `--numerics=eager` says so. A check
counts once, and only when a kernel was launched for it. Every operation and type
of docs/Support.md must have had a kernel. Needs the tools and libraries of the
build folder KFUSE_BUILD; no GPU.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import pathlib
import resource
import sys
import time
import xml.etree.ElementTree as xml

import torch

from . import batches, parity, simulated_cases

_work: list = []  # (family, batch), inherited by the worker processes


def _run(index: int) -> tuple[int, list[dict]]:
    return index, batches.run_batch(_work[index][1])


def select(options) -> list:
    families = [f for f in simulated_cases.all_families() if options.family in f.name]
    for family in families:
        family.checks = [c for c in family.checks if options.only in c.name][:: options.every]
    return [family for family in families if family.checks]


class Report:
    """Counts outcomes; prints failures as they come."""

    def __init__(self, families):
        self.checks = {check.name: (family, check) for family in families for check in family.checks}
        self.done = {}
        self.counts = collections.defaultdict(collections.Counter)
        self.generic, self.failures = {}, {}
        self.stages, self.kernels = collections.Counter(), [0, 0]
        self.again = 0  # checks repeated with the last variants

    def add(self, result):
        self.stages.update(result["stages"])
        self.kernels = [a + b for a, b in zip(self.kernels, result["kernels"])]
        for outcome in result["outcomes"]:
            self._add_outcome(outcome)

    def _add_outcome(self, outcome):
        family, check = self.checks[outcome.check]
        key = (outcome.check, outcome.sizes)
        self.again += outcome.is_again and outcome.state == "kernel"
        if outcome.state == "fail":
            self._fail(family, check, outcome)
        elif outcome.state == "generic":
            self.generic[outcome.check] = outcome.message
        if key not in self.done:
            self.done[key] = outcome.state
            self.counts[family.name][outcome.state] += 1

    def _fail(self, family, check, outcome):
        if outcome.check in self.failures:
            self.failures[outcome.check] += 1
            return
        self.failures[outcome.check] = 1
        sizes = f" sizes {outcome.sizes}" if outcome.sizes else ""
        print(
            f"FAILED {check.describe()}{sizes} seed {outcome.seed}: {outcome.message}\n"
            f"  reproduce: python -m kfuse_testing.simulated --only {check.name}",
            flush=True,
        )

    def checks_run(self):
        return sum(counter["kernel"] for counter in self.counts.values())

    def operators(self) -> set:
        """Operations and types that ran in kernels."""
        names = {name for (name, _), state in self.done.items() if state == "kernel"}
        return {(self.checks[name][1].op, self.checks[name][1].dtype) for name in names}

    def missing(self) -> list[str]:
        """Operations and types that docs/Support.md has and no kernel ran for."""
        ran = {(op.split(".")[0], dtype) for op, dtype in self.operators()}
        return sorted(f"{op} {parity.ELEMENT[dtype]}" for op, dtype in simulated_cases.claimed() - ran)

    def summary(self, seconds) -> str:
        lines = []
        for name, counter in self.counts.items():
            rest = ", ".join(f"{n} {state}" for state, n in counter.items() if state != "kernel")
            lines.append(f"  {name:16} {counter['kernel']:6} in kernels" + (f"; {rest}" if rest else ""))
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu = sum(u.ru_utime + u.ru_stime for u in usage)
        stages = ", ".join(f"{name} {spent:.0f} s" for name, spent in self.stages.items())
        lines.append(f"  {len(self.operators())} pairs of operation and type; {self.kernels[0]} of {self.kernels[1]} kernels ran")
        lines.append(f"  {seconds:.0f} s, {cpu:.0f} s of processor time ({stages})")
        lines.append(
            f"simulated: {self.checks_run()} checks in kernels, {self.again} of them again with the last variants, "
            f"{len(self.failures)} operations failed"
        )
        return "\n".join(lines)


def write_junit(report: Report, path: pathlib.Path):
    """One test case for each check and size."""
    root = xml.Element("testsuite", name="simulated")
    for (name, sizes), state in report.done.items():
        if state in ("kernel", "fail"):
            case = xml.SubElement(root, "testcase", name=f"{name} {sizes}")
            if state == "fail":
                xml.SubElement(case, "failure").text = "see the log"
    xml.ElementTree(root).write(path, encoding="unicode")


def run_all(families, jobs) -> Report:
    report = Report(families)
    _work[:] = [(family, batch) for family in families for batch in family.batches()]
    # Long ones first, so that no worker is left with one at the end.
    order = sorted(range(len(_work)), key=lambda i: -len(_work[i][1].runs) * len(_work[i][1].checks))
    started = said = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for done, future in enumerate(concurrent.futures.as_completed(pool.submit(_run, i) for i in order), 1):
            for result in future.result()[1]:
                report.add(result)
            if time.monotonic() - said >= 15 or done == len(order):
                said = time.monotonic()
                print(
                    f"[{said - started:4.0f} s] {done} of {len(order)} programs, {report.checks_run()} checks, "
                    f"{len(report.failures)} failed",
                    flush=True,
                )
    print(report.summary(time.monotonic() - started))
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="run the checks whose name has this in it")
    parser.add_argument("--family", default="", help="run the families whose name has this in it")
    parser.add_argument("--every", type=int, default=1, help="run every n-th check of a family")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--at-least", type=int, default=0, help="fail when fewer checks ran in kernels")
    parser.add_argument("--generic", action="store_true", help="list what the compiler leaves to ATen")
    parser.add_argument("--junit", type=pathlib.Path, help="write results as JUnit XML")
    options = parser.parse_args()
    torch.set_num_threads(1)
    report = run_all(select(options), options.jobs)
    if options.generic:
        for name, reason in sorted(report.generic.items()):
            print(f"generic: {name}: {reason}")
    if options.junit:
        write_junit(report, options.junit)
    if not (options.only or options.family) and options.every == 1 and (missing := report.missing()):
        print("captured, but not run in a kernel: " + ", ".join(missing))
        return 1
    if report.checks_run() < options.at_least:
        print(f"expected at least {options.at_least} checks in kernels, found {report.checks_run()}")
        return 1
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Holds the simulator to a GPU: the same kernels on the same inputs, element by element.

    hardware.py record FOLDER [--only TEXT] [--family TEXT] [--every N]     no GPU
    hardware.py compare FOLDER... [--build DIR] [--out PREFIX]              on a GPU

`record` compiles checks of simulated.py for sm_90a and for the simulator, which
get the same lowered kernels, and writes packages, inputs and the simulator's
results. `compare` runs the packages on the GPU. Kernels whose PTX has no
approximate instruction must give the same bits (any NaN is a NaN); the others
may differ by ULPS units in the last place of the result's type (of its largest
magnitude, for norms that add a bias); the report states by how much they do, by
operation. Exit status 1 when one does not.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import batches, gpu_matrix, parity, runtime, simulated, tapes

APPROXIMATE = re.compile(r"\b(?:ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh|div)\.(?:approx|full)")
# Inputs and results of a run beyond this stay out: they have to travel.
LARGEST = 1 << 25
# What the errors of the instructions (PTX ISA 9.7.3: at most 2 ulp of f32 each)
# can grow to through libdevice's functions and the rounding of the result.
ULPS = 4
# Operations that add something to what an approximation has scaled: where the sum
# is nearly zero, the unit is that of the largest magnitude of the result.
ADDING = ("batch_norm", "group_norm", "instance_norm", "layer_norm", "native_group_norm", "native_layer_norm")

# ---------------------------------------------------------------------------
# Recording
# ---------------------------------------------------------------------------


def find_approximate(folder: pathlib.Path) -> set:
    """Names of the kernels with approximate instructions in PTX files."""
    found = set()
    for path in folder.rglob("*.ptx"):
        for part in path.read_text().split(".visible .entry ")[1:]:
            if APPROXIMATE.search(part):
                found.add(re.match(r"\w+", part)[0])
    return found


def compile_both(text: str, numerics: str, package: pathlib.Path, folder: pathlib.Path) -> set:
    source = folder / "program.mlir"
    source.write_text(text)
    command = ["kfuse-compile", str(source), "--start-from=import", "--target=sm_90a", "--simulator"]
    command += [f"--numerics={numerics}", f"--dump-dir={folder}", "-o", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise RuntimeError(done.stderr[-1000:])
    return find_approximate(folder)


def storage_bytes(tensors) -> int:
    return sum(t.untyped_storage().nbytes() for t in tensors)


class Recording(batches.Session):
    """One batch: what the simulator makes of it."""

    def __init__(self, batch, package, approximate, build):
        super().__init__(batch, package, build)
        self.approximate = approximate

    def record(self, sizes) -> dict | None:
        inputs, wanted = self.trace(sizes)
        if storage_bytes(inputs) > LARGEST:
            return None
        self.simulator.configure(1)
        self.simulator.clear()
        results = [t.clone() for t in self.model(*inputs)]
        if self.simulator.findings:
            raise RuntimeError(str(self.simulator.findings[0]))
        return {"sizes": sizes, "inputs": inputs, "results": results, "checks": self.describe([len(results) for results in wanted])}

    def describe(self, counts) -> list:
        """(check, operation, dtype, first result, results, exact, launched) of each check."""
        entries = {id(step): entry for step, entry in self.plan.launched(self.simulator.launched)}
        rows, first = [], 0
        for check, count in zip(self.batch.checks, counts):
            steps = [self.plan.find_producer(first + i) for i in range(count)]
            launched = [entries[id(step)] for step in steps if id(step) in entries]
            exact = not any(entry in self.approximate for entry in launched)
            rows.append((check.name, check.op, parity.ELEMENT[check.dtype], first, count, exact, bool(launched)))
            first += count
        return rows


def record(options) -> int:
    build = pathlib.Path(options.build)
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    number = checks = 0
    for family in simulated.select(options):
        for batch in family.batches():
            name = f"{family.name}-{number}"
            number += 1
            with tempfile.TemporaryDirectory() as scratch:
                text = tapes.write_program([(c.name, c.graph) for c in batch.checks], len(batch.runs[0].sizes) > 0)
                package = options.folder / f"{name}.kfuse"
                approximate = compile_both(text, batch.numerics, package, pathlib.Path(scratch))
            recording = Recording(batch, package, approximate, build)
            runs = [run for run in (recording.record(run.sizes) for run in batch.runs) if run]
            torch.save(runs, options.folder / f"{name}.pt")
            checks += sum(row[-1] for run in runs for row in run["checks"])
            print(f"{name}: {len(batch.checks)} graphs at {len(runs)} sizes, {checks} checks so far", flush=True)
    return 0


# ---------------------------------------------------------------------------
# Comparing
# ---------------------------------------------------------------------------


def to_device(tensor, device="cuda"):
    """The same storage, strides and offset on the GPU."""
    copied = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage()).to(device, copy=True)
    empty = torch.empty(0, dtype=tensor.dtype, device=device)
    return empty.set_(copied.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride())


def order_of(tensor):
    """Integers in which neighbouring numbers are neighbours; NaN is 0."""
    width = {2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    bits = torch.where(tensor.isnan(), torch.zeros_like(tensor), tensor).contiguous().view(width).to(torch.int64)
    lowest = -(1 << (8 * tensor.element_size() - 1))
    return torch.where(bits < 0, lowest - bits, bits)


def difference_in_ulps(ours, theirs, of_largest=False) -> float:
    """Largest difference in units in the last place; NaN equals NaN, and only
    that. Zeros of another sign differ by half a unit."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return float("inf")
    dtype = ours.dtype
    if not dtype.is_floating_point:
        return 0.0 if torch.equal(ours, theirs) else float("inf")
    if not torch.equal(ours.isnan(), theirs.isnan()):
        return float("inf")
    steps = (order_of(ours) - order_of(theirs)).abs()
    if not bool(steps.any()):
        signs = torch.signbit(ours) == torch.signbit(theirs)
        return 0.0 if bool((signs | ours.isnan()).all()) else 0.5
    if not of_largest:
        return float(steps.double().max())
    ours, theirs = ours.double(), theirs.double()
    largest = float(theirs.nan_to_num(0.0, 0.0, 0.0).abs().max()) or 1.0
    unit = 2.0 ** (math.floor(math.log2(largest)) - parity.MANTISSA[dtype])
    return float((ours - theirs).abs().nan_to_num(0.0, math.inf, math.inf).max()) / unit


class Tally:
    def __init__(self):
        self.exact = self.exact_equal = self.near = self.near_equal = 0
        self.worst = collections.defaultdict(float)
        self.failures = []

    def add(self, row, sizes, ulps):
        name, op, dtype, _, _, exact, _ = row
        if exact:
            self.exact += 1
            self.exact_equal += ulps == 0
        else:
            self.near += 1
            self.near_equal += ulps == 0
            self.worst[f"{op} {dtype}"] = max(self.worst[f"{op} {dtype}"], ulps)
        if ulps > (0 if exact else ULPS):
            self.failures.append(f"{name} {sizes}: {ulps:.3g} ulp, {'exact' if exact else 'approximate'}")

    def text(self, environment) -> str:
        lines = [
            f"{environment['gpu']}, torch {environment['torch']}. {self.exact + self.near} checks.",
            f"Without approximate instructions: {self.exact}, of which {self.exact_equal} have the same bits.",
            f"With them: {self.near}, of which {self.near_equal} have the same bits; largest differences in ulp:",
            "",
        ]
        groups = collections.defaultdict(list)
        for name, ulps in sorted(self.worst.items()):
            groups[ulps].append(name)
        lines += [f"- {ulps:.3g}: {', '.join(names)}" for ulps, names in sorted(groups.items())]
        return "\n".join(lines + [""] + [f"FAILED {text}" for text in self.failures]) + "\n"


def compare_batch(path, library, tally):
    package = runtime.Package(library, path)
    model = runtime.Model(library, package, "cuda:0", runtime.PLAN)
    for run in torch.load(path.with_suffix(".pt"), weights_only=False):
        found = [t.cpu() for t in model(*[to_device(t) for t in run["inputs"]])]
        torch.cuda.synchronize()
        for row in run["checks"]:
            _, _, _, first, count, _, launched = row
            if launched:
                pairs = zip(found[first : first + count], run["results"][first : first + count])
                of_largest = row[1].split(".")[0] in ADDING
                tally.add(row, run["sizes"], max(difference_in_ulps(a, b, of_largest) for a, b in pairs))


def compare(options) -> int:
    library = runtime.Library(pathlib.Path(options.build) / "lib" / "libkfuse_runtime.so")
    tally = Tally()
    for path in sorted(path for folder in options.folders for path in folder.glob("*.kfuse")):
        try:
            compare_batch(path, library, tally)
        except Exception as error:
            tally.failures.append(f"{path.name}: {type(error).__name__}: {str(error)[:300]}")
    text = tally.text(gpu_matrix.environment())
    print(text)
    options.out.with_suffix(".md").write_text(text)
    numbers = {"exact": tally.exact, "exact_equal": tally.exact_equal, "near": tally.near, "near_equal": tally.near_equal}
    options.out.with_suffix(".json").write_text(json.dumps({**numbers, "worst": tally.worst, "failures": tally.failures}))
    return 1 if tally.failures else 0


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("record", "compare"):
        command = commands.add_parser(name)
        command.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    recording, comparing = commands.choices["record"], commands.choices["compare"]
    recording.add_argument("folder", type=pathlib.Path)
    comparing.add_argument("folders", type=pathlib.Path, nargs="+")
    recording.add_argument("--only", default="", help="checks whose name has this in it")
    recording.add_argument("--family", default="", help="families whose name has this in it")
    recording.add_argument("--every", type=int, default=1, help="every n-th check of a family")
    comparing.add_argument("--out", type=pathlib.Path, default=pathlib.Path("hardware"), help="prefix of the reports")
    return parser.parse_args(argv)


def main(argv=None) -> int:
    options = parse(argv)
    return record(options) if options.command == "record" else compare(options)


if __name__ == "__main__":
    sys.exit(main())

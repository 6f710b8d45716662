"""Compiles batches of graphs for the simulator, runs them there at several
sizes and compares with eager PyTorch.

One batch is one program with independent outputs, so that one compiler process
and one module serve many checks. A batch that does not survive is split until
the guilty graph stands alone.
"""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import zlib
from typing import Callable

import torch

from . import packages, parity, runtime, simulator, tapes


@dataclasses.dataclass
class Check:
    """A graph and what is expected of it."""

    name: str
    op: str
    dtype: torch.dtype
    layout: str
    graph: Callable
    ulps: float = 0.0  # 0: the same bits
    atol: float = 0.0
    is_wide: bool = False  # compare with the graph in f64, rounded at the end

    def rerun(self, sizes, **kwargs) -> list:
        """The results of the graph on the same inputs, by another tape."""
        torch.manual_seed(seed_of(self, sizes))
        return tapes.run_graph(self.graph, sizes, **kwargs)[1]

    def refer(self, sizes, results) -> list:
        """For each result, what else `compare` needs."""
        return self.rerun(sizes, is_wide=True) if self.is_wide else [None] * len(results)

    def compare(self, found, eager, wide) -> str:
        """What is wrong with one result; empty when nothing is."""
        return parity.difference(found, eager if wide is None else wide.to(eager.dtype), self)

    def describe(self) -> str:
        return f"{self.op} {parity.ELEMENT[self.dtype]} {self.layout}"


@dataclasses.dataclass
class Run:
    """Sizes at which all graphs of a batch are run, with these seeds."""

    sizes: tuple
    seeds: tuple = (1,)
    timings: tuple = ("late",)


@dataclasses.dataclass
class Batch:
    checks: list[Check]
    runs: list[Run]
    numerics: str = "eager"
    # Sizes at which the last variants of kernels run too: those that take
    # anything, with 64-bit offsets, and are otherwise chosen for huge tensors.
    last_runs: list[Run] = dataclasses.field(default_factory=list)

    def split(self) -> list["Batch"]:
        half = len(self.checks) // 2
        return [dataclasses.replace(self, checks=part) for part in (self.checks[:half], self.checks[half:])]


@dataclasses.dataclass
class Outcome:
    """What came of one check at one size: `kernel`, `empty` (nothing to launch),
    `generic` (left to ATen by design), or `fail` with a message."""

    check: str
    sizes: tuple
    state: str
    message: str = ""
    seed: int = 0
    is_again: bool = False  # by another variant of the kernel


class Plan:
    """What plan.json says about each output."""

    def __init__(self, package):
        self.plan = json.loads(package.member("plan.json"))
        self.ledger = json.loads(package.member("ledger.json"))
        self.entries = [
            binary["entry"] if (binary := kernel["binaries"].get("sim")) else "" for kernel in self.plan["kernels"]
        ]
        self.producers = {}
        self.launches = []
        for step in self.plan["steps"]:
            results = step.get("outputs", []) if step["op"] == "launch" else [step.get("result")]
            if step["op"] == "aten":
                results = [r["t"] for r in step["results"] if r and "t" in r]
            for tensor in results:
                self.producers[tensor] = step
            if step["op"] == "launch":
                self.launches.append(step)
        self.nodes = [
            {op["node"] for op in launch["ops"] if op.get("node")} for launch in self.ledger.get("launches", [])
        ]

    def find_producer(self, output: int) -> dict | None:
        """The step that computes an output, through views and copies."""
        tensor = self.plan["outputs"][output].get("t")
        while tensor is not None:
            step = self.producers.get(tensor)
            if step is None or step["op"] not in ("view", "copy"):
                return step
            tensor = step["source"]
        return None

    def launched(self, log) -> list[dict]:
        """The launch steps behind a log of kernels, in order."""
        steps, found = iter(self.launches), []
        for entry, _, _ in log:
            for step in steps:
                if any(self.entries[variant["kernel"]] == entry for variant in step["variants"]):
                    found.append((step, entry))
                    break
        return found


def get_build() -> pathlib.Path:
    """The build folder: KFUSE_BUILD, or build/dev of this source tree."""
    root = pathlib.Path(__file__).resolve().parents[2]
    return pathlib.Path(os.environ.get("KFUSE_BUILD") or root / "build" / "dev")


def compile_program(text: str, folder: pathlib.Path, numerics: str) -> tuple[pathlib.Path | None, str]:
    source, package = folder / "program.mlir", folder / "program.kfuse"
    source.write_text(text)
    tool = get_build() / "bin" / "kfuse-compile"
    command = [str(tool), str(source), "--start-from=import", "--target=sim", "-j", "1"]
    done = subprocess.run(
        [*command, f"--numerics={numerics}", "-o", str(package)], capture_output=True, text=True, timeout=600
    )
    return (package, "") if done.returncode == 0 else (None, (done.stderr or f"status {done.returncode}")[:2000])


def seed_of(check: Check, sizes, seed=0) -> int:
    return zlib.crc32(f"{check.name} {sizes} {seed}".encode())


class Session:
    """A batch's package on the simulator."""

    def __init__(self, batch: Batch, package: pathlib.Path, build: pathlib.Path):
        self.batch = batch
        self.library = runtime.Library(build / "lib" / "libkfuse_runtime.so")
        self.simulator = simulator.Simulator(build)
        self.simulator.configure()
        opened = runtime.Package(self.library, package)
        self.plan = Plan(opened)
        self.model = runtime.Model(self.library, opened, program=runtime.PLAN, table=self.simulator.table)
        self.entries = set()

    def trace(self, sizes) -> tuple[list, list]:
        """All inputs at these sizes, and what eager gives for each check."""
        inputs, wanted = [], []
        for check in self.batch.checks:
            torch.manual_seed(seed_of(check, sizes))
            tape, results = tapes.run_graph(check.graph, sizes)
            inputs += [item.tensor for item in tape.inputs]
            wanted.append(results)
        return inputs, wanted

    def run(self, run: Run) -> list[Outcome]:
        inputs, results = self.trace(run.sizes)
        wanted = [list(zip(r, check.refer(run.sizes, r))) for check, r in zip(self.batch.checks, results)]
        outcomes = []
        for timing in run.timings:
            for seed in run.seeds:
                self.simulator.configure(seed, timing)
                self.simulator.clear()
                results = self.model(*inputs)
                outcomes += self._judge(run, seed, results, wanted)
        return outcomes

    def _judge(self, run, seed, results, wanted) -> list[Outcome]:
        launched = self.plan.launched(self.simulator.launched)
        steps = {id(step) for step, _ in launched}
        self.entries.update(entry for _, entry in launched)
        findings = self._find_guilty(launched)
        outcomes, at = [], 0
        for check, expected in zip(self.batch.checks, wanted):
            found, first = results[at : at + len(expected)], at
            at += len(expected)
            producers = [self.plan.find_producer(first + i) for i in range(len(expected))]
            kernels = [step for step in producers if step is not None and step["op"] == "launch"]
            message = "; ".join(findings.get(check.name, []))
            for i, (ours, theirs) in enumerate(zip(found, expected)):
                if not message and (difference := check.compare(ours, *theirs)):
                    message = f"result {i}: {difference}"
            if message:
                outcomes.append(Outcome(check.name, run.sizes, "fail", message, seed))
            elif not kernels:
                reason = next((s.get("reason", "") for s in producers if s is not None), "a view")
                outcomes.append(Outcome(check.name, run.sizes, "generic", reason, seed))
            else:
                ran = any(id(step) in steps for step in kernels)
                outcomes.append(Outcome(check.name, run.sizes, "kernel" if ran else "empty", "", seed))
        return outcomes

    def _find_guilty(self, launched) -> dict[str, list[str]]:
        """Findings by the check whose kernel they are in."""
        nodes = {}
        for step, entry in launched:
            index = next(i for i, launch in enumerate(self.plan.launches) if launch is step)
            nodes.setdefault(entry, set()).update(self.plan.nodes[index])
        guilty = {}
        for finding in self.simulator.findings:
            names = nodes.get(finding.kernel) or {check.name for check in self.batch.checks}
            for name in names:
                guilty.setdefault(name, []).append(str(finding))
        return guilty


def _write(batch: Batch) -> tuple[str, Batch, list[Outcome]]:
    """The program of a batch, without what PyTorch refuses: a mistake in the
    tables."""
    is_dynamic, outcomes = len(batch.runs[0].sizes) > 0, []
    try:
        return tapes.write_program([(c.name, c.graph) for c in batch.checks], is_dynamic), batch, outcomes
    except Exception as error:
        if len(batch.checks) == 1:
            text = f"cannot be made: {type(error).__name__}: {error}".splitlines()[0]
            return "", dataclasses.replace(batch, checks=[]), [Outcome(batch.checks[0].name, (), "fail", text)]
    good = []
    for check in batch.checks:
        _, part, failures = _write(dataclasses.replace(batch, checks=[check]))
        good += part.checks
        outcomes += failures
    text = tapes.write_program([(c.name, c.graph) for c in good], is_dynamic) if good else ""
    return text, dataclasses.replace(batch, checks=good), outcomes


def _run_here(batch: Batch, build: pathlib.Path, folder: pathlib.Path) -> dict:
    """Outcomes and numbers of a batch, in this process."""
    times = {"started": time.monotonic()}
    text, batch, outcomes = _write(batch)
    if not batch.checks:
        return {"outcomes": outcomes, "stages": {}, "kernels": (0, 0)}
    times["written"] = time.monotonic()
    package, message = compile_program(text, folder, batch.numerics)
    times["compiled"] = time.monotonic()
    if package is None:
        return {"error": f"cannot be compiled: {message}"}
    session = Session(batch, package, build)
    times["loaded"] = time.monotonic()
    for run in batch.runs:
        outcomes += session.run(run)
    times["run"] = time.monotonic()
    if batch.last_runs:
        outcomes += _run_last_variants(batch, package, build)
        times["last variants"] = time.monotonic()
    marks = list(times.items())
    stages = {name: now - before for (_, before), (name, now) in zip(marks, marks[1:])}
    return {"outcomes": outcomes, "stages": stages, "kernels": (len(session.entries), len(set(session.plan.entries)))}


def _run_last_variants(batch, package, build) -> list[Outcome]:
    """Failures of the variants that are chosen last."""
    last = package.with_suffix(".last.kfuse")
    packages.keep_last_variants(package, last)
    session = Session(batch, last, build)
    outcomes = [outcome for run in batch.last_runs for outcome in session.run(run)]
    for outcome in outcomes:
        outcome.message = outcome.message and f"in the last variant: {outcome.message}"
        outcome.is_again = True
    return outcomes


def _child(pipe, batch, build, folder):
    torch.set_num_threads(1)
    # ATen's kernels warn; what is said before a crash is looked at by the parent.
    os.dup2(os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT), 2)
    try:
        result = _run_here(batch, build, folder)
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    pipe.send(result)
    pipe.close()


def _run_apart(batch: Batch, build, timeout) -> dict:
    """The same in a process of its own, which may die."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kfuse-batch-"))
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_child, args=(theirs, batch, build, folder))
    try:
        process.start()
        theirs.close()
        result = {"error": f"no answer in {timeout} s"}
        if ours.poll(timeout):
            try:
                result = ours.recv()
            except EOFError:
                process.join()
                said = (folder / "stderr").read_text(errors="replace")[-500:]
                result = {"error": f"the process died with status {process.exitcode}: {said}"}
        if process.is_alive() and "error" in result:
            process.kill()
        process.join()
        return result
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_batch(batch: Batch, build=None, timeout=300) -> list[dict]:
    """Results of a batch, or of its parts when it does not survive."""
    build = pathlib.Path(build or get_build())
    result = _run_apart(batch, build, timeout)
    if "error" not in result:
        return [result]
    if len(batch.checks) == 1:
        outcome = Outcome(batch.checks[0].name, (), "fail", result["error"])
        return [{"outcomes": [outcome], "stages": {}, "kernels": (0, 0)}]
    return [part for half in batch.split() for part in run_batch(half, build, timeout)]

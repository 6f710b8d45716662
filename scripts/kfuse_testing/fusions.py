"""Compares random fusions in the simulator with eager PyTorch, and shrinks what fails.

Usage: python -m kfuse_testing.fusions [--seeds FIRST:LAST] [--jobs N] [--keep FOLDER] [--replay FILE]

Graphs of 2 to 12 operations over mixed types and layouts, with views,
reductions and several outputs, drawn from seeds. Exact ones must have the bits
of eager PyTorch; the others may be as far from the same graph in f64 as eager
PyTorch is, with some room. A failing graph is made smaller until nothing can be
left out, and written to FOLDER as a program (.mlir) and as a recipe that
--replay runs again.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import pathlib
import pickle
import sys
import time

import torch

from . import batches, fusion_recipes, parity, shrinking, tapes
from .batches import Batch, Run

_BATCH_SIZE = 25
# Times the largest of eager's error and of what moving every value by an ulp
# does: how far apart two right answers are. The contract (twice eager's error
# and one ulp) speaks of many values; a largest error of few is a draw.
_ROOM = 4.0
_ANY_SIZES = ((61, 33), (64, 128), (5, 67), (130, 7), (1, 64), (32, 1))
_work: list = []


class Fusion(batches.Check):
    """A check of a recipe."""

    def __init__(self, recipe, name=None):
        dtypes = [source.dtype for source in recipe.sources]
        super().__init__(
            name or f"fusion_{recipe.seed}",
            " ".join(step.name for step in recipe.steps),
            dtypes[0],
            "+".join(source.layout for source in recipe.sources),
            recipe.graph,
            ulps=0.5,  # which zero wins in a maximum is nobody's promise
        )
        self.recipe = recipe


    def refer(self, sizes, results) -> list:
        if self.recipe.is_exact:
            return [None] * len(results)
        spread = [torch.zeros((), dtype=torch.float64) for _ in results]
        for disturbed in (self.rerun(sizes, noise=noise) for noise in (1.0, 1.01)):
            moved = [(a.double() - b.double()).abs() for a, b in zip(disturbed, results)]
            spread = [torch.maximum(s, m.where(m.isfinite(), 0.0).max()) if m.numel() else s for s, m in zip(spread, moved)]
        return list(zip(self.rerun(sizes, is_wide=True), spread))

    def compare(self, found, eager, reference) -> str:
        if reference is None or not eager.dtype.is_floating_point or found.shape != eager.shape or not eager.numel():
            return super().compare(found, eager, None)
        limit, unit = torch.finfo(eager.dtype).max, torch.finfo(eager.dtype).eps
        wide, spread = reference
        ours, theirs, wide = found.double(), eager.double(), wide.double()
        # Where values leave the type's range, one more rounding decides.
        counts = theirs.isfinite() & wide.isfinite() & (wide.abs() < limit / 4)
        eagers = (theirs - wide).abs().where(counts, 0.0).amax()
        allowed = _ROOM * (torch.maximum(eagers, spread) + unit * (wide.abs() + torch.finfo(eager.dtype).tiny))
        bad = counts & ~((ours - wide).abs() <= allowed)
        bad |= (wide.abs() < limit / 4) & theirs.isnan() & ~ours.isnan()
        if not bad.any():
            return ""
        at = tuple(bad.nonzero()[0].tolist())
        return (
            f"{int(bad.sum())} of {bad.numel()} differ, first at {list(at)}: in f64 {wide[at].item()!r}, "
            f"eager {theirs[at].item()!r}, found {ours[at].item()!r}, allowed {allowed[at].item():.3g}"
        )


def _get_sizes(recipe) -> tuple:
    """The sizes for a graph that can be written for any size; none where it
    cannot."""
    if recipe.seed % 2 or len(recipe.symbols()) < 2:
        return ()
    try:
        tapes.write_program([("", recipe.graph)], True)
    except Exception:  # a size that is no polynomial, or a call that needs these sizes
        return ()
    return tuple(sizes for sizes in _ANY_SIZES if _is_possible(recipe, sizes))


def _make_batches(recipes, numerics) -> list[Batch]:
    """Graphs that run at the same sizes share a program."""
    groups = collections.defaultdict(list)
    for recipe in recipes:
        groups[_get_sizes(recipe)].append(recipe)
    made = []
    for sizes, group in groups.items():
        runs = [Run(pair, seeds=(1, 2) if i == 0 else (1,)) for i, pair in enumerate(sizes)] or [Run((), seeds=(1, 2))]
        parts = [group[at : at + _BATCH_SIZE] for at in range(0, len(group), _BATCH_SIZE)]
        made += [Batch([Fusion(recipe) for recipe in part], runs, numerics) for part in parts]
    return made


def _is_possible(recipe, sizes) -> bool:
    """Not where PyTorch refuses the graph, or slices differently."""
    try:
        return tapes.fits(recipe.graph, sizes)
    except Exception:  # whatever PyTorch says of sizes that do not fit
        return False


def run_recipe(recipe, numerics) -> str:
    """What is wrong with one recipe; empty when nothing is."""
    for result in batches.run_batch(_make_batches([recipe], numerics)[0]):
        for outcome in result["outcomes"]:
            if outcome.state == "fail":
                return outcome.message
    return ""


def _run(index):
    return index, batches.run_batch(_work[index])


def _write_failure(recipe, message, numerics, folder: pathlib.Path):
    name = f"fusion_{recipe.seed}_{numerics}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.recipe").write_bytes(pickle.dumps((recipe, numerics)))
    replay = f"python -m kfuse_testing.fusions --replay {folder / name}.recipe"
    is_dynamic = bool(_make_batches([recipe], numerics)[0].runs[0].sizes)
    program = tapes.write_program([(name, recipe.graph)], is_dynamic)
    lines = [f"// {line}" for line in message.splitlines()[:4]]
    compiler = f"kfuse-compile {name}.mlir --start-from=import --target=sim --numerics={numerics}"
    (folder / f"{name}.mlir").write_text("\n".join([*lines, f"// {replay}", f"// {compiler}", program]))
    return folder / f"{name}.mlir", replay


class Report:
    def __init__(self, numerics, folder, budget):
        self.numerics, self.folder, self.budget = numerics, folder, budget
        self.counts = {"kernel": 0, "generic": 0, "empty": 0, "fail": 0}
        self.operations = 0

    def add(self, batch, results):
        recipes = {check.name: check.recipe for check in batch.checks}
        seen = set()
        for result in results:
            for outcome in result["outcomes"]:
                if outcome.state == "fail" or outcome.check not in seen:
                    self._add(recipes[outcome.check], outcome, outcome.check in seen)
                seen.add(outcome.check)

    def _add(self, recipe, outcome, again):
        if again:
            return
        self.counts[outcome.state] += 1
        self.operations += len(recipe.steps)
        if outcome.state != "fail":
            return
        print(f"FAILED seed {recipe.seed} ({self.numerics}): {outcome.message}", flush=True)
        small = shrinking.shrink(recipe, lambda candidate: run_recipe(candidate, self.numerics), self.budget)
        message = run_recipe(small, self.numerics) or outcome.message
        path, replay = _write_failure(small, message, self.numerics, self.folder)
        print(f"  {len(recipe.steps)} operations, shrunk to {len(small.steps)}: {path}\n  reproduce: {replay}", flush=True)


def run_all(seeds, numerics, jobs, folder, budget) -> Report:
    report = Report(numerics, folder, budget)
    recipes = [fusion_recipes.draw(seed) for seed in seeds]
    if numerics != "eager":  # where roundings are dropped on purpose, bits of half types differ
        recipes = [recipe for recipe in recipes if not (recipe.is_exact and shrinking.has_half(recipe))]
    _work[:] = _make_batches(recipes, numerics)
    started = said = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(_run, i) for i in range(len(_work))]
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            index, results = future.result()
            report.add(_work[index], results)
            if time.monotonic() - said >= 15:
                said = time.monotonic()
                print(f"[{said - started:4.0f} s] {done} of {len(_work)} programs", flush=True)
    counts = ", ".join(f"{n} {state}" for state, n in report.counts.items() if n)
    print(f"fusions ({numerics}): {len(recipes)} graphs of {report.operations} operations: {counts}; "
          f"{time.monotonic() - started:.0f} s")
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:200", help="FIRST:LAST, the last one not included")
    parser.add_argument("--numerics", action="append", choices=("eager", "fused"), help="default: both")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("simulated-failures"))
    parser.add_argument("--budget", type=int, default=120, help="graphs tried to make one failure smaller")
    parser.add_argument("--replay", type=pathlib.Path, help="run the recipe in this file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.replay:
        recipe, numerics = pickle.loads(options.replay.read_bytes())
        message = run_recipe(recipe, numerics)
        print(message or "agrees")
        return 1 if message else 0
    first, _, last = options.seeds.partition(":")
    seeds = range(int(first), int(last) if last else int(first) + 1)
    failed = 0
    for numerics in options.numerics or ("eager", "fused"):
        failed += run_all(seeds, numerics, options.jobs, options.keep, options.budget).counts["fail"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

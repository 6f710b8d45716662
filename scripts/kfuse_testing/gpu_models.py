#!/usr/bin/env python3
"""Compares compiled whole models on a GPU with eager PyTorch and torch.compile.

    gpu_models.py FOLDER [--build DIR | --library SO] [--only TEXT]... [--seed N]
                  [--no-compile] [--profile] [--out PREFIX]

FOLDER holds MODEL.DTYPE.kfuse, whose weights may be named by reference, and the
exported program MODEL.DTYPE.pt2, or MODEL.DTYPE.lean.pt2 from which it is made
(lean.py). Inputs are the program's samples, else those of models.py. For each model, in one process and taking turns: kfuse, the exported
program in eager mode and under torch.compile, each called from the host in a
loop (wall) and replayed as one CUDA graph of a single call (graph).

The error is the L2 norm of the difference from eager divided by the L2 norm of
eager's result, largest over the outputs. It may be three times torch.compile's,
or the dtype's bound (f32 1e-4, bf16 3e-2), whichever is larger.
Writes PREFIX.json and PREFIX.md; exit status 1 when a model is wrong or fails.
"""

import argparse
import gc
import json
import os
import pathlib
import statistics
import sys
import time
import traceback

import torch
from torch.utils import _pytree as pytree

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import gpu_matrix, lean, models, runtime

BOUNDS = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 3e-2}


def tensors_of(values):
    return [v for v in pytree.tree_leaves(values) if isinstance(v, torch.Tensor)]


# ---------------------------------------------------------------------------
# Numerics
# ---------------------------------------------------------------------------


def l2_error(got, want):
    """Largest relative L2 error over the outputs; infinite when shapes or types
    differ or a value is NaN in one only."""
    worst = 0.0
    for ours, theirs in zip(got, want):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return float("inf")
        ours, theirs = ours.double(), theirs.double()
        if not torch.equal(ours.isnan(), theirs.isnan()):
            return float("inf")
        norm = theirs.nan_to_num().norm().item()
        worst = max(worst, (ours - theirs).nan_to_num().norm().item() / max(norm, 1e-30))
    return worst if len(got) == len(want) else float("inf")


def bound_of(tensors):
    return max((BOUNDS.get(t.dtype, 0.0) for t in tensors), default=0.0)


# ---------------------------------------------------------------------------
# Candidates: one call from the host, and a graph of one call
# ---------------------------------------------------------------------------


class TorchCandidate:
    def __init__(self, name, function, args, kwargs):
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.stream = torch.cuda.Stream()
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                self.result = self.call()
        self.stream.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.kept = self.call()

    def call(self):
        return self.function(*self.args, **self.kwargs)

    def replay(self):
        self.graph.replay()


class KfuseCandidate:
    name = "kfuse"

    def __init__(self, model, values):
        self.model, self.stream = model, torch.cuda.Stream()
        self.handle = self.stream.cuda_stream
        self.bound = model.bind(values)
        for _ in range(3):
            self.bound.run(self.handle)
        self.stream.synchronize()
        self.result = [t.clone() for t in self.bound.results()]
        self.captured = model.bind(values)
        self.graph = self.captured.capture(self.handle)

    def call(self):
        self.bound.run(self.handle)

    def replay(self):
        self.captured.replay(self.graph, self.handle)


def sample(candidate, function, calls):
    """Microseconds a call of `calls` in a row, the last one waited for."""
    with torch.cuda.stream(candidate.stream):
        candidate.stream.synchronize()
        started = time.perf_counter()
        for _ in range(calls):
            function()
        candidate.stream.synchronize()
        return (time.perf_counter() - started) * 1e6 / calls


def measure(candidates, repetitions, calls):
    """{name: {wall_us, graph_us}}: medians over interleaved repetitions."""
    samples = {c.name: {"wall_us": [], "graph_us": []} for c in candidates}
    for index in range(repetitions + 1):
        for c in candidates:
            for kind, function in (("wall_us", c.call), ("graph_us", c.replay)):
                us = sample(c, function, calls)
                if index:
                    samples[c.name][kind].append(us)
    return {name: {kind: statistics.median(v) for kind, v in kinds.items()} for name, kinds in samples.items()}


def profile(candidate):
    """GPU microseconds by kernel of one host-driven call, largest first."""
    from torch.profiler import ProfilerActivity

    with torch.profiler.profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as record:
        sample(candidate, candidate.call, 3)
    rows = {}
    for event in record.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            row = rows.setdefault(event.name, [0, 0.0])
            row[0], row[1] = row[0] + 1 / 3, row[1] + event.device_time_total / 3
    return sorted(([name[:110], round(n, 1), round(us, 1)] for name, (n, us) in rows.items()), key=lambda r: -r[2])


# ---------------------------------------------------------------------------
# One model
# ---------------------------------------------------------------------------


def fill(path, seed):
    """Makes MODEL.DTYPE.pt2 of its lean form, once."""
    thin = path.with_suffix(".lean.pt2")
    if not path.exists() and thin.exists():
        lean.fill(thin, path, seed)


def load(path):
    """The exported program on the GPU, and its sample inputs there."""
    from torch.export.passes import move_to_device_pass

    program = torch.export.load(path)
    inputs = program.example_inputs
    if inputs is None:
        name, dtype = path.stem.rsplit(".", 1)
        inputs = (), models.find(name).inputs(models.DTYPES[dtype], False)
    return move_to_device_pass(program, "cuda:0"), *pytree.tree_map_only(torch.Tensor, lambda t: t.to("cuda:0"), inputs)


def compile_with_torch(module, args, kwargs):
    torch._dynamo.reset()
    started = time.perf_counter()
    compiled = torch.compile(module, dynamic=False)
    compiled(*args, **kwargs)
    torch.cuda.synchronize()
    return compiled, time.perf_counter() - started


def open_model(options, path, library):
    started = time.perf_counter()
    package = runtime.Package(library, path)
    model = runtime.Model(library, package, "cuda:0", runtime.PLAN, search=str(path.parent))
    return model, time.perf_counter() - started


def run_model(path, options, library):
    fill(path.with_suffix(".pt2"), options.seed)
    program, args, kwargs = load(path.with_suffix(".pt2"))
    module = program.module(check_guards=False)
    values = [v for v in pytree.tree_leaves((args, kwargs)) if isinstance(v, (torch.Tensor, bool, int, float))]
    model, opened = open_model(options, path, library)
    row = {"name": path.stem, "open_s": opened, "package_bytes": path.stat().st_size}
    row["launches"], row["runnable"] = model.launches()
    candidates = [KfuseCandidate(model, values), TorchCandidate("eager", module, args, kwargs)]
    row["counters"] = model.counters()
    row["fallbacks"] = [f for f in model.fallbacks() if f[1] != "library"]
    if options.compile:
        compiled, row["torch_compile_s"] = compile_with_torch(module, args, kwargs)
        candidates.append(TorchCandidate("torch_compile", compiled, args, kwargs))
    eager = tensors_of(candidates[1].result)
    row["error"] = l2_error(candidates[0].result, eager)
    candidates[0].replay()
    torch.cuda.synchronize()
    row["graph_error"] = l2_error(candidates[0].captured.results(), eager)
    row["compile_error"] = l2_error(tensors_of(candidates[2].result), eager) if options.compile else 0.0
    row["bound"] = max(bound_of(eager), 3 * row["compile_error"])
    row["times"] = measure(candidates, options.repetitions, options.calls)
    if options.profile:
        row["profile"] = {c.name: profile(c) for c in candidates}
    return row


# ---------------------------------------------------------------------------
# Report
# ---------------------------------------------------------------------------


def verdict(row):
    if "failure" in row:
        return "failed"
    if not max(row["error"], row["graph_error"]) <= row["bound"]:
        return "wrong"
    return "ok"


def markdown(report):
    env = report["environment"]
    lines = [
        f"{env['gpu']}, torch {env['torch']}, Python {env['python']}. Microseconds per call, wall (host-driven, in a loop)",
        "/ graph (replay of one captured call), medians of interleaved repetitions. Errors are relative L2 against eager.",
        "",
        "| model | eager | torch.compile | kfuse | wall / torch.compile's | graph / torch.compile's | launches | library "
        "| other fallbacks | error | torch.compile's | |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in report["rows"]:
        if "failure" in row:
            text = row["failure"].splitlines()[-1][:160].replace("|", "/")
            lines.append(f"| {row['name']} | | | | | | | | | {text} | | failed |")
            continue
        times = row["times"]
        both = lambda n: f"{times[n]['wall_us']:.0f} / {times[n]['graph_us']:.0f}" if n in times else "-"
        ratio = lambda kind: (
            f"{times['kfuse'][kind] / times['torch_compile'][kind]:.2f}" if "torch_compile" in times else "-"
        )
        kinds = row["counters"]["fallbacks"]
        lines.append(
            f"| {row['name']} | {both('eager')} | {both('torch_compile')} | {both('kfuse')} | {ratio('wall_us')} "
            f"| {ratio('graph_us')} | {row['launches']} | {kinds['library']} "
            f"| {sum(kinds.values()) - kinds['library']} | {row['error']:.2g} | {row['compile_error']:.2g} "
            f"| {row['verdict']} |"
        )
    return "\n".join(lines) + "\n"


def parse(argv):
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--library", help="libkfuse_runtime.so, default BUILD/lib")
    parser.add_argument("--provider", help="libkfuse_torch.so, default beside the runtime")
    parser.add_argument("--only", action="append", default=[], help="models whose name contains this")
    parser.add_argument("--seed", type=int, default=0, help="of weights that a lean program left out")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leave torch.compile out")
    parser.add_argument("--profile", action="store_true", help="GPU time by kernel, in the JSON file")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--calls", type=int, default=20, help="calls in a row of one repetition")
    parser.add_argument("--out", type=pathlib.Path, default="gpu-models", help="prefix of the report files")
    return parser.parse_args(argv)


def main(argv=None):
    options = parse(argv)
    if not torch.cuda.is_available():
        print("gpu_models: no CUDA device", file=sys.stderr)
        return 2
    # Else f32 convolutions are those of 19 bits, and differ by the algorithm.
    torch.backends.cudnn.allow_tf32 = False
    library_path = options.library or pathlib.Path(options.build) / "lib" / "libkfuse_runtime.so"
    library = runtime.Library(library_path, options.provider)
    report = {"environment": gpu_matrix.environment(), "rows": []}
    for path in sorted(options.folder.glob("*.kfuse")):
        if options.only and not any(text in path.stem for text in options.only):
            continue
        try:
            with torch.no_grad():
                row = run_model(path, options, library)
        except Exception:
            row = {"name": path.stem, "failure": traceback.format_exc(limit=-3).strip()}
        row["verdict"] = verdict(row)
        report["rows"].append(row)
        print(f"{row['verdict']:8} {row['name']}", row.get("failure") or row["times"], flush=True)
        gc.collect()
        torch.cuda.empty_cache()
        # Written after each model: a lost machine keeps what was measured.
        options.out.with_suffix(".json").write_text(json.dumps(report, indent=1) + "\n")
        options.out.with_suffix(".md").write_text(markdown(report))
    print(markdown(report))
    return 1 if any(row["verdict"] != "ok" for row in report["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())

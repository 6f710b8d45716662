#!/usr/bin/env python3
"""Measures compiled workloads on a GPU against a device copy, eager and torch.compile.

    gpu_matrix.py PACKAGES_DIR [--build DIR | --library SO --kfuse-run EXE] [--only TEXT]...
                  [--no-compile] [--out PREFIX]

PACKAGES_DIR comes from build_matrix.py. For each workload, in one process and
taking turns: kfuse, a device copy that moves as many bytes, eager PyTorch and
torch.compile, all replayed as CUDA graphs over rotated buffers. Results are
checked against eager and against f64. Writes PREFIX.json and PREFIX.md; exit
status 1 when a result is wrong or kfuse could not run.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import traceback

import torch

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import runtime, timing, workloads


def as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def current_stream():
    return torch.cuda.current_stream().cuda_stream


# ---------------------------------------------------------------------------
# Numerics
# ---------------------------------------------------------------------------


def max_error(values, exact):
    """Largest error in units of the largest magnitude of the exact result."""
    worst = 0.0
    for value, true in zip(values, exact):
        error = (value.double() - true).abs()
        if not bool(torch.isfinite(error).all()):
            return float("inf")
        worst = max(worst, (error.max() / true.abs().max().clamp_min(1e-30)).item())
    return worst


def check_numerics(workload, got, inputs, module):
    """Errors against f64: kfuse's may be twice eager's plus one ulp."""
    eager = as_tuple(module(*inputs))
    for ours, theirs in zip(got, eager):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return {"ok": False, "detail": f"{ours.dtype}{tuple(ours.shape)}, eager {theirs.dtype}{tuple(theirs.shape)}"}
    double = workload.make_module().to("cuda", torch.float64).eval()
    exact = as_tuple(double(*(t.double() for t in inputs)))
    ours, theirs = max_error(got, exact), max_error(eager, exact)
    ulp = torch.finfo(workload.dtype).eps
    equal = all(bool(torch.equal(a, b)) for a, b in zip(got, eager))
    return {"ok": ours <= 2 * theirs + ulp, "error": ours, "eager_error": theirs, "bit_equal_to_eager": equal}


# ---------------------------------------------------------------------------
# Candidates
# ---------------------------------------------------------------------------


def copy_candidate(call_bytes, sets):
    half = call_bytes // 2
    pairs = [tuple(torch.empty(half, dtype=torch.uint8, device="cuda") for _ in range(2)) for _ in range(sets)]
    return timing.GraphCandidate("copy", [lambda a=a, b=b: b.copy_(a) for a, b in pairs])


def kfuse_candidate(calls):
    def enqueue(call):
        call.run(current_stream())

    return timing.GraphCandidate("kfuse", [lambda call=call: enqueue(call) for call in calls])


def torch_candidate(name, function, input_sets):
    return timing.GraphCandidate(name, [lambda args=args: function(*args) for args in input_sets])


# ---------------------------------------------------------------------------
# One workload
# ---------------------------------------------------------------------------


def measure(workload, package_path, options, library):
    row = {"name": workload.name, "goal": workload.goal}
    module = workload.make_module().to("cuda").eval()
    package = runtime.Package(library, package_path)
    model = runtime.Model(library, package, "cuda:0", runtime.PLAN)
    row["launches"], row["runnable"] = model.launches()

    first = workload.make_inputs("cuda")
    got = model(*first, stream=current_stream())
    torch.cuda.synchronize()
    row["counters"] = model.counters()
    row["fallbacks"] = model.fallbacks()
    row["numerics"] = check_numerics(workload, got, first, module)
    row["bytes"] = workload.bytes(got)
    del first, got

    sets = timing.sets_needed(row["bytes"])
    input_sets = [workload.make_inputs("cuda", seed) for seed in range(sets)]
    calls = [model.bind(args) for args in input_sets]
    row["wall_us"], row["enqueue_us"] = timing.wall_us(lambda: calls[0].run(current_stream()))
    candidates = [copy_candidate(row["bytes"], sets), kfuse_candidate(calls)]
    candidates.append(torch_candidate("eager", module, input_sets))
    if options.compile:
        try:
            torch._dynamo.reset()
            compiled = torch.compile(module, dynamic=False)
            compiled(*input_sets[0])
            candidates.append(torch_candidate("torch_compile", compiled, input_sets))
        except Exception as error:
            row["torch_compile_error"] = str(error)[:300]
    row["times"] = timing.measure_all(candidates, options.repetitions)
    for times in row["times"].values():
        times["tb_per_s"] = row["bytes"] / times["us"] / 1e6
    row["share_of_copy"] = row["times"]["copy"]["us"] / row["times"]["kfuse"]["us"]
    if options.kfuse_run:
        row["kfuse_run"] = run_tool(options, package_path, workload)
    model.close()
    return row


def run_tool(options, package, workload):
    """kfuse-run's own measurement of the package, as it prints it in JSON."""
    command = [options.kfuse_run, str(package), "--device=cuda", "--random-inputs", "--bench", "--json"]
    command += ["--provider", options.provider] if options.provider else []
    if workload.dynamic_rows:
        return {"output": "left out: sizes are dynamic"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        return json.loads(done.stdout)
    except ValueError:
        return {"status": done.returncode, "output": (done.stderr or done.stdout)[-500:]}
    except (OSError, subprocess.SubprocessError) as error:
        return {"output": str(error)}


# ---------------------------------------------------------------------------
# Report
# ---------------------------------------------------------------------------


def environment():
    properties = torch.cuda.get_device_properties(0)
    return {
        "gpu": properties.name,
        "sms": properties.multi_processor_count,
        "memory_gib": round(properties.total_memory / 2**30, 1),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "python": sys.version.split()[0],
    }


def verdict(row):
    if "error" in row:
        return "failed"
    if not row["numerics"]["ok"]:
        return "wrong"
    if row["counters"]["launches"] == 0:
        return "not compiled"
    return "ok" if row["share_of_copy"] >= row["goal"] else "slow"


def markdown(report):
    env = report["environment"]
    lines = [
        f"{env['gpu']}, torch {env['torch']}, Python {env['python']}. Microseconds per call, CUDA-graph replay,",
        "median of interleaved repetitions over rotated buffers; `of copy` is kfuse against a device copy of the same bytes.",
        "",
        "| workload | MB | copy | kfuse | TB/s | of copy | goal | torch.compile | eager | kernels | fallbacks | error / eager's | |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in report["rows"]:
        if "error" in row:
            text = row["error"].splitlines()[-1][:120].replace("|", "/")
            lines.append(f"| {row['name']} | | | | | | | | | | | {text} | failed |")
            continue
        times = row["times"]
        us = lambda name: f"{times[name]['us']:.1f}" if name in times else "-"
        counters, numerics = row["counters"], row["numerics"]
        errors = f"{numerics.get('error', -1):.2g} / {numerics.get('eager_error', -1):.2g}"
        lines.append(
            f"| {row['name']} | {row['bytes'] / 1e6:.0f} | {us('copy')} | {us('kfuse')} | {times['kfuse']['tb_per_s']:.2f} "
            f"| {row['share_of_copy']:.1%} | {row['goal']:.0%} | {us('torch_compile')} | {us('eager')} "
            f"| {counters['launches']} | {sum(counters['fallbacks'].values())} | {errors} | {verdict(row)} |"
        )
    return "\n".join(lines) + "\n"


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages")
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--library", help="libkfuse_runtime.so, default BUILD/lib")
    parser.add_argument("--provider", help="libkfuse_torch.so, default beside the runtime")
    parser.add_argument("--kfuse-run", help="also measure with this kfuse-run")
    parser.add_argument("--only", action="append", default=[], help="workloads whose name contains this")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leave torch.compile out")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--out", default="gpu-matrix", help="prefix of the report files")
    return parser.parse_args(argv)


def main(argv=None):
    options = parse(argv)
    if not torch.cuda.is_available():
        print("gpu_matrix: no CUDA device", file=sys.stderr)
        return 2
    library_path = options.library or pathlib.Path(options.build) / "lib" / "libkfuse_runtime.so"
    library = runtime.Library(library_path, options.provider)
    report = {"environment": environment(), "rows": []}
    prefix = pathlib.Path(options.out)
    for workload in workloads.select(options.only):
        package = pathlib.Path(options.packages) / f"{workload.name}.kfuse"
        try:
            with torch.no_grad():
                row = measure(workload, package, options, library)
        except Exception:
            row = {"name": workload.name, "error": traceback.format_exc(limit=-2).strip()}
        row["verdict"] = verdict(row)
        report["rows"].append(row)
        share = f"{row['share_of_copy']:.1%} of copy" if "share_of_copy" in row else row["error"].splitlines()[-1]
        print(f"{row['verdict']:12} {row['name']}: {share}", flush=True)
        torch.cuda.empty_cache()
        # Written after each row: a lost machine keeps what was measured.
        prefix.with_suffix(".json").write_text(json.dumps(report, indent=1) + "\n")
        prefix.with_suffix(".md").write_text(markdown(report))
    print(markdown(report))
    return 1 if any(row["verdict"] in ("failed", "wrong") for row in report["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())

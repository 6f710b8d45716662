#!/usr/bin/env python3
"""How much of a model is compiled, how long that takes, whether the CPU agrees.

    coverage.py measure DIR [--build DIR] [--only NAME] [--check] [--json FILE]
    coverage.py page FILE... -o docs/Models.md

`measure` compiles what `models.py export` wrote to DIR as NAME.pt2, by reference,
and writes what it found as JSON. `--check` also runs each package on the CPU, as
generic operations, and compares with eager bit for bit. `page` makes the page.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

# Operations that only keep books: no value depends on them.
BOOKKEEPING = ("aten::_assert", "aten::sym_", "python::")
# First call of torch.compile (dynamic=False), in seconds: bf16, torch 2.11.0 on
# an H200 machine.
TORCH_COMPILE = {
    "bert-base": 2.8,
    "bert-base-b1": 8.8,
    "gpt2": 10.8,
    "llama3-4l": 11.8,
    "vit-b16": 12.0,
    "resnet50": 14.7,
}


def _run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"error: {command[0]} failed with status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def count_nodes(build, source):
    """{target: nodes} of an exported program, without the bookkeeping."""
    lines = _run(pathlib.Path(build) / "bin" / "kfuse-pt2", source, "--summary").splitlines()[2:]
    counts = {target: int(count) for count, target in (line.split(" ", 1) for line in lines)}
    return {target: n for target, n in counts.items() if not target.startswith(BOOKKEEPING)}


def _processor_seconds():
    """Of all programs that ended so far, the ones they started included."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_and_count(build, source, package, options=()):
    """Compiles `source` by reference; a dictionary of what came of it."""
    tools = pathlib.Path(build) / "bin"
    nodes = sum(count_nodes(build, source).values())
    started, used = time.monotonic(), _processor_seconds()
    _run(tools / "kfuse-compile", source, "--target=sm_90a", "--weights=reference", "-o", package, *options)
    seconds, used = time.monotonic() - started, _processor_seconds() - used
    report = json.loads(_run(tools / "kfuse-inspect", "--json", package))
    left = [row for row in report["left"] if not row["target"].startswith(BOOKKEEPING)]
    library = [row for row in left if row["class"] == "library"]
    other = [row for row in left if row["class"] != "library"]
    count = lambda rows: sum(row["count"] for row in rows)  # noqa: E731
    wanted = nodes - count(library)
    return {
        "nodes": nodes,
        "library": count(library),
        "compiled": wanted - count(other),
        "coverage": 100.0 * (wanted - count(other)) / max(wanted, 1),
        "left": [{key: row[key] for key in ("target", "count", "reason")} for row in other],
        "launches": len(report["launches"]),
        "kernels": len({launch["id"] for launch in report["launches"]}),
        "seconds": round(seconds, 2),
        "processor_seconds": round(used, 2),
        "package_bytes": os.path.getsize(package),
    }


def equals_eager(build, source, package, inputs):
    """Runs the package on the CPU; lines that say where it differs from eager."""
    import torch

    from kfuse_testing import compare, runtime

    with torch.no_grad():
        module = torch.export.load(source).module()
        want = module(**inputs)
        del module
    want = list(want) if isinstance(want, (list, tuple)) else [want]
    library = runtime.Library(pathlib.Path(build) / "lib" / "libkfuse_runtime.so")
    opened = runtime.Package(library, package)
    model = runtime.Model(library, opened, "cpu", runtime.AUTO, search=str(source.parent))
    try:
        return compare.compare_all(model(*inputs.values()), want)
    finally:
        model.close()


def _program_dtype(source):
    """Of the first parameter; as `models.DTYPES` names it."""
    import zipfile

    from kfuse_testing import lean

    with zipfile.ZipFile(source) as archive:
        config = next(name for name in archive.namelist() if name.endswith("_weights_config.json"))
        first = next(iter(json.loads(archive.read(config))["config"].values()))
    return lean.DTYPES[first["tensor_meta"]["dtype"]]


def measure(options):
    from kfuse_testing import models

    rows = []
    for model in models.MODELS:
        source = pathlib.Path(options.directory) / f"{model.name}.pt2"
        if not source.exists() or (options.only and model.name not in options.only):
            continue
        row = {"name": model.name, "what": model.what, "dtype": _program_dtype(source)}
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "model.kfuse"
            row.update(compile_and_count(options.build, source, package))
            if options.check:
                inputs = model.inputs(models.DTYPES[row["dtype"]], options.tiny)
                row["cpu"] = equals_eager(options.build, source, package, inputs)
        print(f"{model.name:20} {row['coverage']:6.2f} % {row['processor_seconds']:6.2f} s {row.get('cpu', '')}", flush=True)
        rows.append(row)
    text = json.dumps(rows, indent=1) + "\n"
    pathlib.Path(options.json).write_text(text) if options.json else print(text)
    return 0


HEAD = """<!-- Generated by scripts/kfuse_testing/coverage.py page; do not edit. -->

# Models

Common architectures with random weights, exported by `torch.export.export(strict=False)` of torch 2.11 (training IR)
and compiled for `sm_90a` with `--numerics=fused`. `scripts/kfuse_testing/models.py` makes them; to measure again:

    export PYTHONPATH=scripts
    python -m kfuse_testing.models export gpt2 --dtype bf16 -o build/models/gpt2.pt2      # and so on
    python -m kfuse_testing.coverage measure build/models --check --json build/models/bf16.json
    python -m kfuse_testing.coverage page build/models/bf16.json -o docs/Models.md

- **nodes** of the exported program, without assertions and arithmetic on sizes.
- **library**: products, convolutions and attention, for which a library call is the planned way.
- **compiled**: all others that became part of a kernel or a view, or went away; **coverage** is their share of the
  nodes that are not for a library. A test keeps it at 98 % or more for a small version of each model.
- **launches** of **kernels** in one call.
- **compile**: processor time of `kfuse-compile` on a machine of two cores, ptxas included; beside it the first call of
  `torch.compile`.
- **package**: its size without the weights, which stay in the exported file.
- **CPU**: the package run on the CPU, as the generic operations, gives the bits that eager gives.
"""


def _row(row):
    torch_seconds = TORCH_COMPILE.get(row["name"]) if row["dtype"] == "bf16" else None
    cpu = row.get("cpu")
    cells = [
        row["what"],
        row["dtype"],
        row["nodes"],
        row["library"],
        row["compiled"],
        f"{row['coverage']:.1f} %",
        row["launches"],
        row["kernels"],
        f"{row['processor_seconds']:.1f} s",
        f"{torch_seconds} s" if torch_seconds else "",
        f"{row['package_bytes'] / 1e6:.1f} MB",
        "" if cpu is None else "equal" if not cpu else "differs",
    ]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def page(options):
    rows = [row for path in options.files for row in json.loads(pathlib.Path(path).read_text())]
    titles = "model, dtype, nodes, library, compiled, coverage, launches, kernels, compile, torch.compile, package, CPU"
    lines = [HEAD, "| " + titles.replace(", ", " | ") + " |", "|---|---|" + "---:|" * 9 + "---|"]
    lines += [_row(row) for row in rows]
    lines += [
        "",
        "`torch.compile`: wall time, bf16, `dynamic=False`, torch 2.11.0 on the host of an H200, another machine than the one",
        "of `kfuse-compile`. AOTInductor took 89 s there to compile and package BERT-base (8x128); its package had 221 MB,",
        "weights included.",
        "",
        "## Left to PyTorch though no library is meant",
        "",
    ]
    left = [(row, item) for row in rows for item in row["left"]]
    if left:
        lines += ["| model | dtype | operator | count | reason |", "|---|---|---|---:|---|"]
    for row, item in left:
        lines.append(f"| {row['name']} | {row['dtype']} | `{item['target']}` | {item['count']} | {item['reason']} |")
    lines += [] if left else ["None."]
    pathlib.Path(options.output).write_text("\n".join(lines) + "\n")
    return 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure", help="compile and count")
    one.add_argument("directory")
    one.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    one.add_argument("--only", action="append", help="a model; may be repeated")
    one.add_argument("--check", action="store_true", help="run on the CPU and compare with eager")
    one.add_argument("--tiny", action="store_true", help="the programs are of the small models")
    one.add_argument("--json", help="write the results to this file")
    one.set_defaults(function=measure)
    two = commands.add_parser("page", help="write the page from the results")
    two.add_argument("files", nargs="+")
    two.add_argument("-o", "--output", required=True)
    two.set_defaults(function=page)
    options = parser.parse_args(argv)
    return options.function(options)


if __name__ == "__main__":
    sys.exit(main())

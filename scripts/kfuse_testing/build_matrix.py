#!/usr/bin/env python3
"""Exports the measured workloads and compiles them, on a machine without a GPU.

    build_matrix.py OUTPUT_DIR [--build DIR] [--target ARCH]... [--only TEXT]...

Writes OUTPUT_DIR/<workload>.kfuse and index.json with compile times and
refusals. The export runs on the CPU; packages run on any device.
"""

import argparse
import json
import os
import pathlib
import sys
import time

import torch

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import differential, workloads


def export(workload, path):
    module = workload.make_module().eval()
    args = workload.make_inputs("cpu", fill=False)
    with torch.no_grad():
        program = torch.export.export(module, args, dynamic_shapes=workload.dynamic_shapes())
    # The sample inputs would be hundreds of megabytes of nothing.
    program.example_inputs = None
    torch.export.save(program, path)


def build(workload, folder, options):
    """The index entry of one workload."""
    source, target = folder / f"{workload.name}.pt2", folder / f"{workload.name}.kfuse"
    entry = {"name": workload.name, "package": None, "error": None}
    flags = [f"--target={','.join(options.target)}", *options.compile_options]
    try:
        export(workload, source)
        started = time.monotonic()
        compiler = options.compiler or pathlib.Path(options.build) / "bin" / "kfuse-compile"
        differential.compile_package(compiler, source, target, flags, options.timeout)
        entry["compile_s"] = round(time.monotonic() - started, 2)
        entry["package"], entry["bytes"] = target.name, target.stat().st_size
    except Exception as error:
        entry["error"] = f"{type(error).__name__}: {error}"
    finally:
        if not options.keep_pt2:
            source.unlink(missing_ok=True)
    return entry


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--compiler", help="kfuse-compile, when it is not in BUILD/bin")
    parser.add_argument("--target", action="append", default=[], help="architecture, default sm_90a")
    parser.add_argument("--compile-option", dest="compile_options", action="append", default=[])
    parser.add_argument("--only", action="append", default=[], help="workloads whose name contains this")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one kfuse-compile")
    parser.add_argument("--keep-pt2", action="store_true", help="keep the exported programs")
    options = parser.parse_args(argv)
    options.target = options.target or ["sm_90a"]
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for workload in workloads.select(options.only):
        entry = build(workload, folder, options)
        entries.append(entry)
        print(f"{entry['name']}: {entry['error'] or str(entry['compile_s']) + ' s'}", flush=True)
    index = {"torch": torch.__version__, "targets": options.target, "workloads": entries}
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    failed = sum(entry["error"] is not None for entry in entries)
    print(f"build_matrix: {len(entries) - failed} packages, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

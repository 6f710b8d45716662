#!/usr/bin/env python3
"""Exports and compiles whole models, for gpu_models.py on another machine.

    build_models.py FOLDER [--build DIR | --compiler EXE] [--only TEXT]... [--dtype T]... [--seed N]

Writes MODEL.DTYPE.kfuse, compiled with the weights by reference, and the program
without its weights, MODEL.DTYPE.lean.pt2. Needs torch and the model packages, no
GPU. A complete .pt2 of each model is made on the way, up to 8 GB.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import differential, lean, models


def build(name, dtype, folder, options):
    """Seconds that kfuse-compile took."""
    stem = f"{name}.{dtype}"
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        program = pathlib.Path(scratch) / f"{stem}.pt2"
        package = program.with_suffix(".kfuse")
        models.export_model(name, dtype, program, seed=options.seed)
        started = time.monotonic()
        differential.compile_package(options.compiler, program, package, ("--weights=reference",))
        seconds = time.monotonic() - started
        lean.lean(program, folder / f"{stem}.lean.pt2")
        package.replace(folder / package.name)
    return seconds


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--compiler", help="kfuse-compile, default that of BUILD")
    parser.add_argument("--only", action="append", default=[], help="models whose name contains this")
    parser.add_argument("--dtype", action="append", choices=models.DTYPES, help="default bf16")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    options = parser.parse_args(argv)
    options.compiler = options.compiler or pathlib.Path(options.build) / "bin" / "kfuse-compile"
    return options


def main(argv=None):
    options = parse(argv)
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for model in models.MODELS:
        if options.only and not any(text in model.name for text in options.only):
            continue
        for dtype in options.dtype or ["bf16"]:
            try:
                seconds = build(model.name, dtype, options.folder, options)
                print(f"{model.name}.{dtype}: compiled in {seconds:.2f} s", flush=True)
            except (differential.Refused, differential.Died) as error:
                failed += 1
                print(f"{model.name}.{dtype}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

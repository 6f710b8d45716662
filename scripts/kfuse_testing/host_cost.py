#!/usr/bin/env python3
"""What kfuse costs the host: calls beside bare launches, and opening a package.

    host_cost.py build FOLDER [--build DIR] [--target ARCH]   needs torch, no GPU
    host_cost.py measure FOLDER [--build DIR]                 needs a GPU, no torch

The packages have kernels only: 1, 10 and 100 different ones. `measure` prints a
table, writes FOLDER/host-cost.json and fails when a goal is missed: beyond its
launches a call may cost 0.7 us and 0.3 us for each kernel, and opening 100
kernels may take 30 ms.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

COUNTS = (1, 10, 100)
OPEN_GOAL_MS = 30.0


def make_module(count):
    """`count` softmaxes over rows and columns in turn, which do not fuse; the
    factors make all kernels different."""
    import torch

    class Softmaxes(torch.nn.Module):
        def forward(self, x):
            for i in range(count):
                x = torch.softmax(x * (1.0 + i / 16), dim=1 - i % 2)
            return x

    return Softmaxes().eval()


def build(options):
    import torch

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
    from kfuse_testing import differential

    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for count in COUNTS:
        source = folder / f"kernels_{count}.pt2"
        torch.export.save(torch.export.export(make_module(count), (torch.randn(64, 64),)), source)
        compiler = pathlib.Path(options.build) / "bin" / "kfuse-compile"
        differential.compile_package(compiler, source, source.with_suffix(".kfuse"), [f"--target={options.target}"], 300)
        source.unlink()
        print(f"built {source.with_suffix('.kfuse')}", flush=True)
    return 0


def measure_package(options, count):
    command = [
        pathlib.Path(options.build) / "bin" / "kfuse-run",
        pathlib.Path(options.folder) / f"kernels_{count}.kfuse",
        *("--random-inputs", "--fallback=deny", "--json", "--bench-host", "--bench-open"),
        f"--iterations={options.iterations}",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stderr}")
    modes = {entry["mode"]: entry for entry in json.loads(run.stdout)["bench"]}
    if modes["host"]["kernels"] != count:
        sys.exit(f"kernels_{count}.kfuse launches {modes['host']['kernels']} kernels, expected {count}")
    return modes


def measure(options):
    results, missed = {}, []
    print("kernels | run us | bare us | extra us | allowed us | open ms, first | open ms, median")
    for count in COUNTS:
        modes = results[count] = measure_package(options, count)
        host, opened = modes["host"], modes["open"]["without_weights"]
        print(
            f"{count:7} | {host['run']['median_ns'] / 1e3:6.2f} | {host['bare']['median_ns'] / 1e3:7.2f}"
            f" | {host['extra_ns'] / 1e3:8.2f} | {host['allowed_extra_ns'] / 1e3:10.2f}"
            f" | {opened['first_ms']:14.2f} | {opened['median_ms']:15.2f}",
            flush=True,
        )
        if host["extra_ns"] > host["allowed_extra_ns"]:
            missed.append(f"a call of {count} kernels costs more than allowed")
    if results[100]["open"]["without_weights"]["first_ms"] > OPEN_GOAL_MS:
        missed.append(f"opening 100 kernels takes more than {OPEN_GOAL_MS:.0f} ms")
    (pathlib.Path(options.folder) / "host-cost.json").write_text(json.dumps(results, indent=1) + "\n")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["build", "measure"])
    parser.add_argument("folder")
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--iterations", type=int, default=200)
    options = parser.parse_args(argv)
    return build(options) if options.action == "build" else measure(options)


if __name__ == "__main__":
    sys.exit(main())

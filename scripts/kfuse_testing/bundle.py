#!/usr/bin/env python3
"""Packs what a GPU machine needs to measure and test compiled packages.

    bundle.py FOLDER --build DIR [--packages DIR] [--models DIR] [--cases DIR --prebuilt DIR]

FOLDER receives the runtime, kfuse-run, the libraries they need beside libc, the
Python helpers, the packages of build_matrix.py and (optionally) those of
build_models.py and case files with what `differential.py --keep` built of them.
Four scripts run there with any Python that has torch (PYTHON, default python3):

    FOLDER/measure [options of gpu_matrix.py]     writes gpu-matrix.json and .md
    FOLDER/measure-models [options of gpu_models.py]     writes gpu-models.json and .md
    FOLDER/compare [options of differential.py]   cases on the GPU against eager
    FOLDER/host-cost [options of host_cost.py]    needs `host_cost.py build PACKAGES`, no torch
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Libraries that every Linux machine brings.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libutil|libresolv|libgcc_s|libstdc\+\+)[.-]")
TORCH = re.compile(r"^lib(torch|c10|cud|nv|cu|nccl|gomp|shm)")

SCRIPT = """#!/bin/sh
# {what}; further options go to {helper}.
here="$(cd "$(dirname "$0")" && pwd)"
export LD_LIBRARY_PATH="$here/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
exec "${{PYTHON:-python3}}" "$here/scripts/kfuse_testing/{helper}" {arguments} --build "$here" "$@"
"""

# Name, what it does, the helper that does it, and its arguments.
SCRIPTS = [
    ("measure", "Measures the packages", "gpu_matrix.py", '"$here/packages"'),
    ("measure-models", "Measures whole models", "gpu_models.py", '"$here/models"'),
    (
        "compare",
        "Runs the cases on the GPU",
        "differential.py",
        '"$here/cases" --prebuilt "$here/prebuilt" --device cuda:0 --program plan',
    ),
    ("host-cost", "What calls and opening cost the host", "host_cost.py", 'measure "$here/packages"'),
]


def needed_libraries(binary):
    """Paths of the shared libraries of `binary` that have to travel."""
    listing = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not SYSTEM.match(match[1]) and not TORCH.match(match[1]):
            yield pathlib.Path(match[2])


def copy_file(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def write_script(path, text):
    path.write_text(text)
    path.chmod(0o755)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--provider", help="libkfuse_torch.so, when it is not in BUILD/lib")
    parser.add_argument("--packages", help="folder of build_matrix.py")
    parser.add_argument("--models", help="folder of build_models.py")
    parser.add_argument("--cases", help="folder with case files")
    parser.add_argument("--prebuilt", help="folder of differential.py --keep")
    options = parser.parse_args(argv)
    folder, build = pathlib.Path(options.folder), pathlib.Path(options.build)

    binaries = [build / "lib" / "libkfuse_runtime.so", build / "bin" / "kfuse-run"]
    provider = pathlib.Path(options.provider or build / "lib" / "libkfuse_torch.so")
    for binary in [b for b in binaries + [provider] if b.exists()]:
        for library in needed_libraries(binary):
            copy_file(library, folder / "lib" / library.name)
        copy_file(binary, folder / ("bin" if binary.name == "kfuse-run" else "lib") / binary.name)
    for helper in HERE.glob("*.py"):
        copy_file(helper, folder / "scripts" / "kfuse_testing" / helper.name)
    for name, what, helper, arguments in SCRIPTS:
        write_script(folder / name, SCRIPT.format(what=what, helper=helper, arguments=arguments))
    for name in ("packages", "models", "cases", "prebuilt"):
        source = getattr(options, name)
        if source:
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, dirs_exist_ok=True, ignore=ignore)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"bundle: {folder}, {size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

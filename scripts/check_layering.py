#!/usr/bin/env python3
"""Checks who includes whom: the arrows in docs/Architecture.md.

Usage: check_layering.py [ROOT]

Reads the #include lines of all C and C++ sources and exits 1 with one line per
include that points the wrong way.
"""

import pathlib
import re
import sys

SUFFIXES = {".h", ".hpp", ".c", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')

IR = {"Dialect"}
ANALYSIS = IR | {"Analysis"}
COMPILER = ANALYSIS | {"Import", "Transforms", "Conversion", "Target", "Compiler", "Runtime/ABI.h"}
RUNTIME = {"Runtime"}

# Component -> what it may include of kfuse/, beside itself. A component is a
# folder of lib/ and include/kfuse/, of runtime/, or a tool.
ALLOWED = {
    "Dialect": IR,
    "Analysis": IR,
    "Import": ANALYSIS,
    "Transforms": ANALYSIS | {"Runtime/ABI.h"},
    "Conversion": ANALYSIS,
    "Reference": ANALYSIS | {"Conversion"},
    "Target": ANALYSIS | {"Runtime/ABI.h"},
    "Compiler": COMPILER,
    "Simulator": RUNTIME,
    "Runtime": RUNTIME,
    "runtime/core": RUNTIME,
    "runtime/torch": RUNTIME,
    "tools/kfuse": COMPILER,
    "tools/kfuse-opt": COMPILER,
    "tools/kfuse-compile": COMPILER,
    "tools/kfuse-pt2": {"Import"} | ANALYSIS,
    "tools/kfuse-eval": {"Reference", "Conversion"} | ANALYSIS,
    "tools/session": RUNTIME,
    "tools/kfuse-run": RUNTIME,
    "tools/kfuse-sim": RUNTIME,
    "tools/kfuse-inspect": RUNTIME,
    "tools/kfuse-bench": RUNTIME,
}

LLVM = re.compile(r"^(llvm|mlir|clang)(-c)?/")
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
CUDA = re.compile(r"^(cuda|cudnn|cublas|nvrtc|nvml)[^/]*\.h(pp)?$|^cuda/")

# (path pattern, headers that it must not see, why)
FORBIDDEN = [
    (re.compile(r"^(lib|include/kfuse/(?!Runtime/))"), [TORCH, CUDA], "no CUDA or Torch header in the compiler"),
    (re.compile(r"^(runtime|include/kfuse/Runtime)/"), [LLVM], "no LLVM in the runtime"),
    (re.compile(r"^(runtime/core|include/kfuse/Runtime)/"), [TORCH, CUDA],
     "only runtime/torch sees LibTorch, and the CUDA driver is opened at run time"),
    (re.compile(r"^tools/"), [TORCH, CUDA], "no CUDA or Torch header in the tools"),
    (re.compile(r"^include/kfuse/Runtime/ABI\.h$"), [re.compile(r"^(?!stdint\.h$)")],
     "ABI.h is seen by both worlds and includes <stdint.h> alone"),
]


def component(path):
    """The component of a source file, or None for tests and examples."""
    parts = path.split("/")
    if path.startswith("include/kfuse/"):
        return parts[2]
    if parts[0] == "lib":
        return parts[1]
    if parts[0] in ("runtime", "tools") and len(parts) > 2 and "tests" not in parts:
        return "/".join(parts[:2])
    return None


def is_allowed(own, header):
    """May component `own` include kfuse/`header`?"""
    target = header.split("/")[0]
    return target == own or target in ALLOWED[own] or header in ALLOWED[own]


def check_file(root, path):
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    own = component(path)
    if own is not None and own not in ALLOWED and not own.endswith(".txt"):
        yield f"{path}: component '{own}' has no rule; add it to ALLOWED in scripts/check_layering.py"
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1)
        if own is not None and header.startswith("kfuse/") and not is_allowed(own, header[len("kfuse/"):]):
            yield f"{path}:{number}: {own} must not include {header}; it may include {sorted(ALLOWED[own])}"
        for pattern, headers, why in FORBIDDEN:
            if pattern.match(path) and any(h.match(header) for h in headers):
                yield f"{path}:{number}: {header}: {why}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1])
    files = sorted(
        str(f.relative_to(root))
        for top in ("include", "lib", "runtime", "tools")
        for f in (root / top).rglob("*") if f.suffix in SUFFIXES)
    faults = [fault for path in files for fault in check_file(root, path)]
    print("\n".join(faults) if faults else f"layering: {len(files)} files, no wrong arrow")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

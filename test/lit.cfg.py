"""lit configuration of kfuse's tests.

Substitutions: %python (interpreter, with torch where the feature `torch` is
on), %ptxas, %libdevice, %kfuse_src and %kfuse_build; %simulate (compile this
file's import-level program, run its kernels in the simulator, compare each with
the operators that it replaces; options of kfuse-sim may follow, such as
--symbol=s0=1,7,64 --seeds=2). The tools of the build and of LLVM are on PATH. Features: torch, ptxas, libdevice, runtime, asserts,
sanitizer, and one per tool that was built, such as kfuse-run.
"""

import os
import subprocess
import sys

import lit.formats

config.name = "kfuse"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "Inputs", "fixtures", "models", "Downstream"]
config.test_source_root = os.path.join(config.kfuse_source_root, "test")
config.test_exec_root = os.path.join(config.kfuse_binary_root, "test")

bin_dir = os.path.join(config.kfuse_binary_root, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")])
# An unused or misspelt FileCheck prefix or variable is an error.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
config.environment["HF_HUB_OFFLINE"] = "1"
config.environment["PYTHONPATH"] = os.path.join(config.kfuse_source_root, "scripts")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# The machine's own CUDA toolkit must not change what is generated.
for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
    config.environment.pop(name, None)
for name in ("HOME", "KFUSE_CACHE", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def is_on(value):
    return value.upper() in ("ON", "1", "TRUE", "YES")


def has_torch(python):
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    return bool(python) and subprocess.run([python, "-c", probe], capture_output=True).returncode == 0


python = config.kfuse_python or sys.executable
config.substitutions += [
    ("%python", python),
    ("%ptxas", config.kfuse_ptxas),
    ("%libdevice", config.kfuse_libdevice),
    ("%kfuse_src", config.kfuse_source_root),
    ("%kfuse_build", config.kfuse_binary_root),
    (
        "%simulate",
        "kfuse-compile %s --start-from=import --target=sim -o %t.kfuse && kfuse-sim %t.kfuse --random-inputs",
    ),
]

for name, path in (("ptxas", config.kfuse_ptxas), ("libdevice", config.kfuse_libdevice)):
    if path and os.path.exists(path):
        config.available_features.add(name)
        config.environment["KFUSE_" + name.upper()] = path
if is_on(config.kfuse_enable_torch) and has_torch(config.kfuse_python):
    config.available_features.add("torch")
if is_on(config.kfuse_enable_runtime):
    config.available_features.add("runtime")
if is_on(config.kfuse_asserts):
    config.available_features.add("asserts")
if config.kfuse_sanitize:
    config.available_features.add("sanitizer")
if os.path.isdir(bin_dir):
    config.available_features.update(name for name in os.listdir(bin_dir) if name.startswith("kfuse-"))

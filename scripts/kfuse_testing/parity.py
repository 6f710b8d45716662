"""Compares the bodies that capture makes of ATen operations with eager PyTorch.

Usage: python -m kfuse_testing.parity [--only SUBSTRING] [--support FILE [--write]]

Each case is one operation on CPU tensors. It is written as an import-level
program, captured by kfuse-opt, run by the reference evaluator kfuse-eval, and
compared with what PyTorch computes. Nothing here needs a GPU. With --support,
the table of operations and element types in FILE is checked (or written).
Exits 1 when a case fails or a captured operation has no case.
"""

from __future__ import annotations

import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import torch

from . import parity_cases

ELEMENT = {
    torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16",
    torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8",
    torch.uint8: "ui8", torch.bool: "i1",
}
MANTISSA = {torch.float32: 23, torch.float64: 52, torch.bfloat16: 7, torch.float16: 10}
SMALLEST = {torch.float32: 2.0**-149, torch.float64: 5e-324, torch.bfloat16: 2.0**-133, torch.float16: 2.0**-24}
# Sizes that are written as symbols in dynamic cases; no other size may have them as a factor.
SYMBOLS = {7: "s0", 11: "s1"}


def expr(value: int, dynamic: bool) -> str:
    """`value` in terms of the symbols, when the case is dynamic."""
    if not dynamic or value == 0:
        return str(value)
    factors = []
    for size, symbol in SYMBOLS.items():
        while value % size == 0:
            factors.append(symbol)
            value //= size
    return " * ".join(factors + ([str(value)] if value != 1 or not factors else []))


def tensor_type(tensor: torch.Tensor, dynamic: bool) -> str:
    dims = "".join(("?" if dynamic and size and any(size % s == 0 for s in SYMBOLS) else str(size)) + "x"
                   for size in tensor.shape)
    sizes = ", ".join(expr(size, dynamic) for size in tensor.shape)
    strides = ", ".join(expr(stride, dynamic) for stride in tensor.stride())
    offset = f", {expr(tensor.storage_offset(), dynamic)}" if tensor.storage_offset() else ""
    return f"tensor<{dims}{ELEMENT[tensor.dtype]}, #kfuse.layout<[{sizes}], [{strides}]{offset}>>"


def attribute(value, operands: list, dynamic: bool, is_size: bool = False) -> str:
    """The attribute that stands for an argument; tensors are added to `operands`."""
    if isinstance(value, torch.Tensor):
        operands.append(value)
        return f"#kfuse.operand<{len(operands) - 1}>"
    if value is None:
        return "unit"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if is_size and dynamic and value > 0 and any(value % s == 0 for s in SYMBOLS):
            return f"#kfuse.expr<{expr(value, dynamic)}>"
        return f"{value} : i64"
    if isinstance(value, float):
        bits = np.array(value, dtype=np.float64).view(np.uint64)
        return f"0x{int(bits):016X} : f64"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, torch.dtype):
        return ELEMENT[value]
    if isinstance(value, torch.memory_format):
        return f"#kfuse.torch<\"memory_format\", \"{str(value).split('.')[-1]}\">"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(attribute(item, operands, dynamic, is_size) for item in value) + "]"
    raise TypeError(f"no attribute for {value!r}")


def get_overload(target: str):
    name, _, overload = target.partition(".")
    return getattr(getattr(torch.ops.aten, name), overload or "default")


def flatten(result) -> list:
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for tensor in result if isinstance(tensor, torch.Tensor)]


def write_function(name: str, case, results: list) -> tuple[str, list]:
    """The program of one case and its input tensors."""
    schema = get_overload(case.target)._schema
    given = list(zip((argument.name for argument in schema.arguments), case.args)) + list(case.kwargs.items())
    operands: list = []
    sizes = {argument.name for argument in schema.arguments if "SymInt" in str(argument.real_type)
             or argument.name in ("size", "shape", "normalized_shape", "split_size", "repeats", "end", "start")}
    args = ", ".join(attribute(value, operands, case.dynamic, key in sizes) for key, value in given)
    names = ", ".join(f'"{key}"' for key, _ in given)
    ins = [tensor_type(tensor, case.dynamic) for tensor in operands]
    outs = [tensor_type(tensor, case.dynamic) for tensor in results]
    params = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(ins))
    values = ", ".join(f"%a{i}" for i in range(len(ins)))
    head = f"%r:{len(outs)}" if len(outs) > 1 else "%r"
    returned = ", ".join(f"%r#{i}" for i in case.kept(len(outs))) if len(outs) > 1 else "%r"
    kept = ", ".join(outs[i] for i in case.kept(len(outs)))
    text = (f"func.func @{name}({params}) -> ({kept}) {{\n"
            f'  {head} = kfuse.aten "aten::{case.target}"({values}) {{names = [{names}], args = [{args}]}}'
            f" : ({', '.join(ins)}) -> ({', '.join(outs)})\n"
            f"  return {returned} : {kept}\n}}\n")
    return text, operands


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach().contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def from_numpy(array: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    if dtype == torch.bfloat16:
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    if dtype == torch.uint8:
        return torch.from_numpy(array.view(np.uint8).copy())
    return torch.from_numpy(array.copy())


def difference(found: torch.Tensor, wanted: torch.Tensor, case) -> str:
    """What is wrong; empty when nothing is."""
    if found.shape != wanted.shape:
        return f"expected shape {tuple(wanted.shape)}, found {tuple(found.shape)}"
    if not wanted.dtype.is_floating_point:
        bad = found != wanted
        where = bad.nonzero()
        return f"{len(where)} differ, first at {where[0].tolist()}: expected {wanted[bad][0]}, found {found[bad][0]}" \
            if len(where) else ""
    x, y = found.double(), wanted.double()
    unit = torch.maximum(torch.exp2(torch.floor(torch.log2(y.abs().clamp_min(1e-320))) - MANTISSA[wanted.dtype]),
                         torch.tensor(SMALLEST[wanted.dtype], dtype=torch.float64))
    error = (x - y).abs()
    ok = (error <= case.ulps * unit) | (error <= case.atol) | (x == y) | (x.isnan() & y.isnan())
    if case.ulps == 0:
        ok &= (torch.signbit(x) == torch.signbit(y)) | y.isnan()
    where = (~ok).nonzero()
    if not len(where):
        return ""
    at = tuple(where[0].tolist())
    return (f"{len(where)} of {y.numel()} differ, first at {list(at)}: expected {y[at].item()!r}, "
            f"found {x[at].item()!r} ({(error / unit)[at].item():.3g} ulps)")


def run_tool(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(arguments, capture_output=True, text=True)


def run_cases(cases: list, folder: pathlib.Path) -> dict:
    """Message for each case that fails, by name."""
    program, wanted, failures = [], {}, {}
    for case in cases:
        try:
            results = flatten(get_overload(case.target)(*case.args, **case.kwargs))
            text, operands = write_function(case.name, case, results)
        except Exception as error:  # a case that PyTorch itself rejects is a mistake in the list
            failures[case.name] = f"cannot be made: {str(error).splitlines()[0]}"
            continue
        wanted[case.name] = [results[i] for i in case.kept(len(results))]
        program.append(text)
        for i, tensor in enumerate(operands):
            np.save(folder / f"{case.name}.in{i}.npy", to_numpy(tensor))
    source, captured = folder / "cases.mlir", folder / "captured.mlir"
    source.write_text("".join(program))
    opt = run_tool("kfuse-opt", "-convert-aten-to-kfuse", str(source), "-o", str(captured))
    if opt.returncode:
        sys.exit("kfuse-opt failed:\n" + opt.stderr[:4000])
    output = run_tool("kfuse-eval", str(captured), "--dir", str(folder))
    states = dict(line.split(": ", 1) for line in output.stdout.splitlines() if ": " in line)
    reasons = dict(re.findall(r"func.func @(\w+)(?:(?!func.func)[\s\S])*?kfuse.fallback_reason = \"([^\"]*)\"",
                              captured.read_text()))
    for case in cases:
        if case.name in failures:
            continue
        state = states.get(case.name, "no answer: " + output.stderr[:500])
        if state != "ok":
            failures[case.name] = f"not captured: {reasons[case.name]}" if case.name in reasons else state
            continue
        for i, tensor in enumerate(wanted[case.name]):
            found = from_numpy(np.load(folder / f"{case.name}.out{i}.npy"), tensor.dtype)
            if message := difference(found, tensor, case):
                failures[case.name] = f"result {i}: {message}"
                break
    return failures


def is_covered(op: str, targets: set) -> bool:
    name = op.removeprefix("aten::")
    return name in targets or any(target.split(".")[0] == name for target in targets)


def write_table(cases: list, failures: dict) -> str:
    """One row for each operation with the element types it was checked for."""
    types = collections.defaultdict(set)
    for case in cases:
        if case.name not in failures and not case.refused:
            types[case.target.split(".")[0]].add(ELEMENT[case.dtype].replace("ui8", "u8").replace("i1", "bool")
                                                  if ELEMENT[case.dtype] in ("ui8", "i1") else ELEMENT[case.dtype])
    order = ["f32", "f64", "bf16", "f16", "i64", "i32", "i16", "i8", "u8", "bool"]
    rows = ["| operation | " + " | ".join(order) + " |", "|---|" + "---|" * len(order)]
    for op in sorted(types):
        rows.append(f"| `{op}` | " + " | ".join("x" if t in types[op] else "" for t in order) + " |")
    return "\n".join(rows) + "\n"


def check_support(path: pathlib.Path, table: str, write: bool) -> bool:
    begin, end = "<!-- begin: captured operations -->\n", "<!-- end: captured operations -->"
    text = path.read_text()
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    updated = head + begin + table + end + tail
    if write:
        path.write_text(updated)
    elif updated != text:
        print(f"{path.name} is out of date: run python -m kfuse_testing.parity --support docs/{path.name} --write")
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="run the cases whose name has this in it")
    parser.add_argument("--keep", type=pathlib.Path, help="folder that keeps programs and arrays")
    parser.add_argument("--support", type=pathlib.Path, help="Markdown file with the table of operations")
    parser.add_argument("--write", action="store_true", help="write the table instead of checking it")
    options = parser.parse_args()
    torch.manual_seed(0)
    cases = [case for case in parity_cases.all_cases() if options.only in case.name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        failures = run_cases(cases, folder)
    is_good = True
    for case in cases:
        refusal = failures.get(case.name, "").startswith("not captured")
        if case.refused != refusal or (case.name in failures and not refusal):
            is_good = False
            print(f"{case.name} ({case.target}): {failures.get(case.name, 'expected a refusal')}")
    if not options.only:
        targets = {case.target for case in cases}
        for op in run_tool("kfuse-eval", "--list-ops").stdout.split():
            if not is_covered(op, targets):
                is_good = False
                print(f"{op}: has no parity case")
        if options.support:
            is_good &= check_support(options.support, write_table(cases, failures), options.write)
    print(f"{len(cases)} cases, {len({c.target for c in cases})} operators: {'all agree' if is_good else 'FAILED'}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())

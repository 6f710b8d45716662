#!/usr/bin/env python3
"""Exports cases, compiles them with kfuse and compares the runs with eager PyTorch.

    differential.py DIRECTORY... [--build DIR] [--device cpu|cuda] [--program auto|plan|generic]
                    [--only TEXT] [--heavy] [--json FILE] [--keep DIR | --prebuilt DIR]

Each case is exported, saved as .pt2, compiled by kfuse-compile and run in this
process through the C API, twice and on every further input it offers. On the
CPU results must equal eager bit for bit; on a GPU they may differ by the
case's tolerance. Results, and inputs after the call, are compared. Outcomes:

    pass     equal
    export   equal to the exported program, which differs from the module itself
    refused  kfuse-compile or the runtime refused with a message
    differ   other results than eager's
    crash    a tool or this process died, or ran out of time
    torch    torch cannot export the case

Exit status 1 when any case is `differ` or `crash` (or `refused`, with --strict).
"""

import argparse
import collections
import copy
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback

import torch
from torch.utils import _pytree as pytree

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import cases, compare, packages, runtime

PROGRAMS = {"auto": runtime.AUTO, "plan": runtime.PLAN, "generic": runtime.GENERIC}
BAD = ("differ", "crash")


class Died(Exception):
    """A tool crashed."""


class Refused(Exception):
    """A tool said no with a message; the case's own outcome."""


def export(case, path, device="cpu"):
    module = case.make_module().to(device).eval()
    with torch.no_grad():
        program = torch.export.export(module, case.make_inputs(device), dynamic_shapes=case.dynamic_shapes())
    # Sample inputs can be large, and nothing here reads them back.
    program.example_inputs = None
    torch.export.save(program, path)
    return program


def crash_place(message):
    """The telling line of a crash report: an assertion, or the innermost frames
    of kfuse's own."""
    lines = message.splitlines()
    told = [line for line in lines if "Assertion" in line or "UNREACHABLE" in line or "LLVM ERROR" in line]
    frames = [line.split(" ", 3)[-1] for line in lines if re.match(r"\s*#\d+ .*kfuse", line)]
    return " | ".join(text.strip()[:200] for text in (told[:1] + frames[:2])) or message[:300]


def compile_package(compiler, source, target, options=(), timeout=300):
    """Runs kfuse-compile; a non-zero exit with a message is a refusal."""
    command = [str(compiler), str(source), *options, "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    message = (done.stderr or done.stdout).strip()
    if done.returncode < 0 or done.returncode > 128:
        raise Died(f"kfuse-compile died with status {done.returncode}: {crash_place(message)}")
    if done.returncode:
        raise Refused(message[:500] or f"kfuse-compile failed silently with status {done.returncode}")
    return message


def leaves(values):
    """Flat inputs or outputs that kfuse passes: no None and no strings."""
    return [v for v in pytree.tree_leaves(values) if isinstance(v, (torch.Tensor, bool, int, float))]


def user_inputs(program, args):
    """The flat inputs that the exported program takes at run time."""
    flat = pytree.tree_leaves(tuple(args))
    specs = [s for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    return [v for s, v in zip(specs, flat) if type(s.arg).__name__ != "ConstantArgument"]


def seeded(function, *args):
    torch.manual_seed(1234)
    with torch.no_grad():
        return function(*args)


def check_call(case, model, program, references, args, exact):
    """Compares one call with each reference; returns {reference: lines}."""
    results = {}
    ours = copy.deepcopy(args)
    torch.manual_seed(1234)
    got = model(*user_inputs(program, ours))
    rtol, atol = (0.0, 0.0) if exact else (case.rtol, case.atol)
    for name, reference in references.items():
        theirs = copy.deepcopy(args)
        want = leaves(seeded(reference, *theirs))
        lines = compare.compare_all(got, want, rtol, atol)
        lines += compare.compare_all(leaves(ours), leaves(theirs), rtol, atol, what="input after the call:")
        results[name] = lines
    return results


def prepare(case, options, folder):
    """The exported program and the package; a tuple of outcome and detail when
    there is none."""
    source, target = folder / f"{case.name}.pt2", folder / f"{case.name}.kfuse"
    if options.prebuilt:
        source, target = (pathlib.Path(options.prebuilt) / path.name for path in (source, target))
        if not target.exists():
            raise Refused(f"{target} does not exist")
        return torch.export.load(source), target, None
    try:
        export(case, source)
        program = torch.export.load(source)
    except Exception as error:
        return None, None, f"{type(error).__name__}: {error}"
    if options.no_compiler:
        packages.write_generic(program, target)
    else:
        compiler = options.compiler or pathlib.Path(options.build) / "bin" / "kfuse-compile"
        compile_package(compiler, source, target, options.compile_options)
    return program, target, None


def run_case(case, options, folder):
    """(outcome, detail, facts) of one case."""
    facts = {}
    try:
        started = time.monotonic()
        program, target, failure = prepare(case, options, folder)
        facts["prepare_s"] = round(time.monotonic() - started, 2)
        if failure:
            return "torch", failure, facts
        library = runtime.Library(pathlib.Path(options.build) / "lib" / "libkfuse_runtime.so", options.provider)
        package = runtime.Package(library, target)
        search = str(target.parent)
        model = runtime.Model(library, package, options.device, PROGRAMS[options.program], search=search)
        lines = compare_runs(case, model, program, options)
        facts["launches"], facts["runnable"] = model.launches()
        facts["fallbacks"] = model.counters()["fallbacks"]
    except (Refused, runtime.KfuseError, packages.ProviderError) as error:
        return "refused", str(error), facts
    if not lines["module"]:
        return "pass", "", facts
    if not lines["export"]:
        return "export", lines["module"][0], facts
    return "differ", "; ".join(lines["export"][:4]), facts


def layouts(args):
    """The order of the dimensions of each tensor in memory."""
    tensors = [t for t in leaves(args) if isinstance(t, torch.Tensor)]
    return [sorted(range(t.dim()), key=lambda d, t=t: (-t.stride(d), d)) for t in tensors]


def compare_runs(case, model, program, options):
    device, exact = options.device, options.device == "cpu" and not options.tolerant
    references = {
        "module": case.make_module().to(device).eval(),
        "export": (program if device == "cpu" else move(program, device)).module(),
    }
    total = {"module": [], "export": []}
    first = case.make_inputs(device)
    for args in [first, first, *case.make_more(device)]:
        # Inputs of another layout are copied to the exported one: sums may then
        # be taken in another order than eager's.
        same = exact and layouts(args) == layouts(first)
        for name, lines in check_call(case, model, program, references, args, same).items():
            total[name] += lines
    return total


def move(program, device):
    from torch.export.passes import move_to_device_pass

    return move_to_device_pass(program, device)


def child(case, options, folder, pipe):
    torch.set_num_threads(options.threads)
    try:
        pipe.send(run_case(case, options, folder))
    except subprocess.TimeoutExpired as error:
        pipe.send(("crash", f"kfuse-compile ran longer than {error.timeout:.0f} s", {}))
    except Died as error:
        pipe.send(("crash", str(error), {}))
    except Exception:
        pipe.send(("crash", traceback.format_exc(limit=-3).strip(), {}))


def run_isolated(case, options, folder):
    """Runs a case in a process of its own, so that a crash is an outcome."""
    # A CUDA context does not survive a fork.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(case, options, folder, sender))
    process.start()
    sender.close()
    result = None
    if receiver.poll(options.timeout):
        try:
            result = receiver.recv()
        except EOFError:
            pass
    else:
        process.kill()
        result = ("crash", f"ran longer than {options.timeout} s", {})
    process.join()
    return result or ("crash", f"the process died with status {process.exitcode}", {})


def run_all(found, options):
    """Yields (case, outcome, detail, facts) in order."""
    with tempfile.TemporaryDirectory(prefix="kfuse-differential-") as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for case in found:
            if case.heavy and not options.heavy:
                yield case, "skipped", "heavy", {}
                continue
            yield (case, *run_isolated(case, options, folder))
            if not options.keep:
                for path in folder.iterdir():
                    path.unlink()


def run_in_process(directory, build, *options, timeout=900):
    """The outcomes of this script in a process of its own, as it forks for each
    case: a process whose torch has started its threads cannot be forked safely."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "outcomes.json"
        command = [sys.executable, "-W", "ignore", __file__, str(directory)]
        command += ["--build", str(build), "--json", str(report), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        if not report.exists():
            raise AssertionError(done.stderr[-2000:])
        return json.loads(report.read_text())


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--build", default=os.environ.get("KFUSE_BUILD", "build/dev"))
    parser.add_argument("--compiler", help="kfuse-compile, when it is not in BUILD/bin")
    parser.add_argument("--provider", help="libkfuse_torch.so, when it is not beside the runtime")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--program", choices=PROGRAMS, default="auto")
    parser.add_argument("--only", action="append", default=[], help="cases whose name contains this")
    parser.add_argument("--compile-option", dest="compile_options", action="append", default=[])
    parser.add_argument("--no-compiler", action="store_true", help="let packages.py write generic programs")
    parser.add_argument("--heavy", action="store_true", help="run the cases marked heavy too")
    parser.add_argument("--tolerant", action="store_true", help="use the cases' tolerances on the CPU too")
    parser.add_argument("--strict", action="store_true", help="a refusal is a failure")
    parser.add_argument("--threads", type=int, default=2, help="threads of ATen")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one case")
    parser.add_argument("--json", help="write all outcomes to this file")
    parser.add_argument("--prebuilt", help="folder that --keep filled: nothing is exported or compiled")
    parser.add_argument("--keep", help="keep .pt2 and .kfuse files in this folder")
    return parser.parse_args(argv)


def main(argv=None):
    options = parse(argv)
    found = [case for directory in options.directories for case in cases.load(directory, options.only)]
    counts, rows = collections.Counter(), []
    for case, outcome, detail, facts in run_all(found, options):
        counts[outcome] += 1
        rows.append({"case": case.name, "outcome": outcome, "detail": detail, **facts})
        if outcome != "pass":
            print(f"{outcome:8} {case.name}: {detail.splitlines()[-1] if detail else ''}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    print("differential: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) + f", {len(rows)} cases")
    failing = BAD + (("refused",) if options.strict else ())
    return 1 if any(counts[name] for name in failing) else 0


if __name__ == "__main__":
    sys.exit(main())

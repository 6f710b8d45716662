#!/usr/bin/env python3
"""Plants faults into lowered kernels and sees whether the kernels' tests catch them.

    mutate.py [--build DIR] [--kernels FILE] [--only KERNEL...] [--kind KIND...] [--each N] [--every]
              [--sample N --seed S] [--jobs N] [--table FILE] [--list]

Each kernel of FILE (test/Simulator/Inputs/mutation_kernels.py) is exported,
compiled, and run in the simulator on its inputs: its test. Then one fault at a
time is planted, of each kind at N places of each kernel that ran (--each, 1 by
default; --every: all places), and the test runs again on the inputs that reach
the kernel. A fault is caught when the simulator finds something or results
differ from the generic operators. --sample plants one of these faults into each
of N kernels, which --seed chooses.

Exit status 1 when a fault is not caught, a kernel's own test fails, or fewer
than 20 kinds could be planted. --table writes the kinds and what caught them.
"""

import argparse
import collections
import dataclasses
import functools
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import zipfile

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import mutation_equivalence, mutation_ir, mutation_kinds, mutation_report

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "test" / "Simulator" / "Inputs" / "mutation_kernels.py"
SEEDS = (1,)
SECONDS = 150  # for one fault; a test that takes longer has caught it
LEAST_KINDS = 20
FAR = ("far_offsets", "far_rows")


def load_kernels(path, only=()):
    spec = importlib.util.spec_from_file_location("kfuse_mutation_kernels", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [kernel for kernel in module.KERNELS if not only or kernel.name in only]


def make_runs(kernel):
    """(inputs, shift of the outputs, whether the kernel must stop itself) of all
    runs, the same in every process. Each list of inputs comes in several places:
    first all tensors 16 bytes after a multiple of 32, which is the least that
    packets need; then the tensors at all distances from there within a packet,
    all at others; then only the first of them, or all but the first;
    then all at multiples of 32."""
    import torch

    def place(tensor, shift):
        width = tensor.dtype.itemsize
        extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
        storage = torch.empty(max(extent, 0) + 64 // width, dtype=tensor.dtype)
        offset = (16 + -storage.data_ptr() % 32) // width + shift
        placed = storage.as_strided(tensor.shape, tensor.stride(), offset)
        return placed.copy_(tensor) if tensor.numel() else placed

    runs = []
    for i, make in enumerate((*kernel.inputs, *kernel.traps)):
        torch.manual_seed(i)
        tensors = make()
        phases = [16 // t.dtype.itemsize for t in tensors]
        shifts = [[by * (2 * j + 1) % phase for j, phase in enumerate(phases)] + [by * (2 * len(tensors) + 1)]
                  for by in range(max(phases))]
        shifts += [[1] + [0] * len(tensors), [0] + [1] * len(tensors), [*phases, phases[0]]]
        for shift in shifts if kernel.shifts else [shifts[0], shifts[-1]]:
            placed = tuple(place(tensor, by) for tensor, by in zip(tensors, shift))
            runs.append((placed, shift[-1], i >= len(kernel.inputs)))
    return runs


def compile_kernel(kernel, build, folder):
    """Exports and compiles; gives the package and its kernels' text."""
    import torch

    class Model(torch.nn.Module):
        def forward(self, *inputs):
            return kernel.function(*inputs)

    program, package = folder / f"{kernel.name}.pt2", folder / f"{kernel.name}.kfuse"
    torch.manual_seed(0)
    dynamic = (kernel.dynamic,) if kernel.dynamic else None
    exported = torch.export.export(Model().eval(), kernel.inputs[0](), dynamic_shapes=dynamic)
    exported.example_inputs = None
    torch.export.save(exported, program)
    command = [build / "bin" / "kfuse-compile", program, "--target=sim", "-o", package]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(package) as members:
        names = [name for name in members.namelist() if name.startswith("kernels/")]
        assert len(names) == 1, f"expected one member with kernels, found {names}"
        code = folder / f"{kernel.name}.mlirbc"
        code.write_bytes(members.read(names[0]))
    printed = subprocess.run([build / "bin" / "kfuse-opt", "--mlir-print-op-generic", code], check=True,
                             capture_output=True, text=True)
    return package, mutation_ir.Module(printed.stdout)


# Worker processes: a fault may hang or crash the simulator.


def work(connection, build, kernels_path):
    from kfuse_testing.mutation_sim import Simulator

    simulator = Simulator(build)
    kernels = {kernel.name: kernel for kernel in load_kernels(kernels_path)}
    runs = {}
    while (task := connection.recv()) is not None:
        name, package, code, which = task
        if name not in runs:
            runs = {name: make_runs(kernels[name])}
        results = []
        for i in which if which is not None else range(len(runs[name])):
            inputs, output_shift, is_trap = runs[name][i]
            outcome = simulator.run(package, inputs, SEEDS, code, not is_trap, output_shift)
            results.append((i, is_trap, outcome))
            # A fault is caught by the first run that finds something.
            if code is not None and found_by(is_trap, outcome):
                break
        connection.send(results)


class Worker:
    def __init__(self, arguments):
        self.arguments, self.process, self.job = arguments, None, None

    def start(self, job, task):
        if self.process is None:
            self.connection, other = multiprocessing.Pipe()
            context = multiprocessing.get_context("spawn")
            self.process = context.Process(target=work, args=(other, *self.arguments), daemon=True)
            self.process.start()
            other.close()
            # Time for the libraries to load.
            self.deadline = time.monotonic() + SECONDS
        self.deadline = max(getattr(self, "deadline", 0), time.monotonic()) + SECONDS
        self.job = job
        self.connection.send(task)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None

    def finish(self):
        """The results of the job, or why there are none."""
        try:
            return self.connection.recv()
        except EOFError:
            self.stop()
            return "crash"


def run_all(tasks, jobs, arguments, on_done):
    """Runs (job, task) pairs on several workers; calls `on_done(job, results)`."""
    workers, left = [Worker(arguments) for _ in range(jobs)], list(reversed(tasks))
    try:
        while left or any(worker.job is not None for worker in workers):
            for worker in workers:
                if worker.job is None and left:
                    worker.start(*left.pop())
            busy = [worker for worker in workers if worker.job is not None]
            ready = multiprocessing.connection.wait([worker.connection for worker in busy], timeout=1)
            for worker in busy:
                job = worker.job
                if worker.connection in ready:
                    worker.job = None
                    on_done(job, worker.finish())
                elif time.monotonic() > worker.deadline:
                    worker.job = None
                    worker.stop()
                    on_done(job, "hang")
    finally:
        for worker in workers:
            worker.stop()


# The check


@dataclasses.dataclass
class Planted:
    """A fault and what caught it."""

    kernel: str
    fault: mutation_ir.Fault
    caught: set = dataclasses.field(default_factory=set)
    first: str = ""
    is_silent: bool = False  # changes nothing in any run
    rule: int = 0  # of mutation_equivalence, by which it is no fault

    @property
    def survives(self):
        return not self.caught and not self.rule


def found_by(is_trap, outcome):
    """What speaks against a run."""
    kinds = set(outcome.kinds)
    if is_trap:
        kinds ^= {"trap"}  # which is expected there
    if outcome.error and not kinds:
        kinds.add("error")
    return kinds


def judge(planted, results):
    """Notes what caught a fault."""
    if isinstance(results, str):
        planted.caught.add(results)
        return
    for _, is_trap, outcome in results:
        kinds = found_by(is_trap, outcome)
        planted.caught |= kinds
        planted.first = planted.first or (outcome.first if kinds else "") or outcome.error


class Check:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.kernels = load_kernels(options.kernels, options.only)
        if options.sample:
            self.kernels = random.Random(options.seed).sample(self.kernels, min(options.sample, len(self.kernels)))
        self.packages, self.modules, self.reached = {}, {}, {}
        self.planted, self.bad, self.silent, self.digests = [], [], [], {}
        self.arguments = (str(options.build), str(options.kernels))

    def compile(self):
        for kernel in self.kernels:
            self.packages[kernel.name], self.modules[kernel.name] = compile_kernel(
                kernel, self.options.build, self.folder)

    def run_tests(self):
        """The tests of the kernels as they are; notes which inputs reach which."""

        def done(name, results):
            planted = Planted(name, None)
            judge(planted, results)
            if planted.caught:
                self.bad.append(f"{name}: its own test finds {sorted(planted.caught)}: {planted.first}")
                return
            reached = collections.defaultdict(list)
            for i, is_trap, outcome in results:
                self.digests[name, i] = outcome.digest
                for function in [f.name for f in self.modules[name].functions] if is_trap else outcome.kernels:
                    reached[function].append(i)
            self.reached[name] = reached

        tasks = [(k.name, (k.name, str(self.packages[k.name]), None, None)) for k in self.kernels]
        run_all(tasks, self.options.jobs, self.arguments, done)

    def plant(self):
        """Chooses the faults."""
        chosen = []
        for kernel in self.kernels:
            for function in self.modules[kernel.name].functions:
                if function.name not in self.reached.get(kernel.name, ()):
                    self.silent.append(function.name)
                    continue
                for name, (_, generate) in mutation_kinds.KINDS.items():
                    if self.options.kind and name not in self.options.kind:
                        continue
                    faults = list(generate(function))
                    # No tensor of the others has 2^31 elements, by its sizes' bounds.
                    if name == "narrow-offset" and kernel.name not in FAR:
                        continue
                    if not self.options.every:
                        # The same places whatever else is chosen.
                        rng = random.Random(f"{function.name} {name}")
                        faults = sorted(rng.sample(faults, min(self.options.each, len(faults))),
                                        key=lambda fault: fault.line)
                    chosen += [Planted(kernel.name, fault) for fault in faults]
        if self.options.sample:
            rng = random.Random(self.options.seed)
            kernels = dict.fromkeys(planted.kernel for planted in chosen)
            chosen = [rng.choice([p for p in chosen if p.kernel == kernel]) for kernel in kernels]
        self.planted = chosen

    def run_faults(self):
        tasks = []
        for planted in self.planted:
            code = self.modules[planted.kernel].with_fault(planted.fault).encode()
            which = self.reached[planted.kernel][planted.fault.function]
            tasks.append((planted, (planted.kernel, str(self.packages[planted.kernel]), code, which)))
        run_all(tasks, self.options.jobs, self.arguments, judge)
        # A fault that cannot even be run is one of this script.
        self.bad += [f"{p.kernel}: {p.fault.kind}: {p.first}" for p in self.planted if "error" in p.caught]

    def is_same_code(self, planted):
        module, fault = self.modules[planted.kernel], planted.fault
        plain = dataclasses.replace(fault, edits={})
        return mutation_equivalence.optimize(module.with_fault(fault)) == mutation_equivalence.optimize(
            module.with_fault(plain))

    def probe_survivors(self):
        """Recognises the faults that are none, by the rules of
        mutation_equivalence."""
        tasks = []

        def add(on_done, planted, edits):
            module, fault = self.modules[planted.kernel], planted.fault
            code = module.with_fault(dataclasses.replace(fault, edits=edits)).encode()
            which = self.reached[planted.kernel][fault.function]
            tasks.append(((on_done, planted), (planted.kernel, str(self.packages[planted.kernel]), code, which)))

        for planted in [p for p in self.planted if not p.caught]:
            if self.is_same_code(planted):
                planted.rule = 4
                continue
            function = next(f for f in self.modules[planted.kernel].functions if f.name == planted.fault.function)
            probe = mutation_equivalence.Probe(function, planted.fault)
            add(functools.partial(self.take_probe, probe), planted, probe.edits)
            if not mutation_equivalence.has_constant_sizes(function):
                continue
            if not mutation_equivalence.compares_numbers(function):
                add(functools.partial(self.take_results, 2), planted, planted.fault.edits)
            if nan := mutation_equivalence.with_nan(function, planted.fault):
                add(functools.partial(self.take_results, 3), planted, nan)
        run_all(tasks, self.options.jobs, self.arguments, lambda job, results: job[0](job[1], results))

    def take_probe(self, probe, planted, results):
        probed = Planted(planted.kernel, planted.fault)
        judge(probed, results)
        planted.is_silent, planted.first = not probed.caught, probed.first
        if "error" in probed.caught:
            self.bad.append(f"probe of {planted.kernel}: {planted.fault.kind}: {probed.first}")
        if planted.is_silent and probe.is_proof():
            planted.rule = 1

    def take_results(self, rule, planted, results):
        """Whether all results are those without the fault."""
        probed = Planted(planted.kernel, planted.fault)
        judge(probed, results)
        is_same = not probed.caught and all(
            outcome.digest == self.digests[planted.kernel, i] for i, _, outcome in results)
        if is_same and not planted.rule:
            planted.rule = rule


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev")))
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--kind", nargs="+", default=[])
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print each fault and what caught it")
    return parser.parse_args()


def main():
    options = parse_arguments()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options, pathlib.Path(folder))
        check.compile()
        check.run_tests()
        check.plant()
        check.run_faults()
        check.probe_survivors()
    if options.list:
        print(mutation_report.details(check.planted))
    survivors = [planted for planted in check.planted if planted.survives]
    print(mutation_report.summary(check, survivors, time.monotonic() - started))
    if options.table:
        mutation_report.write_table(options.table, check.planted)
    kinds = len({planted.fault.kind for planted in check.planted})
    few = not (options.sample or options.kind or options.only) and kinds < LEAST_KINDS
    return 1 if survivors or check.bad or few else 0


if __name__ == "__main__":
    sys.exit(main())

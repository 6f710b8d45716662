"""Runs a package's kernels in the simulator, in this process, with the kernels'
code replaced on the way: for the mutation check.

A copy of the simulator's device table goes to the runtime, in which loading a
module gives other text instead.
"""

import ctypes as c
import hashlib
import pathlib

import torch

from . import runtime, simulator

class LaunchCheck(c.Structure):
    _fields_ = [
        ("launch", c.c_char_p),
        ("kernel", c.c_char_p),
        ("number", c.c_int32),
        ("output", c.c_int32),
        ("dtype", c.c_int32),
        ("rank", c.c_int32),
        ("sizes", c.c_void_p),
        ("isExact", c.c_int32),
        ("reserved", c.c_int32),
        ("elements", c.c_int64),
        ("different", c.c_int64),
        ("mismatches", c.c_int64),
        ("firstMismatch", c.c_int64),
        ("found", c.c_double),
        ("expected", c.c_double),
        ("maxAbs", c.c_double),
        ("maxRel", c.c_double),
        ("maxUlp", c.c_double),
        ("largest", c.c_double),
        ("tolerance", c.c_double),
    ]


class LaunchChecker(c.Structure):
    _fields_ = [("checked", c.c_void_p), ("user", c.c_void_p), ("tolerance", c.c_double)]


_LOAD = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_int64, c.POINTER(c.c_void_p), c.POINTER(simulator.Error))
_CHECKED = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(LaunchCheck))


class Outcome:
    """What a run found: kinds of findings, `values` when results differ, the
    kernels that ran, and the message of a run that failed."""

    def __init__(self):
        self.kinds, self.kernels, self.error, self.first = set(), set(), "", ""
        self.digest = ""  # of all results


def digest(outcome, results):
    hashed = hashlib.sha256(outcome.digest.encode())
    for result in results:
        hashed.update(result.contiguous().flatten().view(torch.uint8).numpy().tobytes())
    outcome.digest = hashed.hexdigest()


class Simulator:
    """The simulator and the runtime, opened once."""

    # Enough for any of the check's kernels; a mutant that spins ends.
    MAX_SWITCHES = 20_000_000

    def __init__(self, build):
        build = pathlib.Path(build)
        self.library = runtime.Library(build / "lib" / "libkfuse_runtime.so")
        self.sim, self.original, self.table = simulator.open_library(build)
        self._load = _LOAD(self._load_module)
        self.table.loadModule = c.cast(self._load, c.c_void_p).value
        self._sink, self._checked = simulator.Sink(self._take_finding), _CHECKED(self._take_check)
        self.code, self.outcome = None, Outcome()

    def _load_module(self, device, image, size, module, error):
        code = self.code if self.code is not None else c.string_at(image, size)
        return _LOAD(self.original.loadModule)(device, code, len(code), module, error)

    def _take_finding(self, _, finding):
        found = finding.contents
        kind = self.sim.kfuse_sim_kind_name(found.kind).decode()
        self.outcome.kinds.add(kind)
        self.outcome.first = self.outcome.first or f"{kind}: {found.message.decode()} ({found.place.decode()})"

    def _take_check(self, _, check):
        found = check.contents
        self.outcome.kernels.add(found.kernel.decode())
        if found.mismatches:
            self.outcome.kinds.add("values")
            self.outcome.first = self.outcome.first or f"{found.found} instead of {found.expected}"

    def _configure(self, seed):
        simulator.configure(self.sim, seed=seed, optLevel=1, sink=self._sink, maxSwitches=self.MAX_SWITCHES)

    def run(self, package, inputs, seeds, code=None, is_checked=True, output_shift=0):
        """Runs a package with each seed; its kernels' code is `code` when given.
        Launches are compared with their operators when `is_checked`."""
        self.code, self.outcome = code, Outcome()
        self._configure(seeds[0])
        try:
            model = SimulatedModel(self, runtime.Package(self.library, package), is_checked, output_shift)
            for seed in seeds:
                self._configure(seed)
                digest(self.outcome, model(*inputs))
            model.close()
        except runtime.KfuseError as error:
            self.outcome.error = str(error)
        return self.outcome


class SimulatedModel(runtime.Model):
    """A package on the simulator's (changed) table, whose launches are checked."""

    def __init__(self, opened, package, is_checked, output_shift):
        super().__init__(opened.library, package, program=runtime.PLAN, table=opened.table)
        self.output_shift = output_shift
        if not is_checked:
            return
        checker = LaunchChecker(c.cast(opened._checked, c.c_void_p).value, None, -1.0)
        self.library.check(self.library.c.kfuse_context_check(self.context, c.byref(checker)))

    def allocate(self, args, count):
        """Outputs begin 16 bytes after a multiple of 32, which is the least that
        packets need, or `output_shift` elements after that."""
        outputs = []
        for plain in super().allocate(args, count):
            width = plain.dtype.itemsize
            extent = 1 + sum((size - 1) * stride for size, stride in zip(plain.shape, plain.stride()))
            storage = torch.empty(max(extent, 0) + 64 // width, dtype=plain.dtype)
            offset = (16 + -storage.data_ptr() % 32) // width + self.output_shift % (16 // width)
            outputs.append(storage.as_strided(plain.shape, plain.stride(), offset))
        return outputs

"""The checks of simulated.py: every operation that capture knows, in kernels of
every kind.

- `parity_checks`: each case of parity.py as it is, one small shape.
- `lifted_checks`: its pointwise cases at any size, over layouts.
- The rest is written by kind of kernel in simulated_kernels.py, for sizes that
  loops run 0, 1, a few and many times for, with and without tails.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Callable

import torch

from . import parity, parity_cases, tapes
from .batches import Batch, Check, Run

FLOATS, INTS, BOOL = parity_cases.FLOATS, parity_cases.INTS, parity_cases.BOOL
# Checks in one program: fewer cost more processes, more make a failure's search longer.
BATCH_SIZE = 40


@dataclasses.dataclass
class Family:
    """Checks that are run at the same sizes."""

    name: str
    checks: list[Check]
    runs: list[Run]
    numerics: str = "eager"
    batch_size: int = BATCH_SIZE
    last_runs: list[Run] = dataclasses.field(default_factory=list)

    def batches(self) -> list[Batch]:
        size = self.batch_size
        parts = [self.checks[at : at + size] for at in range(0, len(self.checks), size)]
        return [Batch(part, self.runs, self.numerics, self.last_runs) for part in parts]


def negate(tape, value):
    """A kernel that reads `value`, exactly: views alone need none."""
    return tape.op("logical_not" if value.dtype == torch.bool else "neg", value)


def _is_view(value, operands) -> bool:
    """Whether a result is (a part of) an operand's memory: it needs no kernel."""
    memory = value.untyped_storage().data_ptr()
    return any(operand.untyped_storage().data_ptr() == memory for operand in operands)


def _map_tensors(value, fn):
    if isinstance(value, torch.Tensor):
        return fn(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map_tensors(item, fn) for item in value)
    return value


def _call(tape, case, give, views):
    """Runs a parity case on what `give` makes of its tensors. `views` says which
    results are views: what the first call, which writes the program, finds, as
    single elements are views of more."""
    args = _map_tensors(case.args, give)
    kwargs = {key: _map_tensors(value, give) for key, value in case.kwargs.items()}
    results = tape.op(case.target, *args, **kwargs)
    results = [results] if isinstance(results, torch.Tensor) else results
    kept = [results[i] for i in case.kept(len(results))]
    operands = _tensors(args) + _tensors(list(kwargs.values()))
    if not views:
        views += [_is_view(value, operands) for value in kept]
    return [negate(tape, value) if is_view else value for value, is_view in zip(kept, views)]


# Where more values than a parity case has meet the same differences:
# - logit: ATen's CPU kernel rounds 1 - x and the quotient to the half type; the
#   logarithm makes absolute errors of their relative ones.
# - logaddexp: max + log1p(exp(-d)) cancels near 0, to the error of the larger.
_ATOL = {
    ("logit", torch.bfloat16): 12e-3,
    ("logit", torch.float16): 15e-4,
    ("logaddexp", torch.float32): 2e-6,
    ("logaddexp", torch.float64): 4e-15,
    ("logaddexp", torch.bfloat16): 0.02,
    ("logaddexp", torch.float16): 3e-3,
}


def _from_case(case, name, graph, layout) -> Check:
    atol = max(case.atol, _ATOL.get((case.target, case.dtype), 0.0))
    return Check(name, case.target, case.dtype, layout, graph, case.ulps, atol)


def parity_checks() -> Family:
    torch.manual_seed(0)
    checks = []
    for case in parity_cases.all_cases():
        if case.refused or case.dynamic:
            continue
        views = []

        def graph(tape, case=case, views=views):
            known = {}

            def give(tensor):
                if id(tensor) not in known:
                    known[id(tensor)] = tape.given(tensor)
                return known[id(tensor)]

            return _call(tape, case, give, views)

        checks.append(_from_case(case, case.name, graph, "as written"))
    return Family("parity", checks, [Run(())])


# Pointwise operations at any size

_GROUPS = (
    parity_cases.unary_cases,
    parity_cases.activation_cases,
    parity_cases.binary_cases,
    parity_cases.promotion_cases,
    parity_cases.division_cases,
    parity_cases.pow_cases,
    parity_cases.logic_cases,
    parity_cases.ternary_cases,
    parity_cases.cast_cases,
)
_DIMS = {7: 0, 13: 1, 1: None}


def _tensors(value) -> list[torch.Tensor]:
    found = []
    _map_tensors(value, found.append)
    return found


def _can_be_lifted(case) -> bool:
    tensors = _tensors(case.args) + _tensors(list(case.kwargs.values()))
    # PyTorch detaches no view in place.
    if case.refused or case.dynamic or not tensors or case.target == "detach_":
        return False
    if any(len(t.shape) > 2 or any(n not in _DIMS for n in t.shape) for t in tensors):
        return False
    wide = [tuple(t.shape) for t in tensors]
    return torch.broadcast_shapes(*wide) == (7, 13) and (7, 13) in wide


def _sample(tensor):
    """Values of any shape that are drawn from those of `tensor`."""

    def fill(dtype, shape):
        flat = tensor.reshape(-1)
        return flat[torch.randint(0, flat.numel(), (math.prod(shape),))].reshape(shape)

    return fill


_FIRST = ("contiguous", "misaligned", "transposed", "sliced", "stepped", "rows", "columns")
_OTHERS = ("contiguous", "sliced", "transposed", "contiguous", "rows", "misaligned", "columns", "stepped")
POINTWISE_RUNS = [Run((8, 64)), Run((5, 67)), Run((1, 1)), Run((13, 61)), Run((0, 9)), Run((3, 1027))]


def _lift(case, layouts) -> Callable:
    views = []

    def graph(tape, s0, s1):
        count = itertools.count()

        def give(tensor):
            shape = [(s0, s1, 1)[(0, 1)[_DIMS[n]] if _DIMS[n] is not None else 2] for n in tensor.shape]
            layout = layouts[next(count) % len(layouts)]
            return tape.input(tensor.dtype, shape, layout if len(shape) == 2 else "contiguous", _sample(tensor))

        return _call(tape, case, give, views)

    return graph


def lifted_checks() -> Family:
    """One or two layouts for each operation and combination of types; all
    layouts meet all operations over the types."""
    torch.manual_seed(1)
    parity_cases._cases.clear()
    for group in _GROUPS:
        group()
    checks, seen = [], {}
    for case in filter(_can_be_lifted, list(parity_cases._cases)):
        types = tuple(t.dtype for t in _tensors(case.args))
        number = seen[case.target, types] = seen.get((case.target, types), -1) + 1
        if number >= 2:
            continue
        turn = len(checks)
        layouts = (_FIRST[turn % len(_FIRST)], _OTHERS[(turn // 2) % len(_OTHERS)], "contiguous")
        name = f"{case.target.replace('.', '_')}_{parity_cases.SHORT[case.dtype]}_any_{turn}"
        layout = "+".join(layouts[: min(len(types), 3)])
        checks.append(_from_case(case, name, _lift(case, layouts), layout))
    return Family("pointwise", checks, POINTWISE_RUNS, last_runs=POINTWISE_RUNS[1:2])


# Nothing is promised about their values: there is nothing to compute.
NO_KERNEL = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")


def claimed() -> set:
    """Each operation, without its overload, and type that docs/Support.md has."""
    cases_ = [case for case in parity_cases.all_cases() if not case.refused]
    return {(name, case.dtype) for case in cases_ if (name := case.target.split(".")[0]) not in NO_KERNEL}


def all_families() -> list[Family]:
    from . import simulated_kernels

    return [parity_checks(), lifted_checks(), *simulated_kernels.families()]

"""Checks of simulated.py by kind of kernel: reductions along rows and columns,
split ones, norms, transposes, gathers, concatenations, windows, scans.

Sums are of small whole numbers, and products of powers of two: then every order
gives the same bits, and a kernel that drops or repeats an element cannot hide
behind a tolerance. Where a mathematical function is in the way, the tolerance
says what it is for.
"""

from __future__ import annotations

import torch

from . import simulated_cases as cases
from .batches import Check, Run
from .parity_cases import BOOL, FLOATS, INTS, SHORT, half

EVERY = FLOATS + INTS + BOOL
WHOLE = "whole"
F32, F64, BF16, F16 = FLOATS

# (rows, columns). Dynamic rows are held by a warp up to 512 columns of f32,
# by a block up to 4096, and beyond that loops read 4096 a round (1024 where
# there are no packets): none, one and more rounds, with and without a tail.
ROW_RUNS = [
    Run((5, 64)),
    Run((6, 61), seeds=(1, 2)),
    Run((1, 1)),
    Run((3, 5)),
    Run((0, 7)),
    Run((4, 0)),
    Run((2, 512)),
    Run((3, 509)),
    Run((2, 1028), seeds=(3,), timings=("random",)),
    Run((1, 2047)),
    Run((2, 4100)),
    Run((1, 4099), seeds=(4,)),
    Run((1, 8197)),
    Run((1, 12288)),
]
# Softmax and norms of nothing are nothing: no empty rows.
NORM_RUNS = [run for run in ROW_RUNS if run.sizes[1] != 0]
# (reduced, kept). A block of 16 or 32 rows reads 4 to 16 of them a round.
COLUMN_RUNS = [
    Run((16, 64)),
    Run((5, 61), seeds=(1, 2)),
    Run((1, 1)),
    Run((0, 5)),
    Run((7, 0)),
    Run((31, 33)),
    Run((256, 8)),
    Run((257, 5), seeds=(3,), timings=("random",)),
    Run((515, 34)),
    Run((1031, 3)),
    Run((64, 1)),
]
LAYOUTS = ("contiguous", "misaligned", "sliced", "transposed", "stepped", "columns", "rows")


class _Table:
    """Collects checks with running names."""

    def __init__(self, family):
        self.family, self.checks = family, []

    def add(self, op, dtype, layout, graph, ulps=0.0, atol=0.0, is_wide=False):
        name = f"{self.family}_{op.replace('.', '_')}_{SHORT[dtype]}_{layout}_{len(self.checks)}"
        self.checks.append(Check(name, op, dtype, layout, graph, ulps, atol, is_wide))

    def made(self, runs, **kwargs):
        return cases.Family(self.family, self.checks, runs, **kwargs)


def unary(op, dtype, layout, *args, fill="any", shape=None, keep=None, **kwargs):
    """A graph: one operation on one input of two dimensions."""

    def graph(tape, s0, s1):
        x = tape.input(dtype, shape(s0, s1) if shape else (s0, s1), layout, fill)
        result = tape.op(op, x, *(arg(s0, s1) if callable(arg) else arg for arg in args), **kwargs)
        return result if keep is None else result[keep]

    return graph


def at(graph, *sizes):
    """The graph at fixed sizes."""
    return lambda tape: graph(tape, *sizes)


def _powers(dtype, shape):
    """Products of these are exact as long as they stay in range."""
    signs = torch.randint(0, 2, shape) * 2 - 1
    if dtype == torch.bool:
        return signs > 0
    if dtype == torch.uint8:
        return torch.ones(shape, dtype=dtype)
    return signs.to(dtype)


_SIMPLE = (
    ("sum.dim_IntList", EVERY, WHOLE),
    ("mean.dim", FLOATS, WHOLE),
    ("prod.dim_int", EVERY, _powers),
    ("amax", EVERY, "any"),
    ("amin", EVERY, "any"),
    ("argmax", FLOATS + INTS, "any"),
    ("argmin", FLOATS + INTS, "any"),
    ("any.dim", EVERY, "any"),
    ("all.dim", EVERY, "any"),
    ("count_nonzero.dim_IntList", EVERY, "any"),
    ("max.dim", FLOATS + INTS, "any"),
    ("min.dim", FLOATS + INTS, "any"),
)
_NO_EMPTY = ("amax", "amin", "argmax", "argmin", "max.dim", "min.dim", "mean.dim")


# Which zero wins, +0 or -0, is nobody's promise. A mean is the sum times the
# rounded 1 / n, as in ATen's CUDA kernels, where the CPU divides: 1.5 ulps
# against half of one.
_REDUCED_ULPS = {"amax": 0.5, "amin": 0.5, "max.dim": 0.5, "min.dim": 0.5, "mean.dim": 2.0}


def _dims(op, dim):
    return [dim] if op in ("sum.dim_IntList", "mean.dim", "amax", "amin", "count_nonzero.dim_IntList") else dim


def _reductions(family, dim, runs) -> list:
    """Simple reductions along `dim`; those with no neutral element apart."""
    full, nonempty = _Table(family), _Table(f"{family}_nonempty")
    turn = 0
    for op, dtypes, fill in _SIMPLE:
        for dtype in dtypes:
            for layout in (LAYOUTS[turn % 7], LAYOUTS[(turn + 3) % 7]):
                table = nonempty if op in _NO_EMPTY else full
                graph = unary(op, dtype, layout, _dims(op, dim), fill=fill)
                table.add(op, dtype, layout, graph, _REDUCED_ULPS.get(op, 0.0))
            turn += 1
    reduced = 1 if dim in (1, -1) else 0
    last = {"last_runs": [Run((5, 67)), Run((2, 1031))] if reduced else [Run((67, 5)), Run((1031, 3))]}
    return [full.made(runs, **last), nonempty.made([run for run in runs if run.sizes[reduced] != 0], **last)]


# Judged against the same in f64: what is left is our own error. Half types are
# rounded once at the end. f32 has the functions of libdevice (2 ulps each), and
# sums of which every term rounds: a thread adds up to 48 of them, then 8 levels
# of halves follow. f64 is judged against itself, and the CPU adds one by one.
_NORMS = (
    ("softmax.int", (-1,)),
    ("log_softmax.int", (-1,)),
    ("_softmax", (-1, False)),
    ("_safe_softmax", (-1,)),
    ("logsumexp", ([-1],)),
    ("var.correction", ([-1],)),
    ("std.correction", ([-1],)),
    ("layer_norm", (lambda s0, s1: [s1],)),
    ("rms_norm", (lambda s0, s1: [s1],)),
    ("linalg_vector_norm", (2, [-1])),
)


def _loose(dtype) -> dict:
    if half(dtype):
        return {"ulps": 1.0, "atol": 1e-6, "is_wide": True}
    return {"ulps": 32.0, "atol": 2e-6, "is_wide": True} if dtype == F32 else {"ulps": 2048.0, "atol": 1e-12}


def _affine_norm(op, dtype, layout):
    def graph(tape, s0, s1):
        x = tape.input(dtype, (s0, s1), layout, "small")
        weight = tape.input(dtype, (s1,), "contiguous", "small")
        if op == "rms_norm":
            return tape.op(op, x, [s1], weight, 1e-6)
        return tape.op(op, x, [s1], weight, tape.input(dtype, (s1,), "misaligned", "small"), 1e-5)

    return graph


def _norms() -> cases.Family:
    table = _Table("norm")
    turn = 0
    for op, args in _NORMS:
        for dtype in FLOATS:
            for layout in (LAYOUTS[turn % 7], LAYOUTS[(turn + 3) % 7]):
                table.add(op, dtype, layout, unary(op, dtype, layout, *args, fill="small"), **_loose(dtype))
            turn += 1
    for op in ("layer_norm", "rms_norm"):
        for dtype in FLOATS:
            for layout in ("contiguous", "sliced", "transposed"):
                table.add(op, dtype, layout, _affine_norm(op, dtype, layout), **_loose(dtype))
    return table.made(NORM_RUNS, last_runs=[Run((5, 67)), Run((2, 1031))])


# Rows of known length: by a part of a warp, a warp, a block, in loops; those
# that are no multiple of a packet begin before the row.
_COLUMNS = (1, 3, 7, 16, 61, 64, 100, 127, 128, 131, 255, 384, 513, 1000, 1024, 2049, 4096, 4099, 9001)


def _fixed_rows() -> cases.Family:
    table = _Table("fixed_row")
    ops = (
        ("sum.dim_IntList", ([-1],), WHOLE, EVERY),
        ("amax", ([-1],), "any", EVERY),
        ("argmax", (-1,), "any", FLOATS + INTS),
        ("softmax.int", (-1,), "small", FLOATS),
        ("layer_norm", (lambda s0, s1: [s1],), "small", FLOATS),
    )
    turn = 0
    for columns in _COLUMNS:
        for op, args, fill, dtypes in ops:
            dtype = dtypes[turn % len(dtypes)]
            loose = _loose(dtype) if fill == "small" else {"ulps": 0.5 if op == "amax" else 0.0}
            for layout in ("contiguous", "misaligned", "sliced"):
                rows = 6 if columns < 200 else 3
                table.add(op, dtype, layout, at(unary(op, dtype, layout, *args, fill=fill), rows, columns), **loose)
            turn += 1
    return table.made([Run((), seeds=(1, 2))])


def _split_rows() -> cases.Family:
    """Few long rows, which several blocks share: at least four rounds each."""
    table = _Table("split_row")
    for op, args, fill in (
        ("sum", (), WHOLE),
        ("amax", ([0, 1],), "any"),
        ("argmax", (), "any"),
        ("sum.dim_IntList", ([-1],), WHOLE),
        ("any", (), "any"),
    ):
        for dtype, count in ((F32, 32768 + 5), (BF16, 65536 + 3), (torch.int64, 16384 + 1), (torch.uint8, 131072 + 7)):
            for layout in ("contiguous", "misaligned"):
                rows = 2 if op == "sum.dim_IntList" else 1
                ulps = 0.5 if op == "amax" else 0.0
                table.add(op, dtype, layout, at(unary(op, dtype, layout, *args, fill=fill), rows, count), ulps)
    return table.made([Run((), seeds=(1, 2, 3), timings=("random",))], batch_size=8)


def _transposes() -> cases.Family:
    """Operands that are contiguous along another dimension than the results."""
    table = _Table("transpose")

    def swap(dtype, layout):
        return lambda tape, s0, s1: cases.negate(tape, tape.op("t", tape.input(dtype, (s0, s1), layout)))

    def copied(dtype, layout):
        return lambda tape, s0, s1: tape.op(
            "clone", tape.op("t", tape.input(dtype, (s0, s1), layout)), memory_format=torch.contiguous_format
        )

    def added(dtype, layout):
        def graph(tape, s0, s1):
            x, y = tape.input(dtype, (s0, s1), layout), tape.input(dtype, (s1, s0))
            return tape.op("maximum", tape.op("t", x), y)

        return graph

    def middle(dtype, layout):
        def graph(tape, s0, s1):
            x = tape.input(dtype, (3, s0, s1), layout)
            return tape.op("clone", tape.op("permute", x, [0, 2, 1]), memory_format=torch.contiguous_format)

        return graph

    for make in (swap, copied, added, middle):
        for dtype in EVERY:
            for layout in ("contiguous", "misaligned", "sliced", "transposed"):
                # The sign of a zero may be either's: see parity_cases.
                table.add(make.__name__, dtype, layout, make(dtype, layout), ulps=0.5 if make is added else 0.0)
    sizes = ((32, 32), (33, 65), (1, 1), (61, 7), (130, 70), (0, 5), (64, 1), (128, 256))
    return table.made([Run(size, seeds=(1, 2)) for size in sizes[:2]] + [Run(size) for size in sizes[2:]])


def _moves() -> cases.Family:
    """Concatenations, pads, flips, repetitions, slices of them."""
    table = _Table("move")
    ops = {
        "cat.rows": lambda t, x, y, n: t.op("cat", [x, y, x], 0),
        "cat.columns": lambda t, x, y, n: t.op("cat", [x, y], 1),
        "stack": lambda t, x, y, n: t.op("stack", [x, y], 1),
        "pad": lambda t, x, y, n: t.op("constant_pad_nd", x, [1, 2, 0, 3]),
        "crop": lambda t, x, y, n: t.op("constant_pad_nd", x, [-1, 2], 1),
        "flip": lambda t, x, y, n: t.op("flip", x, [0, 1]),
        "repeat": lambda t, x, y, n: t.op("repeat", x, [2, 1, 3]),
        "interleave": lambda t, x, y, n: t.op("repeat_interleave.self_int", x, 3, 1),
        "slice": lambda t, x, y, n: cases.negate(t, t.op("slice.Tensor", x, 1, 1, n - 1)),
        "select": lambda t, x, y, n: cases.negate(t, t.op("select.int", x, 1, -1)),
        "expand": lambda t, x, y, n: t.op("clone", t.op("expand", t.op("unsqueeze", x, 1), [-1, 3, -1])),
        "flatten": lambda t, x, y, n: cases.negate(t, t.op("reshape", x, [-1])),
        "slice_scatter": lambda t, x, y, n: t.op("slice_scatter", x, t.op("slice.Tensor", y, 1, 0, 2), 1, 1, 3),
        "select_scatter": lambda t, x, y, n: t.op("select_scatter", x, t.op("select.int", y, 0, 0), 0, -1),
        "tril": lambda t, x, y, n: t.op("tril", x, 1),
        "where": lambda t, x, y, n: t.op("where.self", t.op("gt.Tensor", x, y), x, y),
    }

    def make(op, dtype, layout):
        def graph(tape, s0, s1):
            x, y = tape.input(dtype, (s0, s1), layout), tape.input(dtype, (s0, s1), "sliced")
            return ops[op](tape, x, y, s1)

        return graph

    turn = 0
    for op in ops:
        for dtype in EVERY:
            for layout in (LAYOUTS[turn % 7], LAYOUTS[(turn + 2) % 7]):
                table.add(op, dtype, layout, make(op, dtype, layout))
            turn += 1
    return table.made([Run(size) for size in ((8, 64), (5, 67), (1, 3), (13, 61), (3, 1027))])


def _gathers() -> cases.Family:
    """Rows and elements by index; indices of both widths, some negative."""
    table = _Table("gather")

    def embedding(dtype, index, layout):
        def graph(tape, s0, s1):
            rows = tape.input(index, (s0, 3), "sliced", ("range", 0, 9))
            return tape.op("embedding", tape.input(dtype, (9, s1), layout), rows)

        return graph

    def select(dtype, index, layout):
        def graph(tape, s0, s1):
            table_, at_ = tape.input(dtype, (9, s1), layout), tape.input(index, (s0,), fill=("range", 0, 9))
            return tape.op("index_select", table_, 0, at_)

        return graph

    def columns(dtype, index, layout):
        def graph(tape, s0, s1):
            table_, at_ = tape.input(dtype, (s0, 9), layout), tape.input(index, (s1,), fill=("range", 0, 9))
            return tape.op("index_select", table_, 1, at_)

        return graph

    def element(dtype, index, layout):
        def graph(tape, s0, s1):
            at_ = tape.input(torch.int64, (s0, s1), "transposed", ("range", 0, 9))
            return tape.op("gather", tape.input(dtype, (9, s1), layout), 0, at_)

        return graph

    def advanced(dtype, index, layout):
        def graph(tape, s0, s1):
            rows = tape.input(torch.int64, (s0, 1), fill=("range", -9, 9))
            other = tape.input(torch.int64, (s1,), fill=("range", -4, 4))
            return tape.op("index.Tensor", tape.input(dtype, (9, 4), layout), [rows, other])

        return graph

    for make in (embedding, select, columns, element, advanced):
        for turn, dtype in enumerate(EVERY):
            for index in (torch.int64, torch.int32)[: 1 if make in (element, advanced) else 2]:
                for layout in (LAYOUTS[turn % 5], LAYOUTS[(turn + 2) % 5]):
                    table.add(make.__name__, dtype, layout, make(dtype, index, layout))
    return table.made([Run(size) for size in ((8, 64), (5, 67), (1, 1), (0, 9), (13, 61), (3, 515))])


def _scans() -> cases.Family:
    table = _Table("scan")
    for op, fill in (("cumsum", WHOLE), ("cumprod", _powers)):
        for turn, dtype in enumerate(EVERY):
            for dim in (0, 1):
                layout = LAYOUTS[(turn + dim) % 6]
                for sizes in ((5, 9), (9, 5), (1, 1), (3, 17)):
                    graph = at(unary(op, dtype, layout, dim, fill=fill), *sizes)
                    table.add(op, dtype, f"{layout} {sizes}", graph)
    return table.made([Run(())])


def _huge() -> cases.Family:
    """Rows whose distance does not fit 32 bits. One byte an element: the
    memory between the rows is only promised."""
    table = _Table("huge")
    for dtype in (torch.uint8, torch.int8, torch.bool):
        for op, args in (("bitwise_not", ()), ("amax", ([-1],)), ("amax", ([0],)), ("clone", ()), ("any", ())):
            graph = unary(op, dtype, "huge", *args)
            for columns in (64, 67):
                table.add(op, dtype, f"huge {columns}", at(graph, 2, columns))
    return table.made([Run(())], batch_size=6)


def families() -> list:
    return [
        *_reductions("row", -1, ROW_RUNS),
        *_reductions("column", 0, COLUMN_RUNS),
        _norms(),
        _fixed_rows(),
        _split_rows(),
        _transposes(),
        _moves(),
        _gathers(),
        _scans(),
        _huge(),
    ]

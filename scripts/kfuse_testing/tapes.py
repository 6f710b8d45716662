"""Small graphs of ATen operations, written once and run at any size.

A graph is a function of a tape: it asks for inputs and calls operations. A
`Tape` runs it eagerly at given sizes; `write_program` runs it at a few sizes,
fits what changes to expressions in the symbols, and writes one import-level
program of many graphs.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import torch

from . import parity, parity_cases

# The sizes at which programs are fitted: four give the coefficients of
# a + b s0 + c s1 + d s0 s1, the fifth checks that nothing else was needed.
_POINTS = ((14, 22), (26, 22), (14, 34), (26, 34), (10, 46))
SYMBOLS = ("s0", "s1")


class NotLinear(ValueError):
    """A size that is no polynomial of the symbols."""


@dataclasses.dataclass
class Input:
    """One input of a graph as it was asked for."""

    dtype: torch.dtype
    shape: tuple
    layout: str
    tensor: torch.Tensor


@dataclasses.dataclass
class Node:
    """One call of an operation."""

    target: str
    args: tuple
    kwargs: dict
    results: list


def _strided(shape, order, pad=0, step=1):
    """Row-major strides with the dimensions in `order`, outermost first; the
    innermost one has `step`, rows are `pad` elements further apart."""
    strides, size = [0] * len(shape), step
    for place, dim in enumerate(reversed(order)):
        strides[dim] = size
        size *= max(shape[dim], 1)
        size += pad if place == 0 else 0
    return strides


# Further apart than a 32-bit offset reaches, in elements.
HUGE = (1 << 31) + 16


def get_strides(layout: str, shape) -> list[int]:
    """Strides, in elements, of a layout's name (see `LAYOUTS`)."""
    rank, order = len(shape), list(range(len(shape)))
    if layout == "transposed" and rank >= 2:
        order[-1], order[-2] = order[-2], order[-1]
    if layout == "outermost" and rank >= 2:  # the last dimension varies slowest
        order = order[-1:] + order[:-1]
    strides = _strided(shape, order, 3 if layout == "sliced" else 0, 2 if layout == "stepped" else 1)
    if layout == "rows" and rank:  # one row for all
        strides[: max(rank - 1, 1)] = [0] * max(rank - 1, 1)
    if layout == "columns" and rank:  # one value for each row
        strides = _strided(shape[:-1], order[:-1]) + [0]
    if layout == "huge" and rank:
        strides[0] = HUGE
    return strides


LAYOUTS = {
    "contiguous": "row-major",
    "misaligned": "row-major, element 0 one element behind an aligned address",
    "transposed": "the last two dimensions exchanged in memory",
    "outermost": "the last dimension outermost in memory",
    "sliced": "part of wider rows, element 0 one element behind an aligned address",
    "stepped": "every other element of a row",
    "rows": "stride 0 but for the last dimension",
    "columns": "stride 0 in the last dimension",
    "huge": "rows further apart than 32-bit offsets reach",
}
_SHIFTED = ("misaligned", "sliced")


def place(values: torch.Tensor, layout: str) -> torch.Tensor:
    """A tensor of this layout with `values` (where strides of 0 let it)."""
    shape, strides = list(values.shape), get_strides(layout, values.shape)
    shift = 1 if layout in _SHIFTED else 0
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if values.numel() else 0
    storage = torch.empty(extent + shift, dtype=values.dtype)
    result = storage.as_strided(shape, strides, shift)
    if values.numel():
        single = [slice(0, 1) if stride == 0 else slice(None) for stride in strides]
        result[tuple(single)] = values[tuple(single)]
    return result


def _make_values(dtype, shape, fill) -> torch.Tensor:
    if fill == "any":
        return parity_cases.values(dtype, shape)
    if fill == "finite":
        return parity_cases.values(dtype, shape, special=False)
    if fill == "whole":
        low, high = (0, 9) if dtype in (torch.uint8, torch.bool) else (-8, 9)
        return torch.randint(low, high, shape).to(dtype)
    if fill == "small":
        return parity_cases.values(dtype, shape, special=False, scale=1.0)
    if fill == "positive":
        return parity_cases.positive(dtype, shape)
    if fill == "divisor":
        values = parity_cases.values(dtype, shape, special=False)
        return values.where((values != 0) & (values != -1), torch.tensor(5, dtype=dtype))
    if isinstance(fill, tuple) and fill[0] == "range":
        low, high = fill[1:]
        if dtype.is_floating_point:
            return (torch.rand(shape, dtype=torch.float64) * (high - low) + low).to(dtype)
        return torch.randint(low, max(high, low + 1), shape).to(dtype)
    return fill(dtype, shape)


class Tape:
    """Runs a graph at `sizes`, on ones where only shapes matter (`is_probe`).
    With `is_wide` floats are f64, with the values that their own types give.
    `noise` moves every float, inputs and results, by up to so many ulps."""

    def __init__(self, sizes, is_probe=False, is_wide=False, noise=0.0):
        self.sizes, self.is_probe, self.is_wide, self.noise = sizes, is_probe, is_wide, noise
        self.random = torch.Generator().manual_seed(7)
        self.inputs: list[Input] = []
        self.nodes: list[Node] = []

    def input(self, dtype, shape, layout="contiguous", fill="any") -> torch.Tensor:
        shape = tuple(int(n) for n in shape)
        if self.is_probe:
            tensor = torch.empty_strided(shape, get_strides(layout, shape), dtype=dtype).fill_(1)
        else:
            tensor = place(_make_values(dtype, shape, fill), layout)
        self.inputs.append(Input(dtype, shape, layout, tensor))
        return tensor.double() if self.is_wide and dtype.is_floating_point else self._disturb(tensor)

    def _disturb(self, tensor):
        if not self.noise or not tensor.dtype.is_floating_point:
            return tensor
        change = (torch.rand(tensor.shape, generator=self.random, dtype=torch.float64) * 2 - 1) * self.noise
        return (tensor.double() * (1 + change * torch.finfo(tensor.dtype).eps)).to(tensor.dtype)

    def given(self, tensor: torch.Tensor) -> torch.Tensor:
        """An input with this value and layout, whatever the sizes are."""
        self.inputs.append(Input(tensor.dtype, tuple(tensor.shape), "given", tensor))
        return tensor

    def op(self, target, *args, **kwargs):
        """What the operation returns; several results are a list."""
        if self.is_wide and kwargs.get("dtype") in parity_cases.FLOATS:
            kwargs = {**kwargs, "dtype": torch.float64}
        results = parity.get_overload(target)(*args, **kwargs)
        flat = [self._disturb(value) for value in parity.flatten(results)]
        self.nodes.append(Node(target, args, kwargs, flat))
        return flat[0] if isinstance(results, torch.Tensor) else flat


def run_graph(graph, sizes, **kwargs) -> tuple[Tape, list]:
    """The tape, made with `kwargs`, and the results of a graph."""
    tape = Tape(sizes, **kwargs)
    results = graph(tape, *sizes)
    return tape, [results] if isinstance(results, torch.Tensor) else list(results)


# Expressions


def _solve(values) -> tuple[int, int, int, int]:
    """a, b, c, d of the polynomial that has `values` at the points."""
    (x0, y0), (x1, _), (_, y1) = _POINTS[:3]
    v00, v10, v01, v11, check = values
    d, rest = divmod(v11 - v10 - v01 + v00, (x1 - x0) * (y1 - y0))
    b, rest_b = divmod(v10 - v00 - d * y0 * (x1 - x0), x1 - x0)
    c, rest_c = divmod(v01 - v00 - d * x0 * (y1 - y0), y1 - y0)
    a = v00 - b * x0 - c * y0 - d * x0 * y0
    x, y = _POINTS[4]
    if a + b * x + c * y + d * x * y != check or rest or rest_b or rest_c:
        raise NotLinear(f"{list(values)} is no polynomial of the sizes")
    return a, b, c, d


def fits(graph, sizes) -> bool:
    """Whether the program of a graph is right at `sizes`: PyTorch's results have
    the shapes that the expressions give."""
    tapes = [run_graph(graph, point, is_probe=True)[0] for point in (*_POINTS, sizes)]
    for nodes in zip(*(tape.nodes for tape in tapes), strict=True):
        for values in zip(*(node.results for node in nodes), strict=True):
            for *known, found in zip(*(value.shape for value in values), strict=True):
                a, b, c, d = _solve(known)
                if a + b * sizes[0] + c * sizes[1] + d * sizes[0] * sizes[1] != found:
                    return False
    return True


def fit(values) -> str:
    """The expression in s0 and s1 that has `values` at the points."""
    if all(value == values[0] for value in values):
        return str(values[0])
    if len(values) != len(_POINTS):
        raise NotLinear("sizes differ and there are no symbols")
    a, b, c, d = _solve(values)
    parts = ((d, "s0 * s1"), (b, "s0"), (c, "s1"))
    terms = [f"{term} * {factor}" for factor, term in parts if factor > 0] + ([str(a)] if a > 0 else [])
    text = " + ".join(terms) or "0"
    for factor, term in parts:
        text += f" - {term} * {-factor}" if factor < 0 else ""
    text += f" - {-a}" if a < 0 else ""
    return text.replace(" * 1 ", " ").removesuffix(" * 1")


def _fit_lists(lists) -> list[str]:
    return [fit(values) for values in zip(*lists, strict=True)]


def write_type(tensors) -> str:
    """The type of one tensor, seen at each point."""
    sizes = _fit_lists([t.shape for t in tensors])
    strides = _fit_lists([t.stride() for t in tensors])
    offset = fit([t.storage_offset() for t in tensors])
    dims = "".join((size if size.isdigit() else "?") + "x" for size in sizes)
    tail = f", {offset}" if offset != "0" else ""
    element = parity.ELEMENT[tensors[0].dtype]
    return f"tensor<{dims}{element}, #kfuse.layout<[{', '.join(sizes)}], [{', '.join(strides)}]{tail}>>"


def _write_attribute(values, operands) -> str:
    """The attribute of one argument, seen at each point."""
    first = values[0]
    if isinstance(first, torch.Tensor):
        operands.append(values)
        return f"#kfuse.operand<{len(operands) - 1}>"
    if isinstance(first, (list, tuple)):
        return "[" + ", ".join(_write_attribute(item, operands) for item in zip(*values, strict=True)) + "]"
    if isinstance(first, int) and not isinstance(first, bool):
        text = fit(values)
        return f"{text} : i64" if text.lstrip("-").isdigit() else f"#kfuse.expr<{text}>"
    return parity.attribute(first, [], False)


class _GraphWriter:
    """Text of one graph; names of values begin with `prefix`."""

    def __init__(self, name, tapes, prefix, loc):
        self.name, self.tapes, self.prefix, self.loc = name, tapes, prefix, loc
        self.names = {}
        self.types = {}

    def _define(self, tensors, name):
        self.names[id(tensors[0])] = name
        self.types[name] = write_type(tensors)
        return name

    def params(self):
        rows = []
        for i, inputs in enumerate(zip(*(tape.inputs for tape in self.tapes), strict=True)):
            name = self._define([item.tensor for item in inputs], f"%{self.prefix}a{i}")
            rows.append(f"{name}: {self.types[name]}")
        return rows

    def node(self, index, nodes):
        target = nodes[0].target
        schema = parity.get_overload(target)._schema
        keys = [argument.name for argument in schema.arguments][: len(nodes[0].args)] + list(nodes[0].kwargs)
        given = [list(node.args) + list(node.kwargs.values()) for node in nodes]
        operands = []
        args = ", ".join(_write_attribute(values, operands) for values in zip(*given, strict=True))
        names = ", ".join(f'"{key}"' for key in keys)
        values = [self.names[id(tensors[0])] for tensors in operands]
        head = f"%{self.prefix}r{index}"
        count = len(nodes[0].results)
        outs = [
            self._define(tensors, f"{head}#{i}" if count > 1 else head)
            for i, tensors in enumerate(zip(*(node.results for node in nodes), strict=True))
        ]
        return (
            f'  {head}{f":{count}" if count > 1 else ""} = kfuse.aten "aten::{target}"({", ".join(values)}) '
            f"{{names = [{names}], args = [{args}]}} : ({', '.join(self.types[v] for v in values)}) -> "
            f'({", ".join(self.types[v] for v in outs)}) loc("{self.loc}")\n'
        )

    def body(self):
        return "".join(
            self.node(i, nodes) for i, nodes in enumerate(zip(*(tape.nodes for tape in self.tapes), strict=True))
        )

    def results(self, tensors):
        return [self.names[id(tensor)] for tensor in tensors]


def write_program(graphs, is_dynamic) -> str:
    """An import-level program of `graphs`, a list of (location, graph)."""
    params, body, values, types = [], [], [], []
    for i, (loc, graph) in enumerate(graphs):
        ran = [run_graph(graph, point, is_probe=is_dynamic) for point in (_POINTS if is_dynamic else [()])]
        writer = _GraphWriter(loc, [tape for tape, _ in ran], f"g{i}", loc)
        params += writer.params()
        body.append(writer.body())
        names = writer.results(ran[0][1])
        values += names
        types += [writer.types[name] for name in names]
    kinds = [f'{param} {{kfuse.kind = "input", kfuse.name = "{param.split(":")[0][1:]}"}}' for param in params]
    return (
        f"func.func @main({', '.join(kinds)}) -> ({', '.join(types)}) {{\n{''.join(body)}"
        f"  return {', '.join(values)} : {', '.join(types)}\n}}\n"
    )

"""Random graphs of 2 to 12 operations, as data that can be shrunk.

A `Recipe` is drawn from a seed. It is either exact, with operations whose bits
do not depend on who computes them, or it has mathematical functions too and
is judged against the same graph in f64.
"""

from __future__ import annotations

import dataclasses
import random

import torch

from . import tapes

F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
FLOATS = (F32, F32, BF16, F16, F64)
INTS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
LAYOUTS = ("contiguous", "contiguous", "transposed", "sliced", "misaligned", "stepped", "rows", "columns", "outermost")
_SIZES = (1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 61, 64, 67, 100, 128, 255, 384, 515)


@dataclasses.dataclass(frozen=True)
class Source:
    dtype: torch.dtype
    shape: tuple
    layout: str
    fill: object


@dataclasses.dataclass(frozen=True)
class Step:
    """A call; operands are numbers of values, sources first."""

    name: str
    operands: tuple
    params: tuple = ()


@dataclasses.dataclass(frozen=True)
class Recipe:
    seed: int
    is_exact: bool
    sources: tuple
    steps: tuple
    outputs: tuple

    def graph(self, tape, *sizes):
        """With `sizes`, they are in the place of the two largest sizes of the sources."""
        known = dict(zip(self.symbols(), sizes))

        def make(source):
            return tape.input(source.dtype, [known.get(n, n) for n in source.shape], source.layout, source.fill)

        return self.run(make, tape.op)

    def symbols(self) -> list[int]:
        """The sizes that become symbols where a graph has any."""
        return sorted({n for source in self.sources for n in source.shape if n > 4}, reverse=True)[:2]

    def run(self, make_input, call) -> list:
        values = [make_input(source) for source in self.sources]
        for step in self.steps:
            values.append(_OPS[step.name].call(call, *(values[i] for i in step.operands), *step.params))
        return [values[i] for i in self.outputs]

    def used(self) -> set:
        """Numbers of the values that the outputs need."""
        needed = set(self.outputs)
        for i in range(len(self.steps) - 1, -1, -1):
            if i + len(self.sources) in needed:
                needed.update(self.steps[i].operands)
        return needed


@dataclasses.dataclass(frozen=True)
class Op:
    """How to call an operation. `kind` says what may become of exactness."""

    call: object
    arity: int
    types: tuple
    kind: str = "exact"
    draw: object = None  # draws parameters from (rng, operands), None refuses


def _any_dim(rng, x):
    return (rng.randrange(x.dim()),) if x.dim() else None


def _reduced(rng, x):
    return (rng.randrange(x.dim()), rng.random() < 0.5) if x.dim() and x.numel() else None


def _two_dims(rng, x):
    return tuple(rng.sample(range(x.dim()), 2)) if x.dim() >= 2 else None


def _slice(rng, x):
    if not x.dim():
        return None
    dim = rng.randrange(x.dim())
    begin, left = rng.randrange(3), rng.randrange(3)
    return (dim, begin, left) if x.shape[dim] > begin + left else None


def _last(rng, x):
    return () if x.dim() and x.shape[-1] else None


def _split_last(rng, x):
    return () if x.dim() and x.shape[-1] % 2 == 0 and x.shape[-1] else None


def _index(op, x):
    """Every position of the first dimension but 0, in reverse."""
    return op("index_select", x, 0, op("arange.start_step", x.shape[0] - 1, 0, -1, dtype=torch.int64))


ANY = FLOATS + INTS + (torch.bool,)
NUMBERS = FLOATS + INTS
_OPS: dict[str, Op] = {}


def _fill_table():
    def unary(name, types=NUMBERS, kind="exact", target=None, *args):
        _OPS[name] = Op(lambda op, x: op(target or name, x, *args), 1, types, kind)

    for name in ("neg", "abs", "relu"):
        unary(name)
    for name in ("ceil", "floor", "round", "trunc", "sgn"):
        unary(name, FLOATS, "jump")
    for name in ("tanh", "sigmoid", "silu", "erf", "sin", "cos", "exp2", "softplus", "mish", "hardswish", "elu"):
        unary(name, FLOATS, "math")
    unary("gelu", FLOATS, "math")
    unary("clamp", NUMBERS, "exact", "clamp", 1, 3)
    unary("bitwise_not", INTS + (torch.bool,))
    unary("logical_not", ANY, "jump")
    unary("isnan", FLOATS, "jump")
    _OPS["exp"] = Op(lambda op, x: op("exp", op("clamp", x, -3, 3)), 1, FLOATS, "math")
    _OPS["rsqrt"] = Op(lambda op, x: op("rsqrt", op("add.Scalar", op("abs", x), 1)), 1, FLOATS, "math")
    _OPS["log"] = Op(lambda op, x: op("log", op("add.Scalar", op("abs", x), 1)), 1, FLOATS, "math")
    for name in ("add.Tensor", "sub.Tensor", "mul.Tensor"):
        _OPS[name] = Op(lambda op, x, y, name=name: op(name, x, y), 2, NUMBERS)
    for name in ("maximum", "minimum"):
        _OPS[name] = Op(lambda op, x, y, name=name: op(name, x, y), 2, ANY)
    for name in ("eq.Tensor", "lt.Tensor", "ge.Tensor"):
        _OPS[name] = Op(lambda op, x, y, name=name: op(name, x, y), 2, ANY, "jump")
    for name in ("bitwise_and.Tensor", "bitwise_xor.Tensor", "bitwise_or.Tensor"):
        _OPS[name] = Op(lambda op, x, y, name=name: op(name, x, y), 2, INTS + (torch.bool,))
    _OPS["div"] = Op(lambda op, x, y: op("div.Tensor", x, op("add.Scalar", op("abs", y), 1)), 2, FLOATS, "math")
    _OPS["where"] = Op(lambda op, x, y: op("where.self", op("gt.Tensor", x, y), x, y), 2, NUMBERS)
    _OPS["masked"] = Op(lambda op, x, y: op("where.self", op("lt.Tensor", x, y), x, op("neg", y)), 2, NUMBERS, "jump")
    for dtype in (F32, BF16, F16, F64, torch.int32, torch.int64, torch.bool):
        is_float = dtype.is_floating_point
        types = ANY if is_float else INTS + (torch.bool,)
        _OPS[f"to {str(dtype).split('.')[1]}"] = Op(
            lambda op, x, dtype=dtype: op("_to_copy", x, dtype=dtype), 1, types, "cast" if is_float else "exact"
        )
    _fill_reductions()
    _fill_views()


def _fill_reductions():
    for name in ("amax", "amin"):
        _OPS[name] = Op(lambda op, x, d, k, name=name: op(name, x, [d], k), 1, ANY, "exact", _reduced)
    for name in ("argmax", "argmin"):
        _OPS[name] = Op(lambda op, x, d, k, name=name: op(name, x, d, k), 1, NUMBERS, "jump", _reduced)
    for name in ("any", "all"):
        _OPS[name] = Op(lambda op, x, d, k, name=name: op(f"{name}.dim", x, d, k), 1, ANY, "jump", _reduced)
    for name, target in (("sum of whole", "sum.dim_IntList"), ("sum", "sum.dim_IntList"), ("mean", "mean.dim")):
        types, kind = (INTS + (torch.bool,), "exact") if name == "sum of whole" else (FLOATS, "math")
        _OPS[name] = Op(lambda op, x, d, k, t=target: op(t, x, [d], k), 1, types, kind, _reduced)
    _OPS["var"] = Op(
        lambda op, x, d, k: op("var.correction", x, [d], correction=0, keepdim=k), 1, FLOATS, "math", _reduced
    )
    _OPS["softmax"] = Op(lambda op, x, d: op("softmax.int", x, d), 1, FLOATS, "math", _any_dim)
    _OPS["log_softmax"] = Op(lambda op, x: op("log_softmax.int", x, -1), 1, FLOATS, "math", _last)
    _OPS["layer_norm"] = Op(lambda op, x: op("layer_norm", x, [x.shape[-1]]), 1, FLOATS, "math", _last)
    _OPS["rms_norm"] = Op(lambda op, x: op("rms_norm", x, [x.shape[-1]], None, 1e-3), 1, FLOATS, "math", _last)


def _new_dim(rng, x):
    return (rng.randrange(x.dim() + 1),) if x.dim() < 4 else None


def _kept_dim(rng, x):
    return (rng.randrange(x.dim()),) if x.numel() and x.dim() > 1 else None


def _margins(rng, x):
    return (rng.randrange(3), rng.randrange(3)) if x.dim() else None


def _joined(rng, x, y):
    return _any_dim(rng, x) if x.shape == y.shape and x.dtype == y.dtype else None


def _always(rng, x):
    return ()


def _fill_views():
    def view(name, call, draw, arity=1):
        _OPS[name] = Op(call, arity, ANY, "exact", draw)

    view("transpose", lambda op, x, a, b: op("transpose.int", x, a, b), _two_dims)
    view("unsqueeze", lambda op, x, d: op("unsqueeze", x, d), _new_dim)
    view("slice", lambda op, x, d, a, b: op("slice.Tensor", x, d, a, x.shape[d] - b), _slice)
    view("stride", lambda op, x, d: op("slice.Tensor", x, d, 0, x.shape[d], 2), _any_dim)
    view("select", lambda op, x, d: op("select.int", x, d, -1), _kept_dim)
    view("flatten", lambda op, x: op("reshape", x, [-1]), _always)
    view("split", lambda op, x: op("reshape", x, [*x.shape[:-1], x.shape[-1] // 2, 2]), _split_last)
    view(
        "expand",
        lambda op, x: op("expand", op("unsqueeze", x, 0), [3] + [-1] * x.dim()),
        lambda rng, x: () if x.dim() < 4 else None,
    )
    view("flip", lambda op, x, d: op("flip", x, [d]), _any_dim)
    view("pad", lambda op, x, a, b: op("constant_pad_nd", x, [a, b], 1), _margins)
    view("clone", lambda op, x: op("clone", x, memory_format=torch.contiguous_format), _always)
    view("cat", lambda op, x, y, d: op("cat", [x, y], d), _joined, 2)
    view("index", _index, lambda rng, x: () if x.dim() and x.shape[0] > 1 else None)


_fill_table()


def _eager(target, *args, **kwargs):
    from . import parity

    return parity.get_overload(target)(*args, **kwargs)


def _broadcast(x, y):
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(x.shape), reversed(y.shape)))


class _Drawing:
    """Draws a recipe step by step, with values to see what fits."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed, self.is_exact = seed, self.rng.random() < 0.6
        self.sources, self.steps, self.values, self.rough = [], [], [], []

    def _add_source(self, shape):
        rng = self.rng
        kinds = FLOATS * 2 + INTS + (torch.bool,) if self.is_exact else FLOATS
        dtype = rng.choice(kinds)
        fill = "any" if self.is_exact else "small"
        self.sources.append(Source(dtype, shape, rng.choice(LAYOUTS), fill))
        self.values.append(tapes.place(torch.ones(shape, dtype=dtype), self.sources[-1].layout))
        self.rough.append(False)

    def draw(self) -> Recipe:
        rng = self.rng
        shape = tuple(rng.choice(_SIZES) for _ in range(rng.choice((1, 2, 2, 2, 3))))
        while torch.Size(shape).numel() > 20000:
            shape = shape[1:] if len(shape) > 1 else (512,)
        self._add_source(shape)
        for _ in range(rng.randrange(3)):
            other = tuple(1 if rng.random() < 0.3 else n for n in shape)
            self._add_source(other[rng.randrange(len(other)) :] if rng.random() < 0.3 else other)
        count = rng.randrange(2, 13)
        for _ in range(200):
            if len(self.steps) == count:
                break
            self._try_step()
        return self._finish()

    def _try_step(self):
        rng, values = self.rng, self.values
        name = rng.choice(list(_OPS))
        op = _OPS[name]
        if self.is_exact and op.kind == "math":
            return
        first = len(values) - 1 if rng.random() < 0.6 else rng.randrange(len(values))
        operands = [first] + [rng.randrange(len(values)) for _ in range(op.arity - 1)]
        tensors = [values[i] for i in operands]
        if any(t.dtype not in op.types for t in tensors) or (op.arity == 2 and not _broadcast(*tensors)):
            return
        is_rough = any(self.rough[i] for i in operands)
        if op.kind == "jump" and is_rough:
            return  # a rounding error would become a different answer
        # The CPU does not round a tensor without dimensions to the other's type.
        if len({t.dtype for t in tensors}) > 1 and not all(t.dim() for t in tensors):
            return
        params = op.draw(rng, *tensors) if op.draw else ()
        if params is None:
            return
        try:
            result = op.call(_eager, *tensors, *params)
        except (RuntimeError, NotImplementedError):
            return  # refused by PyTorch
        if result.numel() > 60000:
            return
        self.steps.append(Step(name, tuple(operands), tuple(params)))
        values.append(result)
        self.rough.append(is_rough or op.kind == "math" or (not self.is_exact and result.dtype.is_floating_point))

    def _finish(self) -> Recipe:
        sources, last = len(self.sources), len(self.values) - 1
        outputs = [last] if last >= sources else []
        outputs += [i for i in range(sources, last) if self.rng.random() < 0.15]
        recipe = Recipe(self.seed, self.is_exact, tuple(self.sources), tuple(self.steps), tuple(outputs))
        return with_kernels(prune(recipe))


def draw(seed: int) -> Recipe:
    return _Drawing(seed).draw()


def prune(recipe: Recipe) -> Recipe:
    """Without the sources and steps that no output needs."""
    needed = sorted(recipe.used())
    number = {old: new for new, old in enumerate(needed)}
    count = len(recipe.sources)
    sources = tuple(s for i, s in enumerate(recipe.sources) if i in number)
    steps = tuple(
        dataclasses.replace(s, operands=tuple(number[o] for o in s.operands))
        for i, s in enumerate(recipe.steps, count)
        if i in number
    )
    return dataclasses.replace(recipe, sources=sources, steps=steps, outputs=tuple(number[o] for o in recipe.outputs))


_VIEWS = ("transpose", "unsqueeze", "slice", "stride", "select", "flatten", "split", "expand")


def with_kernels(recipe: Recipe) -> Recipe:
    """A copy behind each output that is a mere view."""
    steps, outputs = list(recipe.steps), []
    for output in recipe.outputs:
        index = output - len(recipe.sources)
        if index >= 0 and recipe.steps[index].name in _VIEWS:
            steps.append(Step("clone", (output,)))
            output = len(recipe.sources) + len(steps) - 1
        outputs.append(output)
    return dataclasses.replace(recipe, steps=tuple(steps), outputs=tuple(outputs))

"""Random small models for differential tests: chains of pointwise operations,
views, broadcasts and reductions over odd shapes, in several dtypes, some with
dynamic sizes. `CASES` has the fields that `cases.load` reads; case i is the same
on every machine.
"""

import random

import torch

from kfuse_testing.regressions import Case

COUNT = 200

_UNARY = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": lambda x: torch.exp(x.clamp(max=3)),
    "sqrt": lambda x: torch.sqrt(x.abs() + 1),
    "clamp": lambda x: x.clamp(-0.75, 0.5),
    "scale": lambda x: x * 0.125 + 1.5,
    "hardswish": torch.nn.functional.hardswish,
    "floor": torch.floor,
}
_BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "where": lambda x, y: torch.where(x > y, x, y * 0.5),
    "div": lambda x, y: x / (y.abs() + 1),
}
_REDUCE = {
    "sum": lambda x, d: x.sum(d, keepdim=True),
    "mean": lambda x, d: x.mean(d, keepdim=True),
    "amax": lambda x, d: x.amax(d, keepdim=True),
    "amin": lambda x, d: x.amin(d, keepdim=True),
    "var": lambda x, d: x.float().var(d, keepdim=True, correction=0).to(x.dtype),
}
_ROW = {
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    "rms": lambda x: x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(x.dtype),
}


def _broadcastable(a, b):
    return all(m == n or m == 1 or n == 1 for m, n in zip(a.shape[::-1], b.shape[::-1]))


def _view(rng, x):
    """Some view or copy with the same number of elements, or a part."""
    kind = rng.choice(["transpose", "flatten", "unsqueeze", "slice", "cat", "reshape", "flip", "pad"])
    if kind == "transpose" and x.dim() >= 2:
        i, j = rng.sample(range(x.dim()), 2)
        return x.transpose(i, j)
    if kind == "flatten" and x.dim() >= 2:
        return x.flatten(0, 1)
    if kind == "unsqueeze" and x.dim() <= 3:
        return x.unsqueeze(rng.randrange(x.dim() + 1))
    if kind == "slice" and x.dim() >= 1 and isinstance(x.shape[-1], int) and x.shape[-1] > 3:
        return x[..., 1 : x.shape[-1] : rng.choice([1, 2])]
    if kind == "cat" and x.dim() >= 1:
        return torch.cat([x, -x], dim=rng.randrange(x.dim()))
    if kind == "reshape" and x.dim() >= 2 and isinstance(x.shape[-1], int) and x.shape[-1] % 2 == 0:
        return x.reshape(*x.shape[:-1], 2, x.shape[-1] // 2)
    if kind == "flip" and x.dim() >= 1:
        return x.flip(rng.randrange(x.dim()))
    if kind == "pad" and x.dim() >= 1:
        return torch.nn.functional.pad(x, (rng.randrange(3), rng.randrange(3)), value=0.25)
    return x


class Model(torch.nn.Module):
    """Applies operations drawn from a generator seeded with `seed`."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def forward(self, *inputs):
        rng = random.Random(self.seed + 1)
        values = list(inputs)
        for _ in range(rng.randrange(3, 10)):
            values.append(self._step(rng, values))
        outputs = [values[-1]]
        if rng.random() < 0.4 and len(values) > len(inputs) + 2:
            outputs.append(values[-2])
        # An output that is an input or a view of one says nothing about kernels.
        return tuple(value + 1 for value in outputs)

    @staticmethod
    def _step(rng, values):
        x = values[-1] if rng.random() < 0.7 else rng.choice(values)
        kind = rng.random()
        if kind < 0.3:
            return rng.choice(list(_UNARY.values()))(x)
        if kind < 0.6:
            partners = [y for y in values if _broadcastable(x, y)]
            return rng.choice(list(_BINARY.values()))(x, rng.choice(partners))
        if kind < 0.75 and x.dim() >= 1:
            return rng.choice(list(_REDUCE.values()))(x, rng.randrange(x.dim()))
        if kind < 0.85 and x.dim() >= 1:
            return rng.choice(list(_ROW.values()))(x)
        return _view(rng, x)


def _make_inputs(seed, device, rows=None):
    rng = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    dtype = rng.choice([torch.float32, torch.float32, torch.bfloat16, torch.float16, torch.float64])
    last = rng.choice([1, 2, 7, 8, 31, 64, 65, 100, 128, 255, 384, 1000, 1024, 4099])
    middle = rng.choice([1, 3, 4, 6, 16, 33])
    first = rng.choice([2, 3, 5, 8, 17])
    shape = [first, middle, last][-rng.randrange(1, 4) :]
    if rows is not None:
        shape[0] = rows
    shapes = [shape]
    for _ in range(rng.randrange(3)):
        other = [1 if i and rng.random() < 0.3 else n for i, n in enumerate(shape)]
        shapes.append(other if rng.random() < 0.6 else other[rng.randrange(1, len(other) + 1) - 1 :])
    tensors = []
    for sizes in shapes:
        tensor = torch.randn(sizes, generator=generator, dtype=torch.float32).to(dtype)
        if len(sizes) >= 2 and rng.random() < 0.2:
            tensor = tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        tensors.append(tensor.to(device))
    return tuple(tensors)


def _make_case(seed):
    tolerance = 2e-2
    return Case(
        f"random_{seed:03d}",
        "random",
        lambda: Model(seed),
        lambda device: _make_inputs(seed, device),
        [],
        None,
        tolerance,
        tolerance,
    )


CASES = [_make_case(seed) for seed in range(COUNT)]

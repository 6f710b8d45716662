#!/usr/bin/env python3
"""Writes the small exported programs under test/Import/fixtures/<torch version>/.

Usage: make_pt2_fixtures.py OUT_DIR      (run once with each torch version; no GPU)

Each archive shows one property that an importer must keep. Source locations are
left out, because they name the machine that made the file. Values are seeded, so
a second run with the same torch writes the same tensors.
"""

import pathlib
import sys

import torch
from torch import nn
from torch.export import Dim, export, save


class TiedWeights(nn.Module):
    """Two parameters and a buffer that live in one storage."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("first_rows", self.embedding.weight.detach()[2:6])

    def forward(self, ids):
        return self.head(self.embedding(ids)) + self.first_rows.sum()


class Views(nn.Module):
    """View ops, and weights whose strides are not those of a fresh tensor."""

    def __init__(self):
        super().__init__()
        self.transposed = nn.Parameter(torch.randn(4, 6).t())
        self.register_buffer("sliced", torch.arange(24.0).reshape(4, 6)[1:3, ::2])
        self.register_buffer("expanded", torch.randn(1, 6).expand(4, 6))

    def forward(self, x):
        y = x.permute(1, 0, 2).reshape(6, 8) @ self.transposed.t()[:2, :6].reshape(2, 6).new_ones(8, 4)
        z = y.unsqueeze(0).expand(3, 6, 4)[:, 1:5:2].select(0, 1).squeeze()
        w = torch.as_strided(x, (2, 3), (1, 2), 1).transpose(0, 1)
        return z + self.sliced[:, :1] + self.expanded.view_as(self.expanded)[:2, :4], w.flatten(), x.view(-1)


class Mutations(nn.Module):
    """Writes into an input, into buffers and through views of both."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("cache", torch.zeros(4, 8))

    def forward(self, x, step):
        self.count.add_(1)
        self.cache[1:3].copy_(x[:2])
        self.cache.index_copy_(0, step, x[2:3])
        x.mul_(2.0)
        x[:, 0].add_(self.cache.sum())
        y = torch.relu_(x + 1)
        y.clamp_(max=3.0).add_(x, alpha=2)
        return y, self.count + 1


class Wrappers(nn.Module):
    """A no_grad block and an autocast block that turns autocast off."""

    def forward(self, x):
        with torch.no_grad():
            a = x * 2
            b = a + 1
        with torch.autocast("cpu", enabled=False):
            c = b.float() @ x.float().t()
        with torch.no_grad():
            d = c.sum()
        return c + d, a


class Dynamic(nn.Module):
    """Derived dimensions, symbolic results and symbolic arguments."""

    def forward(self, x, y):
        n, k = x.shape
        z = torch.cat([x, x * 2], dim=0) + y
        pad = torch.zeros(n + 1, k // 2)
        return z.reshape(n, 2 * k), pad, n, 2 * n + 1, torch.full((k,), n)


class DynamicAuto(nn.Module):
    """Unbounded dimensions, floor division and remainder in a size."""

    def forward(self, x):
        half = x.shape[1] // 2
        a, b = x[:, :half], x[:, half : 2 * half]
        return a * b, x.new_zeros(x.shape[0] % 4 + 1), torch.arange(x.shape[1])


class Infinities(nn.Module):
    """Infinity and NaN as scalar arguments."""

    def forward(self, x, mask):
        a = x.masked_fill(mask, float("-inf"))
        b = torch.clamp(a, min=-1e30, max=float("inf"))
        return a.softmax(-1), b, torch.full((2,), float("nan")), x[..., 1:9223372036854775807]


class MultiOutput(nn.Module):
    """Several results, some unused, lists and an optional list."""

    def forward(self, x):
        a, b, c = torch.split(x, [1, 2, 3], dim=1)
        values, _ = x.max(dim=1)
        _, indices = torch.topk(x, 2)
        var, mean = torch.var_mean(x, dim=1)
        rows = torch.unbind(x, 0)
        picked = x[:, indices[0]]
        return a + b.sum(), c, values, indices, {"var": var, "mean": mean}, [rows[0], None], picked


class Dtypes(nn.Module):
    """One buffer of each element type."""

    TYPES = [
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool, torch.float16,
        torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
        torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint32, torch.uint64,
    ]

    def __init__(self):
        super().__init__()
        self.names = []
        for dtype in self.TYPES:
            if dtype in (torch.uint32, torch.uint64) and tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12):
                continue  # no number in the older schema
            name = "b_" + str(dtype).split(".")[1]
            self.register_buffer(name, torch.tensor([0, 1, 1]).to(dtype))
            self.names.append(name)

    def forward(self, x):
        return [x * getattr(self, name).to(torch.float32) for name in self.names if "complex" not in name] + [
            self.b_int64 % 3, self.b_bool & ~self.b_bool, self.b_int32 << 1, self.b_complex64.abs()]


class Scalars(nn.Module):
    """0-dim and empty tensors, as inputs, weights and results."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_buffer("empty", torch.zeros(0, 4))

    def forward(self, x, s):
        return x * self.scale + s, torch.cat([self.empty, x]), x[:0], x.sum(), s.to(torch.int32)


class Constants(nn.Module):
    """A lifted tensor, a buffer that is not saved, constant inputs."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(6.0).reshape(2, 3), persistent=False)

    def forward(self, x, flag, *, mode="same", scale=None):
        y = x + torch.tensor([1.0, 2.0, 3.0]) + self.table
        if flag:
            y = torch.nn.functional.gelu(y, approximate="tanh")
        return torch.div(y, 2, rounding_mode="floor"), flag, mode


class Block(nn.Module):
    """A small transformer-like block, for the decomposed (core ATen) form."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        h = torch.nn.functional.gelu(self.up(self.norm(x)))
        x = x + self.drop(self.down(h))
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)


class Conv(nn.Module):
    """Convolution, batch norm (evaluation mode) and pooling."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        y = torch.nn.functional.relu(self.norm(self.conv(x)), inplace=True)
        return torch.nn.functional.adaptive_avg_pool2d(y, (1, 1)).to(memory_format=torch.channels_last)


class Unbacked(nn.Module):
    """A size that depends on data."""

    def forward(self, x):
        rows = x.nonzero()
        n = x[0].item()
        torch._check(n >= 2)
        torch._check(n <= 8)
        return rows * 2, torch.ones(n)


class Branch(nn.Module):
    """Control flow, which the importer refuses."""

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v * 2, (x,))


def programs():
    """Yields (file stem, function that exports the program)."""
    torch.manual_seed(7)
    n, k = Dim("n", min=2, max=64), Dim("k", min=4)

    def make(module, args, kwargs=None, **options):
        return lambda: export(module.eval(), args, kwargs or {}, strict=False, **options)

    def core(exported):
        return lambda: exported().run_decompositions()

    yield "tied-weights", make(TiedWeights(), (torch.randint(0, 16, (2, 5)),))
    yield "views", make(Views(), (torch.randn(4, 3, 4),))
    yield "mutations", make(Mutations(), (torch.randn(4, 8), torch.tensor([3])))
    yield "wrappers", make(Wrappers(), (torch.randn(3, 4),))
    yield "dynamic", make(Dynamic(), (torch.randn(4, 6), torch.randn(8, 6)),
                          dynamic_shapes=({0: n, 1: k}, {0: 2 * n, 1: k}))
    yield "dynamic-auto", make(DynamicAuto(), (torch.randn(5, 10),),
                               dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
    yield "infinities", make(Infinities(), (torch.randn(2, 4), torch.tensor([True, False, False, True])))
    yield "multi-output", make(MultiOutput(), (torch.randn(3, 6),))
    yield "dtypes", make(Dtypes(), (torch.randn(3),))
    yield "scalars", make(Scalars(), (torch.randn(2, 4), torch.tensor(3.0)))
    yield "constants", make(Constants(), (torch.randn(2, 3), True), {"mode": "same", "scale": None})
    yield "training-block", make(Block(), (torch.randn(2, 4, 8),))
    yield "core-block", core(make(Block(), (torch.randn(2, 4, 8),)))
    yield "core-mutations", core(make(Mutations(), (torch.randn(4, 8), torch.tensor([3]))))
    yield "conv", make(Conv(), (torch.randn(1, 3, 8, 8).to(memory_format=torch.channels_last),))
    yield "unbacked", make(Unbacked(), (torch.tensor([3, 0, 1]),))
    yield "cond", make(Branch(), (torch.randn(4),))


def drop_locations(program):
    """Removes source paths of this machine from the graph and its sub-graphs."""
    for module in program.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                node.meta.pop("stack_trace", None)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, exported in programs():
        path = out / f"{name}.pt2"
        try:
            program = exported()
            drop_locations(program)
            save(program, path)
        except Exception as error:  # say which one, and write the others
            path.unlink(missing_ok=True)
            failed += 1
            print(f"{name}: not written: {error}", file=sys.stderr)
            continue
        print(f"{path}: {path.stat().st_size} bytes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

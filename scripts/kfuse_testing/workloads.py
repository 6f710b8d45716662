"""The memory-bound workloads that are measured against a device copy.

Every workload is a module with fixed input shapes. `bytes` is what one call has
to move at least: each input element read once, each output element written once.
"""

import dataclasses
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn

BF16 = torch.bfloat16


class Softmax(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


class SlicedSoftmax(nn.Module):
    """The slice is part of the program, a view that a kernel should absorb."""

    def __init__(self, columns):
        super().__init__()
        self.columns = columns

    def forward(self, x):
        return torch.softmax(x[:, : self.columns], dim=-1)


class LayerNorm(nn.Module):
    def __init__(self, columns):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.weight = nn.Parameter(torch.rand(columns, generator=generator).to(BF16) + 0.5)
        self.bias = nn.Parameter(torch.randn(columns, generator=generator).to(BF16))

    def forward(self, x):
        return F.layer_norm(x, (x.shape[-1],), self.weight, self.bias, 1e-5)


class BiasGelu(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(columns, generator=torch.Generator().manual_seed(2)).to(BF16))

    def forward(self, x):
        return F.gelu(x + self.bias, approximate="tanh")


class ResidualRmsNorm(nn.Module):
    """As decoder layers write it: the sum is kept, the norm is computed in f32."""

    def __init__(self, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(columns, generator=torch.Generator().manual_seed(3)).to(BF16) + 0.5)

    def forward(self, x, residual):
        total = x + residual
        wide = total.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * normed.to(total.dtype), total


class SiluMul(nn.Module):
    def forward(self, gate, up):
        return F.silu(gate) * up


class ColumnSum(nn.Module):
    def forward(self, x):
        return x.sum(0)


class TransposeAdd(nn.Module):
    def forward(self, x, y):
        return x.t() + y


class Chain(nn.Module):
    """Twelve pointwise operations in f32 on three inputs."""

    def forward(self, x, y, z):
        a = (x * 1.5 + y) * z
        b = torch.relu(a) - x * 0.25
        d = torch.where(b > 0, b, y) + z.abs()
        return torch.sigmoid(d) * a + 0.5


@dataclasses.dataclass
class Workload:
    name: str
    make_module: Callable[[], nn.Module]
    shapes: tuple
    row_strides: tuple = ()  # elements from row to row, where not dense
    first_elements: tuple = ()  # storage offset in elements, for misaligned inputs
    dtype: torch.dtype = BF16
    moved: int = 0  # elements moved, where inputs are not read whole
    dynamic_rows: bool = False
    goal: float = 0.80  # share of the copy's speed

    def make_inputs(self, device="cpu", seed=0, fill=True):
        inputs = []
        for i, shape in enumerate(self.shapes):
            stride = self.row_strides[i] if self.row_strides else shape[1]
            first = self.first_elements[i] if self.first_elements else 0
            base = torch.empty(shape[0] * stride + first, dtype=self.dtype, device=device)
            if fill:
                torch.manual_seed(seed * 100 + i)
                base.normal_()
            inputs.append(base.as_strided(shape, (stride, 1), first))
        return tuple(inputs)

    def dynamic_shapes(self):
        if not self.dynamic_rows:
            return None
        rows = torch.export.Dim("rows", min=2, max=1 << 20)
        return tuple({0: rows} for _ in self.shapes)

    def bytes(self, outputs):
        elements = self.moved or sum(r * c for r, c in self.shapes)
        written = sum(t.numel() * t.element_size() for t in outputs)
        return elements * self.dtype.itemsize + written


ROWS = 16384


def _variants(name, module, columns, pad):
    """The dense case and the hard ones: odd rows, padded rows, odd and padded
    rows, rows that start at an odd element."""
    odd = columns - 1
    yield Workload(f"{name}_{ROWS}x{columns}", lambda: module(columns), ((ROWS, columns),), goal=0.92)
    yield Workload(f"{name}_{ROWS}x{odd}", lambda: module(odd), ((ROWS, odd),))
    yield Workload(
        f"{name}_{ROWS}x{columns}_padded_rows", lambda: module(columns), ((ROWS, columns),), (columns + pad,)
    )
    yield Workload(f"{name}_{ROWS}x{odd}_padded_rows", lambda: module(odd), ((ROWS, odd),), (columns + 3,))
    yield Workload(
        f"{name}_{ROWS}x{columns}_misaligned",
        lambda: module(columns),
        ((ROWS, columns),),
        first_elements=(1,),
    )
    yield Workload(
        f"{name}_{ROWS}x{columns}_dynamic_rows", lambda: module(columns), ((ROWS, columns),), dynamic_rows=True
    )


def all_workloads():
    wide = (ROWS, 8192)
    square = (8192, 8192)
    return [
        *_variants("softmax", lambda columns: Softmax(), 4096, 64),
        Workload(
            "softmax_16384x4096_sliced_inside",
            lambda: SlicedSoftmax(4096),
            ((ROWS, 4352),),
            moved=ROWS * 4096,
        ),
        *_variants("layer_norm", LayerNorm, 4096, 64),
        *_variants("bias_gelu", BiasGelu, 8192, 64),
        Workload("residual_rms_norm_16384x4096", lambda: ResidualRmsNorm(4096), ((ROWS, 4096),) * 2),
        Workload("silu_mul_16384x8192", SiluMul, (wide, wide)),
        Workload("chain_f32_16384x8192", Chain, (wide,) * 3, dtype=torch.float32),
        Workload("column_sum_16384x8192", ColumnSum, (wide,)),
        Workload("transpose_add_8192x8192", TransposeAdd, (square, square)),
        Workload("softmax_8192x16384", Softmax, ((8192, 16384),)),
        Workload("softmax_2048x50257", Softmax, ((2048, 50257),)),
    ]


def select(names):
    """Workloads whose name contains one of `names`; all when it is empty."""
    every = all_workloads()
    return [w for w in every if any(name in w.name for name in names)] if names else every

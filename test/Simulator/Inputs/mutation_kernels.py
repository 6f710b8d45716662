"""Kernels that the mutation check plants faults into, and the tests of each.

A kernel's test runs it in the simulator on each of its inputs and with each
seed, and compares with the generic operators. Sizes are chosen so that every
mask has work on both sides, loops run 0, 1 and several times, and the last
block is not full. Values are chosen so that one element left out of a sum, or
taken twice, is far beyond the tolerance.
"""

import dataclasses
from typing import Callable

import torch
from torch.export import Dim

nn = torch.nn.functional


@dataclasses.dataclass
class Kernel:
    name: str
    function: Callable
    inputs: list  # functions that make a tuple of tensors; the first is exported
    dynamic: tuple | None = None
    traps: tuple = ()  # further inputs, with which the kernel must stop itself
    shifts: bool = True  # tensors lie at all distances from a packet's alignment


KERNELS: list[Kernel] = []


def kernel(*inputs, dynamic=None, traps=(), shifts=True):
    def add(function):
        KERNELS.append(Kernel(function.__name__, function, list(inputs), dynamic, tuple(traps), shifts))
        return function

    return add


def numbers(*shape, dtype=torch.float32, low=-2.0, high=2.0):
    """Numbers of many magnitudes, none of them small beside the others. They rise
    along the last dimension: no part of a row has the mean of the others."""
    values = torch.rand(*shape, dtype=torch.float64) * (high - low) + low
    values = torch.where(values.abs() < 0.25, values + 0.5, values)
    return (values + torch.linspace(0, 2, shape[-1], dtype=torch.float64)).to(dtype)


def peaks(rows, columns, height=150.0):
    """Each row has one number far above its others: in the first rows it is one
    of the first or last columns, in the others all over the row."""
    values = numbers(rows, columns)
    edges = torch.cat([torch.arange(8), columns - 1 - torch.arange(8)])[:rows]
    rest = rows - len(edges)
    places = torch.arange(rest) * columns // max(rest, 1) + torch.randint(0, max(columns // max(rest, 1), 1), (rest,))
    values[torch.arange(rows), torch.cat([edges, places])] += height
    return values


def whole(*shape, dtype=torch.int64):
    return torch.randint(-100, 100, shape, dtype=dtype)


def sizes(make, *all_sizes):
    """One function of no arguments for each tuple of sizes."""
    return [lambda s=s: make(*s) if isinstance(s, tuple) else make(s) for s in all_sizes]


# No tensor can have 2^31 elements with these.
N = Dim("n", min=1, max=1 << 16)
M = Dim("m", min=1, max=1 << 12)


# Pointwise


# Always where packets are aligned: elsewhere it is pointwise_misaligned.
@kernel(*sizes(lambda n: (numbers(n), numbers(n)), 76, 4, 8, 1024, 1028, 2052), dynamic=({0: N}, {0: N}), shifts=False)
def pointwise_tail(x, y):
    return x * 3 - y


@kernel(lambda: (numbers(411, 5, dtype=torch.bfloat16), numbers(5, dtype=torch.bfloat16)))
def pointwise_broadcast(x, y):
    return x + y, x * y


@kernel(lambda: (numbers(33, 64)[:, :40], numbers(33, 40)))
def pointwise_strided(x, y):
    return x - 2 * y


@kernel(lambda: (numbers(33, 64)[:, 1:40:2], numbers(33, 20)))
def pointwise_scalar(x, y):
    return x - 2 * y


@kernel(lambda: (numbers(515, dtype=torch.bfloat16), numbers(515, dtype=torch.bfloat16)))
def pointwise_misaligned(x, y):
    return x * 2 - y


# Rows


@kernel(*sizes(lambda n: (numbers(n, 40),), 6, 1, 5, 70), lambda: (peaks(40, 40),), lambda: (peaks(40, 40) - 300,),
        lambda: (peaks(40, 40, height=95),), dynamic=({0: M},))
def softmax_warp(x):
    return torch.softmax(x, -1)


@kernel(lambda: (numbers(33, 1000),), lambda: (peaks(33, 1000),), lambda: (peaks(33, 1000) - 300,),
        lambda: (peaks(33, 1000, height=95),))
def softmax_long(x):
    return torch.softmax(x, -1)


@kernel(lambda: (peaks(40, 2304),), lambda: (numbers(40, 2304) - 300,))
def softmax_block(x):
    return torch.softmax(x, -1)


@kernel(lambda: (numbers(3, 768), numbers(768), numbers(768)))
def layer_norm(x, w, b):
    return nn.layer_norm(x, (768,), w, b)


@kernel(lambda: (numbers(2, 2304),))
def layer_norm_block(x):
    return nn.layer_norm(x, (2304,))


@kernel(lambda: (numbers(7, 17001) + 10,))
def layer_norm_loop(x):
    return nn.layer_norm(x, (17001,))


@kernel(lambda: (numbers(6, 96),))
def row_sum(x):
    return x.sum(-1)


@kernel(lambda: (peaks(65, 1300),), lambda: (-peaks(65, 1300),), lambda: (peaks(65, 1300) - 300,),
        lambda: (300 - peaks(65, 1300),))
def row_extremes(x):
    return x.amax(-1), x.amin(-1)


@kernel(lambda: (numbers(5, 131, dtype=torch.bfloat16),))
def row_misaligned(x):
    return x.float().sum(-1)


@kernel(lambda: (numbers(3, 100),))
def scan(x):
    return x.cumsum(-1)


# Columns, splits


@kernel(lambda: (numbers(300, 40),))
def column_sum(x):
    return x.sum(0)


@kernel(lambda: (numbers(37, 41),))
def column_mean_odd(x):
    return x.mean(0)


@kernel(lambda: (numbers(65537, dtype=torch.bfloat16, low=0.5, high=1),))
def split_sum(x):
    return x.float().sum()


# Moves


@kernel(lambda: (numbers(70, 44),))
def transpose(x):
    return x.t().contiguous() * 2


@kernel(lambda: (numbers(37, 45),))
def transpose_odd(x):
    return x.t().contiguous() * 2


@kernel(lambda: (numbers(2, 72, 40, dtype=torch.bfloat16),))
def transpose_packets(x):
    return x.transpose(1, 2).contiguous() + 1


@kernel(lambda: (numbers(9, 24), torch.tensor([0, 8, 3, 3, -1, 5, 1, -9])),
        traps=[lambda: (numbers(9, 24), torch.tensor([0, 8, 3, 9, -1, 5, 1, 0])),
               lambda: (numbers(9, 24), torch.tensor([0, 8, 3, 0, -1, 5, 1, -10]))])
def index(x, places):
    return x[places] * 2


@kernel(lambda: (numbers(9, 24), torch.randint(0, 24, (9, 7))),
        traps=[lambda: (numbers(9, 24), torch.full((9, 7), 24)), lambda: (numbers(9, 24), torch.full((9, 7), -25))])
def gather(x, places):
    return torch.gather(x, 1, places)


@kernel(lambda: (numbers(43, 12), numbers(43, 9), numbers(43, 3)))
def cat(x, y, z):
    return torch.cat([x, y * 2, z], 1)


@kernel(lambda: (numbers(5, 33), numbers(5, 33)))
def slice_and_pad(x, y):
    return nn.pad(x[:, 3:30] - y[:, 6:], (2, 3))


@kernel(lambda: (whole(37, 21, dtype=torch.int32), torch.rand(37, 21) < 0.5))
def integers(x, mask):
    return torch.where(mask, x * 3, x & 7)


def far_rows():
    """Rows more than 2^31 elements apart; what is in between is never touched."""
    rows = torch.empty((1 << 31) + 4096, dtype=torch.int8).as_strided((2, 96), ((1 << 31) + 128, 1))
    rows.copy_(torch.randint(-100, 100, (2, 96), dtype=torch.int8))
    return (rows,)


@kernel(far_rows)
def far_offsets(x):
    return x + 1

"""Sizes: none, one, many, and those that only a call tells."""

import torch
from torch.export import Dim
from torch.nn import functional as F

from kfuse_testing.regressions import collector, randn

CASES = []
case = collector(CASES)
PYTORCH = "https://github.com/pytorch/pytorch/"


@case(PYTORCH + "pull/179222", lambda: (torch.zeros(0, 8), torch.zeros(8, 0)))
def nothing_to_do(x, y):
    return x.relu(), x.sum(0), y.sum(1), y.mean(0), (x @ y.expand(8, 0)).sum(), torch.cat([x, x + 1])


@case("https://github.com/apache/tvm/issues/19578", lambda: (torch.zeros(3, 0), torch.zeros(0, 4)))
def sums_of_nothing(x, y):
    return (x @ y) + 1, x.sum(1), x.prod(1), x.any(1), x.all(1)


@case("https://github.com/NVIDIA/Fuser/issues/1721", lambda: (randn(5, 1, 7),))
def one_element_reductions(x):
    """A variance of one element is 0 or NaN, a softmax of one is 1."""
    return x.var((1, 2)), x.var(1, correction=0), x.softmax(1), F.layer_norm(x.transpose(1, 2), (1,)), x.std((0, 1))


@case(PYTORCH + "issues/189799", lambda: (torch.tensor(2.5), torch.tensor([1.0])))
def no_dimensions(x, y):
    return x + y, x.sum(), x.softmax(0), x.argmax(), (x * y).squeeze(), x.expand(3)


@case(PYTORCH + "pull/118654", lambda: (randn(5, 6), randn(6)), more=[lambda: (randn(0, 6), randn(6)), lambda: (randn(1, 6), randn(6)), lambda: (randn(33, 6), randn(6))], dynamic=[{0: Dim("rows", min=0, max=64)}, None])
def any_number_of_rows(x, bias):
    """The same package for no row, one row and many."""
    y = (x + bias).relu()
    return y, y.sum(1), y.softmax(-1), y.t().contiguous()


_n = Dim("n", min=2, max=100)


@case(PYTORCH + "issues/145500", lambda: (randn(8), randn(5)), more=[lambda: (randn(14), randn(8))], dynamic=[{0: 2 * _n}, {0: _n + 1}])
def only_derived_sizes(x, y):
    """No input has the size n itself."""
    return x[::2] + y[1:], x.view(2, -1).sum(0) * y[:-1]


@case("https://github.com/triton-lang/triton/issues/3299", lambda: (randn(70000, 2),))
def many_short_rows(x):
    return x.softmax(-1), x.sum(-1)


@case(PYTORCH + "issues/119929", lambda: (randn(6, 1023), randn(6, 1025)))
def rows_that_do_not_align(x, y):
    return x.sum(-1), y.softmax(-1), (x[:, 1:] * y[:, 2:1024]).amax(-1), F.layer_norm(y, (1025,))


@case("https://github.com/NVIDIA/Fuser/issues/1234", lambda: (randn(64),), rtol=1e-4, atol=1e-4)
def long_chain(x):
    """Values that two later ones use are computed once, not twice each time."""
    y = x
    for _ in range(60):
        y = torch.cos(y) + torch.sin(y) * 0.5
    return y

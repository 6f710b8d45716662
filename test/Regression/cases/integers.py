"""Integers wrap, widen and divide as PyTorch has it."""

import torch

from kfuse_testing.regressions import collector, ints, randn

CASES = []
case = collector(CASES)
PYTORCH = "https://github.com/pytorch/pytorch/issues/"
U8, I8, I16, I32, I64 = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64


@case(PYTORCH + "105264", lambda: (ints(40, low=0, high=256, dtype=U8), ints(40, low=0, high=256, dtype=U8)))
def bytes_wrap_before_they_widen(x, y):
    return (x + y).to(I32), (x - y) > 10, (-x).float(), (x * y).sum()


@case(PYTORCH + "175966", lambda: (randn(3, 50),))
def positions_times_a_large_number(x):
    """The product of a position and a constant has 64 bits."""
    return torch.arange(50, device=x.device) * 123456789012 + x.long(), torch.arange(0, 500, 10) % 7


@case(PYTORCH + "97968", lambda: (ints(6, 9, dtype=I16), ints(9, dtype=I16)))
def masked_then_bounded(x, y):
    return torch.minimum(x & 255, y), torch.clamp(x, -3, 5), x.clamp(max=y)


@case("https://github.com/triton-lang/triton/issues/5095", lambda: (ints(5, 8, low=0, high=2, dtype=U8),))
def bits_to_bytes(x):
    weights = 1 << torch.arange(8, dtype=U8, device=x.device)
    return (x << torch.arange(8, dtype=U8, device=x.device)).sum(-1, dtype=U8), (x * weights).sum(-1)


@case("https://github.com/openxla/xla/issues/9431", lambda: (ints(4, 16, low=-3, high=3, dtype=I8),), table=lambda: torch.arange(-3, 3, dtype=I8).repeat(3)[:16])
def compare_with_a_table(self, x):
    equal = x == self.table
    return equal.all(-1), equal.any(-1), equal.sum(-1), (x != self.table).to(U8)


@case(PYTORCH + "197895", lambda: (ints(64), ints(64, low=1, high=9) * (ints(64, low=0, high=2) * 2 - 1)))
def integer_quotients(x, y):
    """The sign of the remainder is the divisor's, the quotient rounds down."""
    return x // y, x % y, torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y), x / y


@case(PYTORCH + "197091", lambda: (randn(12, dtype=torch.float16), ints(12, low=-4, high=4, dtype=I32), randn(12)), rtol=1e-3)
def promotion(x, n, y):
    return torch.ldexp(x, n), x + n, x * y, n * 1.5, n + True, torch.where(n > 0, x, y)


@case(PYTORCH + "194062", lambda: (randn(4, 5), ints(4, 5, low=-2, high=3)))
def fills_of_a_type(x, n):
    """A fill of bool is true for any number but zero."""
    return torch.full((4, 5), 7, dtype=torch.bool), n.bool() & (x > 0), torch.full_like(n, 2.9), torch.ones_like(x, dtype=I8)


@case("https://github.com/pytorch/pytorch/issues/189518", lambda: (ints(6, 20, low=-5, high=5, dtype=I8),))
def running_counts(x):
    """Prefix sums of short types are 64-bit; a requested type is rounded to."""
    return x.cumsum(-1), (x > 0).cumsum(0), torch.ones_like(x).cumsum(1, dtype=torch.bfloat16), x.cumsum(1) * x

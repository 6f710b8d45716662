"""Values at the edges of what floating point can say."""

import torch
from torch.nn import functional as F

from kfuse_testing.regressions import collector, randn

CASES = []
case = collector(CASES)
INF, NAN = float("inf"), float("nan")
PYTORCH = "https://github.com/pytorch/pytorch/issues/"


@case(PYTORCH + "189799", lambda: (torch.tensor([-0.5, -0.0, 0.0, 0.25, -0.9]),))
def zero_keeps_its_sign(x):
    """`v + 0.0` is not `v`: it turns -0.0 into 0.0, which the reciprocal shows."""
    v = torch.ceil(x)
    return torch.reciprocal(v + 0.0), torch.reciprocal(v - 0.0), torch.signbit(v * 1.0)


@case(PYTORCH + "93784", lambda: (torch.tensor([NAN, 1.0, -INF, INF]), torch.tensor([0.0, NAN, 2.0, NAN])))
def extremes_keep_nan(x, y):
    """A hardware maximum drops NaN; torch.maximum does not, torch.fmax does."""
    return torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y), torch.fmin(x, y), x.clamp(min=0.5), x.relu()


@case("https://github.com/apache/tvm/issues/19579", lambda: (torch.tensor([[NAN, 1.0], [2.0, NAN], [3.0, 4.0]]),))
def reduced_extremes_keep_nan(x):
    return x.amax(1), x.amin(0), tuple(x.max(1)), x.argmax(1), x.argmin(0)


@case(PYTORCH + "161150", lambda: (randn(6, 33, scale=1e30), randn(33, scale=1e30)))
def softmax_of_infinities(x, y):
    """A row that overflows to infinity is NaN, not a row of ones."""
    masked = x.masked_fill(x < 1e35, -INF)
    return (x * y).softmax(-1), masked.softmax(-1), masked.log_softmax(-1)


@case("https://github.com/flashinfer-ai/flashinfer/issues/4267", lambda: (randn(4, 70) - 1e6,))
def softmax_far_below_zero(x):
    """A running maximum must start below everything, not at some large negative number."""
    return x.softmax(-1), torch.logsumexp(x, -1)


@case(PYTORCH + "189804", lambda: (torch.linspace(-40, 40, 401),), rtol=1e-5, atol=5e-7)
def activations_far_out(x):
    """On a GPU 1 + tanh(x) may be wrong in its last place, 6e-8, which x multiplies."""
    return F.gelu(x), F.gelu(x, approximate="tanh"), F.hardswish(x), F.silu(x), F.softplus(x), F.mish(x)


@case("https://github.com/tensorflow/tensorflow/issues/55390", lambda: (torch.linspace(-12, 12, 1001),), atol=1e-3)
def tanh_stays_below_one(x):
    t = torch.tanh(x)
    return torch.sqrt(1 - t * t), t.abs() <= 1


@case("https://github.com/pytorch/pytorch/pull/185878", lambda: (torch.tensor([-1e-40, 1e-40, -3e-39, 0.0, -1.0]),))
def small_numbers_are_not_zero(x):
    """Subnormal numbers survive."""
    return F.elu(x), torch.expm1(x), F.celu(x), x * 0.5


@case(PYTORCH + "184408", lambda: (torch.tensor([9.0, -9.0, 0.3, 1e30, 7.0]), torch.tensor([3.0, 3.0, 0.1, 1e-3, -2.0])))
def rounded_quotients(x, y):
    """Quotients that are nearly whole, and those far beyond 2^63."""
    return torch.div(x, y, rounding_mode="trunc"), x // y, torch.remainder(x, y), torch.fmod(x, y)


@case(PYTORCH + "136181", lambda: (randn(16, 64, dtype=torch.bfloat16),), rtol=2e-2, atol=2e-2)
def scale_by_the_rounded_maximum(x):
    """A bf16 maximum is rounded before others compute with it."""
    scale = (x.abs().amax(-1, keepdim=True) / 127.0).clamp(min=1e-4)
    return (x / scale).round().to(torch.int8), scale


@case(PYTORCH + "158699", lambda: (randn(8, 96, dtype=torch.bfloat16), randn(8, 96, dtype=torch.bfloat16), randn(96)), rtol=2e-2, atol=2e-2)
def residual_then_norm(x, residual, weight):
    """The sum leaves in bf16 and goes on in f32; both forms of the last multiplication."""
    total = x + residual
    wide = total.float()
    normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
    return total, normed.to(x.dtype) * weight.to(x.dtype), (normed * (1 + weight)).to(x.dtype)


@case(PYTORCH + "185605", lambda: (randn(9, dtype=torch.bfloat16), torch.tensor(0.1, dtype=torch.float64)), rtol=1e-2)
def wide_scalar_tensor(x, y):
    """A 0-dimensional f64 tensor takes part as bf16."""
    return x + y, x * y - y * x, x + 0.1


@case("https://github.com/NVIDIA/TensorRT/issues/1954", lambda: (randn(5, 400, dtype=torch.float16, scale=300.0),), rtol=2e-3)
def squares_overflow_half(x):
    """Sums of squares of f16 are taken in f32."""
    return F.normalize(x.float(), dim=-1).half(), x.float().pow(2).sum(-1), torch.linalg.vector_norm(x, dim=-1)


@case(PYTORCH + "141541", lambda: (randn(2, 3, 31, 57) + 100.0, randn(3), randn(3)), rtol=1e-4, atol=1e-4)
def one_channel_a_group(x, weight, bias):
    """Moments far from zero: the mean goes first."""
    return F.group_norm(x, 3, weight, bias), x.var((2, 3)), x.std((0, 2, 3))

"""The cases of parity.py: one ATen operation each, over element types, shapes,
strides and extreme values.

Sizes 7 and 11 are symbolic in dynamic cases, so that no other size may be a
multiple of either.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import torch

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
INTS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
BOOL = (torch.bool,)
SHORT = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16",
         torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8",
         torch.bool: "bool"}


@dataclasses.dataclass
class Case:
    name: str
    target: str
    dtype: torch.dtype
    args: tuple
    kwargs: dict[str, Any]
    ulps: float = 0.0   # 0: the same bits
    atol: float = 0.0
    dynamic: bool = False
    refused: bool = False
    results: tuple | None = None  # which are compared; all by default

    def kept(self, count: int) -> list[int]:
        return list(self.results) if self.results is not None else list(range(count))


_cases: list[Case] = []


def add(target, dtype, /, *args, ulps=0.0, atol=0.0, dynamic=False, refused=False, results=None, **kwargs):
    name = f"{target.replace('.', '_')}_{SHORT[dtype]}_{len(_cases)}"
    _cases.append(Case(name, target, dtype, args, kwargs, ulps, atol, dynamic, refused, results))


def half(dtype) -> bool:
    return dtype in (torch.bfloat16, torch.float16)


def libm(dtype, ulps=4.0) -> float:
    """Tolerance where a math library is called: what half types round away."""
    return 1.0 if half(dtype) else ulps


def extremes(dtype) -> list:
    if dtype == torch.bool:
        return [False, True]
    if dtype.is_floating_point:
        info = torch.finfo(dtype)
        return [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 6.0, 20.0, 21.0, 88.0, -104.0, 1e-3,
                info.tiny, -info.tiny, info.tiny / 4, info.max, -info.max, math.inf, -math.inf, math.nan, 10.25, -9.75]
    info = torch.iinfo(dtype)
    return [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1]


def values(dtype, shape=(7, 13), special=True, scale=3.0) -> torch.Tensor:
    count = math.prod(shape)
    if dtype.is_floating_point:
        data = torch.randn(count, dtype=torch.float64) * scale
    elif dtype == torch.bool:
        data = torch.randint(0, 2, (count,))
    else:
        low = 0 if dtype == torch.uint8 else -20
        data = torch.randint(low, 21, (count,))
    data = data.to(dtype)
    if special and count:
        known = torch.tensor(extremes(dtype), dtype=dtype)[:count]
        data[:len(known)] = known
        data = data[torch.randperm(count)]
    return data.reshape(shape)


def positive(dtype, shape=(7, 13)) -> torch.Tensor:
    return values(dtype, shape, special=False).abs() + torch.tensor(0.25).to(dtype)


def unary_cases():
    exact = "abs neg sgn sign ceil floor round trunc frac square positive relu reciprocal isnan isinf isposinf " \
            "isneginf isfinite signbit clone detach alias".split()
    transcendental = ("sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
                      "acosh atanh erf erfc sigmoid logit deg2rad rad2deg").split()
    for op in exact:
        for dtype in FLOATS + INTS + BOOL:
            if dtype == torch.bool and op in ("abs", "neg", "ceil", "floor", "round", "trunc", "frac", "square", "positive",
                                              "relu"):
                continue
            if not dtype.is_floating_point and op == "frac":
                continue
            add(op, dtype, values(dtype), ulps=1 if op == "reciprocal" else 0)
        add(op, torch.float32, values(torch.float32), dynamic=True, ulps=1 if op == "reciprocal" else 0)
    for op in transcendental:
        for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8, torch.bool):
            x = values(dtype)
            if op in ("sin", "cos", "tan") and dtype.is_floating_point:
                x = x.where(x.abs() < 1e4, 1.0)
            if op == "logit" and half(dtype):
                x = x.clamp(-3, 0.9)  # 1 - x cancels: more than one rounding
            wide = 64 if op in ("sigmoid", "logit", "erfc", "sinh", "cosh") else 6
            add(op, dtype, x, ulps=libm(dtype, wide), atol=1e-3 if op == "logit" and half(dtype) else 1e-37 if op == "erf" else 0.0)
    for dtype in FLOATS:
        add("round.decimals", dtype, positive(dtype), decimals=2, ulps=libm(dtype))
        add("logit", dtype, values(dtype), 0.125, ulps=libm(dtype, 64), atol=1e-3 if half(dtype) else 0.0)
        add("fix", dtype, values(dtype))
        add("nan_to_num", dtype, values(dtype))
        add("nan_to_num", dtype, values(dtype), 1.5, 7.0, -8.0)


def activation_cases():
    table = [("gelu", {}, 32), ("gelu", {"approximate": "tanh"}, 64), ("silu", {}, 64), ("mish", {}, 64),
             ("hardswish", {}, 4), ("hardsigmoid", {}, 4), ("hardtanh", {}, 0),
             ("hardtanh", {"min_val": -2.0, "max_val": 0.5}, 0), ("softplus", {}, 8),
             ("softplus", {"beta": 0.5, "threshold": 3.0}, 8), ("leaky_relu", {}, 0),
             ("leaky_relu", {"negative_slope": 0.2}, 0), ("elu", {}, 8), ("elu", {"alpha": 0.7}, 8), ("celu", {}, 8),
             ("celu", {"alpha": 0.7}, 8), ("selu", {}, 8), ("log_sigmoid", {}, 8), ("relu6", {}, 0),
             ("threshold", {"threshold": 0.1, "value": 20.0}, 0)]
    for op, kwargs, ulps in table:
        for dtype in FLOATS:
            if op == "log_sigmoid" and dtype == torch.float64:
                continue
            x = values(dtype)
            if op == "gelu":  # the CPU's vector code has its own idea of infinity
                x = x.clamp(-1e4, 1e4)
            add(op, dtype, x, ulps=libm(dtype, ulps) if ulps else 0, atol=1e-6 if ulps >= 32 else 0.0,
                **kwargs)
    for dtype in FLOATS:
        add("prelu", dtype, values(dtype, (3, 13, 5)), values(dtype, (13,), special=False), ulps=libm(dtype, 0))
        add("prelu", dtype, values(dtype), values(dtype, (1,), special=False), ulps=libm(dtype, 0))
        add("_prelu_kernel", dtype, values(dtype), values(dtype, (1, 13), special=False), ulps=libm(dtype, 0))
        add("glu", dtype, values(dtype, (7, 26), special=False), ulps=libm(dtype, 8))
        add("glu", dtype, values(dtype, (4, 7, 3), special=False), 0, ulps=libm(dtype, 8), dynamic=True)


def pairs(dtype):
    yield values(dtype), values(dtype)
    yield values(dtype), values(dtype, (13,))
    yield values(dtype, (7, 1)), values(dtype, (1, 13))
    yield values(dtype), values(dtype, ())
    yield values(dtype, (13, 7)).t(), values(dtype)
    yield values(dtype, (0, 13)), values(dtype, (13,))


def binary_cases():
    everywhere = "maximum minimum".split()
    arithmetic = "add.Tensor mul.Tensor sub.Tensor fmax fmin eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor " \
                 "ge.Tensor".split()
    for op in everywhere + arithmetic + ["max.other", "min.other", "multiply.Tensor", "subtract.Tensor"]:
        for dtype in FLOATS + INTS + BOOL:
            if dtype == torch.bool and op.split(".")[0] in ("sub", "subtract"):
                continue
            # The sign of a zero differs between ATen's CPU and CUDA kernels of these.
            signless = 0.5 if op.split(".")[0] in ("maximum", "minimum", "fmax", "fmin", "max", "min") else 0
            for x, y in pairs(dtype):
                add(op, dtype, x, y, ulps=signless)
        add(op, torch.float32, values(torch.float32), values(torch.float32, (13,)), dynamic=True, ulps=0.5)
    for op in ("atan2", "copysign.Tensor", "hypot", "logaddexp", "xlogy.Tensor"):
        for dtype in FLOATS:
            for x, y in pairs(dtype):
                add(op, dtype, x, y, ulps=0 if op.startswith("copysign") else libm(dtype, 8))
    add("copysign.Scalar", torch.float32, values(torch.float32), -0.0)
    for op in ("add.Scalar", "mul.Scalar", "sub.Scalar", "rsub.Scalar"):
        for dtype in FLOATS + INTS:
            add(op, dtype, values(dtype), 3)
            # The CPU rounds the number to a half type first.
            add(op, dtype, values(dtype), 0.1, ulps=1, atol=1e-3 if half(dtype) else 0.0)
    for op in ("eq.Scalar", "ne.Scalar", "lt.Scalar", "le.Scalar", "gt.Scalar", "ge.Scalar"):
        for dtype in FLOATS + INTS + BOOL:
            add(op, dtype, values(dtype), 1)
            add(op, dtype, values(dtype), 0.5)
    for dtype in FLOATS:
        add("add.Tensor", dtype, values(dtype), values(dtype), alpha=0.3, ulps=2, atol=3e-2 if half(dtype) else 1e-6)
        add("sub.Tensor", dtype, values(dtype), values(dtype), alpha=2)
        add("rsub.Tensor", dtype, values(dtype), values(dtype))
    for dtype in INTS:
        add("add.Tensor", dtype, values(dtype), values(dtype), alpha=3)
        add("rsub.Tensor", dtype, values(dtype), values(dtype))


def promotion_cases():
    kinds = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.int8,
             torch.uint8, torch.bool)
    for left in kinds:
        for right in kinds:
            if left == right:
                continue
            add("add.Tensor", left, values(left, special=False), values(right, special=False), ulps=0)
            # On the CPU, a tensor without dimensions is not rounded to the other's half type.
            loose = 2 if half(left) and right.is_floating_point else 0
            add("mul.Tensor", left, values(left, special=False), values(right, (), special=False), ulps=loose)
            add("maximum", left, values(left, special=False), values(right, special=False))
            add("eq.Tensor", left, values(left, special=False), values(right, special=False))
            add("where.self", left, values(torch.bool), values(left), values(right))


def division_cases():
    for dtype in FLOATS + INTS:
        for x, y in pairs(dtype):
            if not dtype.is_floating_point:
                y = y.where((y != 0) & (y != -1 if dtype != torch.uint8 else y != 0), 5)
            add("div.Tensor", dtype, x, y)
            # ATen's CPU kernels compute in f32 where those for CUDA round each step to the half type.
            steps = {"ulps": 2, "atol": 1.0} if half(dtype) else {}
            if half(dtype):
                x, y = x.clamp(-100, 100), y.where(y.abs() > 0.25, 1.5)
            add("div.Tensor_mode", dtype, x, y, rounding_mode="trunc", **steps)
            add("div.Tensor_mode", dtype, x, y, rounding_mode="floor", **steps)
            add("floor_divide", dtype, x, y, **steps)
            if dtype.is_floating_point:  # the CPU's vector fmod gives up on huge ratios
                x, y = x.clamp(-1e4, 1e4), y.where(y.abs() > 1e-3, 1.5)
            add("remainder.Tensor", dtype, x, y)
            add("fmod.Tensor", dtype, x, y)
        x = values(dtype)
        # ATen's CPU kernels divide where those for CUDA multiply by the reciprocal.
        add("div.Scalar", dtype, x, 3, ulps=1)
        add("div.Scalar", dtype, x, 0.7, ulps=2)
        add("divide.Scalar", dtype, x, 4)
        add("true_divide.Scalar", dtype, x, 4)
        add("floor_divide.Scalar", dtype, x, 2)
        add("remainder.Scalar", dtype, x, 3)
        add("remainder.Scalar", dtype, x, -3) if dtype != torch.uint8 else None
        add("fmod.Scalar", dtype, x, 3)
    add("div.Tensor", torch.bool, values(torch.bool), torch.ones(7, 13, dtype=torch.bool))


def pow_cases():
    for dtype in FLOATS:
        for exponent in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.5, 4, 1.7):
            x = values(dtype)
            if half(dtype) and abs(exponent) == 0.5:  # pow(-inf, 0.5) is sqrt(-inf) only in wider types
                x = x.where(x != -math.inf, 1.0)
            add("pow.Tensor_Scalar", dtype, x, exponent, ulps=2 if half(dtype) else 6)
        add("pow.Tensor_Tensor", dtype, values(dtype), values(dtype), ulps=2 if half(dtype) else 8)
        add("float_power.Tensor_Scalar", dtype, values(dtype), 1.7, ulps=8)
        add("float_power.Tensor_Scalar", dtype, values(dtype), 2, ulps=8)
        add("float_power.Tensor_Tensor", dtype, values(dtype), values(dtype), ulps=8)
        add("ldexp.Tensor", dtype, values(dtype, special=False), values(torch.int32, (13,), special=False), ulps=1)
        add("ldexp.Tensor", dtype, values(dtype, special=False), values(dtype, special=False), ulps=4)
        add("pow.Scalar", dtype, 2.0, values(dtype), ulps=2 if half(dtype) else 8)
    for dtype in INTS:
        for exponent in (0, 1, 2, 3, 5):
            add("pow.Tensor_Scalar", dtype, values(dtype), exponent)
        add("pow.Tensor_Scalar", dtype, values(dtype), 0.5, ulps=2)
    add("pow.Tensor_Tensor", torch.int64, values(torch.int64), positive(torch.float32).to(torch.int64), refused=True)


def logic_cases():
    for op in ("logical_and", "logical_or", "logical_xor"):
        for dtype in FLOATS + INTS + BOOL:
            for x, y in pairs(dtype):
                add(op, dtype, x, y)
    for dtype in FLOATS + INTS + BOOL:
        add("logical_not", dtype, values(dtype))
    for dtype in INTS + BOOL:
        for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
            for x, y in pairs(dtype):
                add(f"{op}.Tensor", dtype, x, y)
            if dtype != torch.bool:
                add(f"{op}.Scalar", dtype, values(dtype), 5)
        for op in ("__and__", "__or__", "__xor__"):
            add(f"{op}.Tensor", dtype, values(dtype), values(dtype))
        add("bitwise_not", dtype, values(dtype))
    for dtype in INTS:
        bits = torch.iinfo(dtype).bits
        shift = torch.randint(0, bits + 3, (7, 13)).to(dtype)
        for op in ("bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor", "__lshift__.Tensor",
                   "__rshift__.Tensor"):
            add(op, dtype, values(dtype), shift)
        add("bitwise_left_shift.Tensor_Scalar", dtype, values(dtype), 2)
        add("__rshift__.Scalar", dtype, values(dtype), 1)


def ternary_cases():
    for dtype in FLOATS + INTS:
        low, high = (-1.5, 2.25) if dtype.is_floating_point else (2, 9)
        for args in ((low, high), (low, None), (None, high), (high, low)):
            add("clamp", dtype, values(dtype), *args)
        add("clip", dtype, values(dtype), low, high)
        add("clamp_min", dtype, values(dtype), low)
        add("clamp_max", dtype, values(dtype), high)
        add("clamp.Tensor", dtype, values(dtype), values(dtype), values(dtype, (13,)), ulps=0.5)
        add("clamp_min.Tensor", dtype, values(dtype), values(dtype), ulps=0.5)
        add("clamp_max.Tensor", dtype, values(dtype), values(dtype), ulps=0.5)
        add("clamp", dtype, values(dtype), 0.5, 3.5)
    add("clamp", torch.float32, values(torch.float32), math.nan, 1.0, refused=True)
    for dtype in FLOATS + INTS + BOOL:
        mask = values(torch.bool, (7, 1))
        add("where.self", dtype, mask, values(dtype), values(dtype, (13,)))
        add("where.ScalarOther", dtype, mask, values(dtype), 1)
        add("where.ScalarSelf", dtype, mask, 0.5, values(dtype))
        add("masked_fill.Scalar", dtype, values(dtype), values(torch.bool, (13,)), 1)
        add("masked_fill.Tensor", dtype, values(dtype), values(torch.bool), values(dtype, ()))
        add("fill.Scalar", dtype, values(dtype), 1)
        add("fill.Tensor", dtype, values(dtype), values(dtype, ()))
    add("where.Scalar", torch.bool, values(torch.bool), 1.0, 2.0)
    for dtype in FLOATS:
        x, y, z = (values(dtype, special=False) for _ in range(3))
        add("masked_fill.Scalar", dtype, x, values(torch.bool), -math.inf)
        loose = {"ulps": 2, "atol": 0.05 if half(dtype) else 1e-5}
        add("addcmul", dtype, x, y, z, **loose)
        add("addcmul", dtype, x, y, z, value=0.3, **loose)
        add("addcdiv", dtype, x, y, positive(dtype), **loose)
        add("addcdiv", dtype, x, y, positive(dtype), value=0.3, **loose)
        add("lerp.Scalar", dtype, x, y, 0.3, **loose)
        add("lerp.Scalar", dtype, x, y, 0.8, **loose)
        add("lerp.Tensor", dtype, x, y, torch.rand(7, 13).to(dtype), **loose)
    add("addcmul", torch.int32, *(values(torch.int32) for _ in range(3)))


def cast_cases():
    kinds = FLOATS + INTS + BOOL
    for source in kinds:
        for to in kinds:
            x = values(source)
            if source.is_floating_point and not to.is_floating_point and to != torch.bool:
                # Out of range is undefined in C++, and so in ATen.
                x = (values(source, special=False) * 10).abs().clamp(0, 100)
            add("to.dtype", source, x, to)
            add("_to_copy", source, x, dtype=to)
        add("to.dtype", source, values(source), source, False, True)
    x = values(torch.float32)
    add("detach_", torch.float32, x.clone())
    add("to.other", torch.float32, x, values(torch.bfloat16))
    add("type_as", torch.float32, x, values(torch.float16))
    add("to.dtype_layout", torch.float32, x, dtype=torch.bfloat16)
    add("copy", torch.bfloat16, values(torch.bfloat16), values(torch.float32, (13,)))
    add("clone", torch.float32, values(torch.float32, (2, 3, 4, 5)), memory_format=torch.channels_last)
    add("contiguous", torch.float32, values(torch.float32, (13, 7)).t())
    add("contiguous", torch.float32, x)
    add("contiguous", torch.float32, values(torch.float32, (13, 7)).t(), dynamic=True)
    for op in ("lift_fresh_copy", "detach_copy", "alias_copy", "lift", "resolve_conj", "resolve_neg", "lift_fresh"):
        add(op, torch.float32, x)
    for op in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
        add(op, torch.bfloat16, values(torch.bfloat16), 0.5, False)
    add("dropout", torch.float32, x, 0.0, True, refused=True)
    add("native_dropout", torch.float32, x, 0.5, False)


def generator_cases():
    for dtype in FLOATS + INTS + BOOL:
        x = values(dtype)
        for op in ("zeros_like", "ones_like"):
            add(op, dtype, x)
        add("full_like", dtype, x, 1)
        for op in ("new_zeros", "new_ones"):
            add(op, dtype, x, [3, 5])
        add("new_full", dtype, x, [3, 5], 1)
        for op in ("zeros", "ones"):
            add(op, dtype, [3, 5], dtype=dtype)
        add("full", dtype, [3, 5], 1, dtype=dtype)
        add("scalar_tensor", dtype, 1, dtype=dtype)
        add("zero", dtype, x)
        add("tril", dtype, x, 1)
        add("triu", dtype, x, -2)
        add("tril", dtype, x)
        add("eye", dtype, 5, dtype=dtype)
        add("eye.m", dtype, 5, 3, dtype=dtype)
        if dtype != torch.bool:
            add("arange", dtype, 9, dtype=dtype)
            add("arange.start", dtype, 2, 9, dtype=dtype)
            add("arange.start_step", dtype, 1, 19, 3, dtype=dtype)
    add("full", torch.float32, [3, 5], -math.inf, dtype=torch.float32)
    for dtype in FLOATS:
        add("arange.start_step", dtype, 0.5, 3.1, 0.1, dtype=dtype, ulps=2)
    add("one_hot", torch.int64, torch.randint(0, 5, (4, 3)), 5)


def reduction_cases():
    for dtype in FLOATS + INTS + BOOL:
        x = values(dtype, special=False, scale=1.0)
        loose = {"ulps": 1 if half(dtype) else 8, "atol": 0.02 if half(dtype) else 1e-5} if dtype.is_floating_point \
            else {}
        for op in ("sum", "prod"):
            add(op, dtype, x[:3], **loose)
        add("sum.dim_IntList", dtype, x, [1], **loose)
        add("sum.dim_IntList", dtype, x, [0, 1], True, **loose)
        add("sum.dim_IntList", dtype, x.t(), [-1], **loose)
        add("sum.dim_IntList", dtype, x, [0], dtype=torch.float32, ulps=8, atol=1e-5)
        add("prod.dim_int", dtype, x[:, :4], 1, True, **loose)
        add("sum", dtype, values(dtype, (0, 4)), **loose)
        add("sum", dtype, values(dtype, (), special=False))
        y = values(dtype)
        for op in ("amax", "amin"):
            add(op, dtype, y, [1])
            add(op, dtype, y, [0], True)
            add(op, dtype, y)
        for op in ("max", "min"):
            add(op, dtype, y)
            add(f"{op}.dim", dtype, y, 1)
            add(f"{op}.dim", dtype, x, 0, True)
            add(f"{op}.dim", dtype, values(dtype, ()), 0)
        if dtype != torch.bool:
            for op in ("argmax", "argmin"):
                add(op, dtype, y)
                add(op, dtype, y, 1)
                add(op, dtype, x.t(), 0, True)
        for op in ("any", "all"):
            add(op, dtype, y)
            add(f"{op}.dim", dtype, y, 1, True)
            add(f"{op}.dims", dtype, y, [0, 1])
        add("count_nonzero.dim_IntList", dtype, y, [1])
        add("count_nonzero", dtype, y)
    float_reductions()


def float_reductions():
    for dtype in FLOATS:
        x = values(dtype, special=False)
        loose = {"ulps": 1 if half(dtype) else 16, "atol": 1e-3 if half(dtype) else 1e-6}
        add("mean", dtype, x, **loose)
        add("mean.dim", dtype, x, [1], **loose)
        add("mean.dim", dtype, x, [-1], True, **loose)
        add("mean.dim", dtype, x, [1], dtype=torch.float32, ulps=16, atol=1e-5)
        add("mean.dim", dtype, x, [0], dynamic=True, **loose)
        for op in ("var", "std", "var_mean", "std_mean"):
            add(f"{op}.correction", dtype, x, [1], correction=1, **loose)
            add(f"{op}.correction", dtype, x, [0], correction=0, keepdim=True, dynamic=True, **loose)
            add(f"{op}.correction", dtype, x, **loose)
            add(f"{op}.dim", dtype, x, [1], False, **loose)
            add(op, dtype, x, True, **loose)
        add("var.correction", dtype, values(dtype, (4, 1)), [1], correction=1)
        add("logsumexp", dtype, x, [1], **loose)
        masked = x.clone()
        masked[2] = -math.inf
        add("logsumexp", dtype, masked, [1], True, **loose)
        for p in (0, 1, 2, math.inf, -math.inf, 3.0):
            add("linalg_vector_norm", dtype, x, p, [1], ulps=2 if half(dtype) else 16)
        add("linalg_vector_norm", dtype, x, 2, None, True, **loose)
        add("norm.ScalarOpt_dim", dtype, x, 2, [1], True, **loose)
        add("norm.ScalarOpt_dim", dtype, x, None, [0], **loose)
        image = values(dtype, (2, 3, 4, 5), special=False)
        add("adaptive_avg_pool2d", dtype, image, [1, 1], **loose)
        add("_adaptive_avg_pool2d", dtype, image, [1, 1], **loose)
        add("adaptive_avg_pool1d", dtype, image[0], [1], **loose)
        add("adaptive_avg_pool2d", dtype, image, [2, 2], refused=True)
    add("adaptive_avg_pool3d", torch.float32, values(torch.float32, (1, 2, 3, 4, 5), special=False), [1, 1, 1],
        ulps=16, atol=1e-6)
    add("mean.dim", torch.float32, values(torch.float32, (3, 0)), [1])


def normalization_cases():
    for dtype in FLOATS:
        loose = {"ulps": 1 if half(dtype) else 64, "atol": 1e-2 if half(dtype) else 2e-6}
        x = values(dtype, special=False)
        masked = x.clone()
        masked[:, ::2] = -math.inf
        for op in ("softmax.int", "log_softmax.int", "special_softmax", "special_log_softmax"):
            add(op, dtype, x, 1, **loose)
            add(op, dtype, x, -2, dynamic=True, **loose)
            add(op, dtype, masked, -1, **loose)
            to = (torch.float32,) if op.endswith(".int") or op == "special_softmax" else ()
            add(op, dtype, x, 1, *to, ulps=64, atol=2e-6 if to else 2e-2)
        add("_softmax", dtype, x, 1, False, **loose)
        add("_log_softmax", dtype, x, 1, False, **loose)
        masked[3] = -math.inf
        add("softmax.int", dtype, masked, -1, **loose)
        add("_safe_softmax", dtype, masked, -1, **loose)
        add("softmax.int", dtype, values(dtype, ()), 0)
        weight, bias = values(dtype, (13,), special=False), values(dtype, (13,), special=False)
        add("layer_norm", dtype, x, [13], **loose)
        add("layer_norm", dtype, x, [13], weight, bias, 1e-5, **loose)
        add("layer_norm", dtype, x, [13], weight, bias, 1e-12, dynamic=True, **loose)
        add("layer_norm", dtype, values(dtype, (2, 3, 4), special=False), [3, 4], values(dtype, (3, 4), special=False),
            **loose)
        add("native_layer_norm", dtype, x, [13], weight, bias, 1e-5, **loose)
        add("rms_norm", dtype, x, [13], **loose)
        add("rms_norm", dtype, x, [13], weight, 1e-6, **loose)
        add("_fused_rms_norm", dtype, x, [13], weight, 1e-6, **loose)
        channel_cases(dtype, loose)


def channel_cases(dtype, loose):
    image = values(dtype, (3, 6, 2, 5), special=False)
    weight, bias, mean = (values(dtype, (6,), special=False) for _ in range(3))
    variance = positive(dtype, (6,))
    add("batch_norm", dtype, image, weight, bias, mean, variance, False, 0.1, 1e-5, True, **loose)
    add("batch_norm", dtype, image, None, None, mean, variance, False, 0.1, 1e-3, False, **loose)
    add("batch_norm", dtype, image, weight, bias, mean, variance, True, 0.1, 1e-5, True, refused=True)
    add("_native_batch_norm_legit_no_training", dtype, image, weight, bias, mean, variance, 0.1, 1e-5, results=(0,),
        **loose)
    add("native_batch_norm", dtype, image, weight, bias, mean, variance, False, 0.1, 1e-5, results=(0,), **loose)
    add("group_norm", dtype, image, 3, weight, bias, 1e-5, **loose)
    add("group_norm", dtype, image, 6, None, None, 1e-5, **loose)
    add("native_group_norm", dtype, image, weight, bias, 3, 6, 10, 2, 1e-5, **loose)
    add("instance_norm", dtype, image, weight, bias, None, None, True, 0.1, 1e-5, True, ulps=loose["ulps"],
        atol=0.05 if half(dtype) else 2e-6)


def view_cases():
    for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool):
        x = values(dtype, (7, 4, 6))
        for dynamic in (False, True):
            def view(target, *args, **kwargs):
                add(target, dtype, *args, dynamic=dynamic, **kwargs)
            view("view", x, [7, 24])
            view("view", x, [28, 6])
            view("reshape", x.transpose(0, 1), [4, 42])
            view("reshape", x, [7, 2, 2, 6])
            view("_unsafe_view", x, [28, 6])
            view("view_as", x, values(dtype, (28, 6)))
            view("reshape_as", x, values(dtype, (7, 24)))
            view("flatten.using_ints", x, 1)
            view("flatten.using_ints", x)
            view("unflatten.int", x, 2, [2, 3])
            view("ravel", x)
            view("unsqueeze", x, 1)
            view("squeeze", values(dtype, (7, 1, 4)))
            view("squeeze.dim", values(dtype, (7, 1, 4)), 1)
            view("atleast_1d", values(dtype, ()))
            view("_reshape_alias", x, [7, 24], [24, 1])
            view("permute", x, [2, 0, -2])
            view("transpose.int", x, 0, -1)
            view("swapaxes", x, 0, 1)
            view("swapdims", x, 0, 1)
            view("movedim.intlist", x, [0, 1], [2, 0])
            view("moveaxis.intlist", x, [2], [0])
            view("t", x[0])
            view("numpy_T", x[:, 0])
            view("mT", x)
            view("adjoint", x) if dtype != torch.bool else None
            view("expand", values(dtype, (7, 1)), [3, 7, 5])
            view("expand", values(dtype, (7, 1)), [-1, 5])
            view("expand_as", values(dtype, (6,)), x)
            view("broadcast_to", values(dtype, ()), [3, 5])
            view("slice.Tensor", x, 0, 1, 5)
            view("slice.Tensor", x, 2, -4, 9223372036854775807, 2)
            view("slice.Tensor", x, 1, 0, -1)
            view("slice.Tensor", x[:, 1:], 2, 2, 5)
            view("select.int", x, 1, 2)
            view("select.int", x, 0, -1)
            view("narrow", x, 2, 1, 3)
            view("split.Tensor", x, 2, 1)
            view("split.Tensor", x, 4, 2)
            view("split_with_sizes", x, [1, 5], 2)
            view("chunk", x, 2, 1)
            view("unbind.int", x, 1)
            view("unsafe_split.Tensor", x, 2, 1)
            view("unsafe_chunk", x, 2, 1)
            view("tensor_split.sections", x, 3, 1)


def rearranging_cases():
    for dtype in FLOATS + INTS + BOOL:
        x, y = values(dtype), values(dtype, (7, 5))
        for dynamic in (False, True):
            def put(target, *args, **kwargs):
                add(target, dtype, *args, dynamic=dynamic, **kwargs)
            put("cat", [x, y], 1)
            put("cat", [x, x.t().contiguous().t(), x])
            put("stack", [x, x], 1)
            put("constant_pad_nd", y, [1, 2, 0, 3] if not dynamic else [1, 2])
            put("constant_pad_nd", y, [-1, 2], 1)
            put("pad", y, [2, 2])
            put("repeat", y, [2, 1, 3])
            put("tile", y, [2, 3])
            put("repeat_interleave.self_int", y, 3, 1)
            put("flip", y, [0, 1])
            put("diff", y, 1, 1)
        add("slice_scatter", dtype, x, values(dtype, (7, 4)), 1, 3, 7)
        add("slice_scatter", dtype, x, values(dtype, (3, 13)), 0, -3)
        add("slice_scatter", dtype, x, values(dtype, (7, 13)), 0, 0, 9223372036854775807)
        add("slice_scatter", dtype, x, values(dtype, (4, 13)), 0, 0, 7, 2, refused=True)
        add("select_scatter", dtype, x, values(dtype, (7,)), 1, -2)
        add("concat", dtype, [x, x])
        add("concatenate", dtype, [x, x])
        add("repeat_interleave.self_int", dtype, y, 2)
        add("roll", dtype, y, [2], [1])
        add("roll", dtype, y, [-1, 3], [0, 1])
        add("roll", dtype, y, [4])
        add("diff", dtype, y, 1, -1, y[:, :2])
        add("pixel_shuffle", dtype, values(dtype, (2, 8, 3, 5)), 2)
        if dtype != torch.bool:
            add("pixel_unshuffle", dtype, values(dtype, (2, 2, 6, 4)), 2)
    add("cat", torch.float32, [values(torch.float32), values(torch.bfloat16)], 0)
    add("cat", torch.float32, [values(torch.float32), torch.empty(0)], 0)


def index_cases():
    for dtype in FLOATS + INTS + BOOL:
        table = values(dtype, (13, 5))
        for index in (torch.int64, torch.int32):
            rows = torch.randint(0, 13, (7, 2)).to(index)
            add("embedding", dtype, table, rows)
            add("embedding", dtype, table, rows, 0, dynamic=True)
            add("index_select", dtype, table, 0, rows[:, 0].contiguous())
            add("index_select", dtype, table, 1, (rows[:, 0] % 5).contiguous())
        rows = torch.randint(-13, 13, (7, 2))
        add("index.Tensor", dtype, table, [rows])
        add("index.Tensor", dtype, table, [None, rows % 5])
        add("index.Tensor", dtype, table, [rows, rows % 5])
        add("index.Tensor", dtype, table, [rows[:, :1], torch.randint(-5, 5, (1, 3))])
        block = values(dtype, (3, 4, 5, 2))
        near, far = torch.randint(-2, 2, (7, 1)), torch.randint(0, 2, (3,))
        add("index.Tensor", dtype, block, [None, near, far])
        add("index.Tensor", dtype, block, [near, None, None, far])
        add("index.Tensor", dtype, values(dtype, (7, 11)), [near, near], dynamic=True)
        add("gather", dtype, table, 0, torch.randint(0, 13, (7, 5)))
        add("gather", dtype, table, 1, torch.randint(0, 5, (13, 3)))
    add("index.Tensor", torch.float32, values(torch.float32), [values(torch.bool)], refused=True)


def refused_cases():
    x = values(torch.float32)
    add("cummax", torch.float32, x, 1, refused=True)
    add("mm", torch.float32, x, x.t().contiguous(), refused=True)
    add("sort", torch.float32, x, refused=True)
    add("scatter.value", torch.float32, x, 1, torch.zeros(7, 2, dtype=torch.int64), 1.0, refused=True)


def all_cases() -> list[Case]:
    from . import parity_windows

    _cases.clear()
    for group in (unary_cases, activation_cases, binary_cases, promotion_cases, division_cases, pow_cases, logic_cases,
                  ternary_cases, cast_cases, generator_cases, reduction_cases, normalization_cases, view_cases,
                  rearranging_cases, index_cases, refused_cases, *parity_windows.GROUPS):
        group()
    return list(_cases)

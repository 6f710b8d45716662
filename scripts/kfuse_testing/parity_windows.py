"""Cases of parity.py: windows, images of another size, scans."""

from __future__ import annotations

import torch

from .parity_cases import BOOL, FLOATS, INTS, add, half, libm, values


def image(dtype, *shape):
    """Finite values: sums of windows would be NaN mostly."""
    return torch.randn(shape, dtype=torch.float64).to(dtype)


def pooling_cases():
    for dtype in FLOATS:
        x, wild = image(dtype, 2, 3, 9, 8), values(dtype, (2, 3, 9, 8))
        sum_of = {"ulps": 1.0 if half(dtype) else 4.0, "atol": {torch.float32: 1e-6, torch.float64: 1e-15}.get(dtype, 0.0)}
        # Here the CPU rounds each partial sum of half types.
        rough = {"ulps": sum_of["ulps"], "atol": 1e-2} if half(dtype) else sum_of
        for extra in ([2], [3, 2], [3, 2, 1], [3, 1, 1, False, False], [3, 2, 1, True], [3, 2, 1, True, False]):
            kernel, *rest = extra
            rest = [[value] if type(value) is int else value for value in rest]
            add("avg_pool2d", dtype, x, [kernel], *rest, **sum_of)
            add("avg_pool1d", dtype, x[0], [kernel], *rest, **sum_of) if not half(dtype) else None
        add("avg_pool2d", dtype, x, [3, 2], [2, 1], [1, 0], False, True, 5, **sum_of)
        add("avg_pool2d", dtype, x.contiguous(memory_format=torch.channels_last), [2], **sum_of)
        add("avg_pool3d", dtype, image(dtype, 2, 3, 4, 6, 4), [2], **sum_of) if not half(dtype) else None
        add("avg_pool2d", dtype, image(dtype, 2, 3, 27, 18), [9], **sum_of)
        add("avg_pool2d", dtype, image(dtype, 2, 3, 27, 18), [9], [4], refused=True)
        add("avg_pool2d", dtype, image(dtype, 2, 7, 11, 22), [2], dynamic=False, **sum_of)
        for extra in ([2], [3, 2], [3, 2, 1], [3, 1, 1, 1], [3, 1, 1, 2], [3, 2, 1, 1, True]):
            kernel, *rest = extra
            rest = [[value] if type(value) is int else value for value in rest]
            add("max_pool2d", dtype, wild, [kernel], *rest)
        add("max_pool1d", dtype, wild[0], [3], [2], [1])
        add("max_pool3d", dtype, values(dtype, (2, 3, 4, 6, 4)), [2])
        add("max_pool2d", dtype, values(dtype, (2, 3, 27, 18)), [9])
        add("max_pool2d_with_indices", dtype, wild, [3], [2], [1], results=(0,))
        add("max_pool2d_with_indices", dtype, wild, [3], [2], [1], refused=True)
        add("max_pool3d_with_indices", dtype, values(dtype, (2, 3, 4, 6, 4)), [2], results=(0,))
        add("max_pool1d_with_indices", dtype, wild[0], [2], results=(0,)) if not half(dtype) else None
        add("adaptive_avg_pool2d", dtype, x, [3, 4], **sum_of)
        add("adaptive_avg_pool2d", dtype, x, [1, 1], **sum_of)
        add("adaptive_avg_pool2d", dtype, x, [9, 8], **sum_of)
        add("_adaptive_avg_pool2d", dtype, x, [3, 2], **sum_of)
        add("adaptive_avg_pool1d", dtype, x[0], [4], **sum_of)
        add("adaptive_avg_pool3d", dtype, image(dtype, 2, 3, 4, 6, 4), [2, 3, 1], **rough)
        add("_adaptive_avg_pool3d", dtype, image(dtype, 2, 3, 4, 6, 4), [2, 3, 1], **rough)
        add("adaptive_avg_pool2d", dtype, x, [4, 4], refused=True)
        add("adaptive_max_pool2d", dtype, wild, [3, 4], results=(0,))
        add("adaptive_max_pool2d", dtype, wild, [1, 1], results=(0,))
        add("adaptive_max_pool1d", dtype, wild[0], [2], results=(0,))
        add("adaptive_max_pool3d", dtype, values(dtype, (2, 3, 4, 6, 4)), [2, 3, 2], results=(0,))


def window_cases():
    for dtype in FLOATS + INTS + BOOL:
        x = values(dtype, (3, 10, 9))
        add("unfold", dtype, x, 1, 3, 2)
        add("unfold", dtype, x, -1, 4, 1)
        add("unfold", dtype, x.transpose(0, 1), 0, 2, 2)
        add("unfold_copy", dtype, x, 0, 2, 1)
    for dtype in FLOATS:
        x = values(dtype, (2, 3, 9, 8))
        add("im2col", dtype, x, [3, 3], [1, 1], [1, 1], [1, 1])
        add("im2col", dtype, x, [3, 2], [2, 1], [0, 1], [2, 3])


def resampling_cases():
    for dtype in FLOATS:
        x = values(dtype, (2, 3, 6, 5))
        smooth = image(dtype, 2, 3, 6, 5)
        near = {"ulps": libm(dtype, 16.0), "atol": 1e-2 if half(dtype) else 5e-6 if dtype == torch.float32 else 1e-14}
        add("upsample_nearest2d", dtype, x, [12, 10])
        add("upsample_nearest2d", dtype, x, [12, 15], 2.0, 3.0)
        add("upsample_nearest2d", dtype, x, [7, 9])
        add("upsample_nearest2d", dtype, x, [3, 2])
        add("upsample_nearest2d.vec", dtype, x, None, [2.0, 2.0])
        add("upsample_nearest2d.vec", dtype, x, [9, 5], None)
        add("upsample_nearest1d", dtype, x[0], [10])
        add("upsample_nearest1d.vec", dtype, x[0], None, [1.7])
        add("upsample_nearest3d", dtype, values(dtype, (1, 2, 3, 4, 5)), [6, 4, 10])
        add("_upsample_nearest_exact1d", dtype, x[0], [7])
        add("_upsample_nearest_exact2d", dtype, x, [12, 10])
        add("_upsample_nearest_exact2d", dtype, x, [4, 9])
        add("_upsample_nearest_exact3d", dtype, values(dtype, (1, 2, 3, 4, 5)), [6, 4, 7])
        for corners in (False, True):
            add("upsample_bilinear2d", dtype, smooth, [12, 10], corners, **near)
            add("upsample_bilinear2d", dtype, smooth, [4, 9], corners, **near)
            add("upsample_bilinear2d.vec", dtype, smooth, None, corners, [2.0, 1.5], **near)
            add("upsample_linear1d", dtype, smooth[0], [8], corners, **near)
            add("upsample_bicubic2d", dtype, smooth, [9, 8], corners, **near)
        add("upsample_trilinear3d", dtype, image(dtype, 1, 2, 3, 4, 5), [6, 4, 7], False, **near)
        for mode, one, two, three in (
            ("reflect", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d"),
            ("replicate", "replication_pad1d", "replication_pad2d", "replication_pad3d"),
        ):
            add(one, dtype, x[0], [2, 3])
            add(two, dtype, x, [2, 3, 1, 4])
            add(three, dtype, values(dtype, (1, 2, 3, 4, 5)), [1, 2, 2, 1, 0, 2])
            add("pad", dtype, x, [2, 3, 1, 4], mode)
        add("pad", dtype, x, [2, 3, 1, 4], "circular")
    add("upsample_nearest2d", torch.uint8, values(torch.uint8, (2, 3, 6, 5)), [12, 10])


def scan_cases():
    for dtype in FLOATS + INTS + BOOL:
        x = values(dtype, (3, 9, 4)) if dtype not in FLOATS else image(dtype, 3, 9, 4)
        near = {"ulps": libm(dtype, 8.0), "atol": 1e-6 if dtype == torch.float32 else 1e-15} if dtype in FLOATS else {}
        if half(dtype):
            near["atol"] = 2e-2  # the CPU rounds each partial sum
        add("cumsum", dtype, x, 1, **near)
        add("cumsum", dtype, x, -1, **near)
        add("cumsum", dtype, x, 0, dtype=torch.float64, **near)
        add("cumprod", dtype, x, 1, **near)
    add("cumsum", torch.float32, values(torch.float32, ()), 0)
    add("cumsum", torch.int64, values(torch.int64, (7, 3)), 0, dynamic=True, refused=True)


def factory_cases():
    x = values(torch.float32, (3, 4))
    add("arange.start_step", torch.int64, 16, -16, -1.0, dtype=torch.int64)
    add("arange.start_step", torch.int64, 0.5, 7, 2.0, dtype=torch.int64)
    for dtype in FLOATS:
        near = {"ulps": libm(dtype, 4.0), "atol": 1e-6 if dtype != torch.float64 else 1e-15}
        if half(dtype):
            near["atol"] = 4e-2  # the CPU rounds the step
        add("linspace", dtype, -1.5, 2, 13, dtype=dtype, **near)
        add("linspace", dtype, 3, 1, 1, dtype=dtype)
    for dtype in FLOATS + INTS + BOOL:
        add("as_strided", dtype, values(dtype, (6, 8)), [3, 4], [9, 2], 5)
        add("as_strided", dtype, values(dtype, (6, 8)), [4, 5, 3], [0, 8, 1])
    add("as_strided", torch.float32, values(torch.float32, (6, 8)).t(), [3, 4], [8, 2], refused=True)
    none = torch.empty(0, 3)  # nothing is promised about the values
    add("empty_like", torch.float32, none)
    add("new_empty", torch.float32, x, [0, 2])
    add("empty.memory_format", torch.float32, [0, 2])
    add("empty_strided", torch.float32, [0, 2], [2, 1])
    add("new_empty_strided", torch.float32, x, [0, 2], [2, 1])
    add("empty_permuted", torch.float32, [0, 2], [0, 1])


def standardization_cases():
    for dtype in FLOATS:
        near = {"ulps": libm(dtype, 16.0), "atol": 1e-2 if half(dtype) else 1e-5 if dtype == torch.float32 else 1e-12}
        x = image(dtype, 1, 6, 24)
        add("batch_norm", dtype, x, image(dtype, 6), None, None, None, True, 0.0, 1e-6, True, **near)
        add("batch_norm", dtype, image(dtype, 3, 6, 5), None, None, None, None, True, 0.0, 1e-5, True, **near)
        v, g = image(dtype, 4, 6, 3), image(dtype, 4, 1, 1)
        add("_weight_norm", dtype, v, g, 0, **near)
        add("_weight_norm", dtype, v, image(dtype, 1, 1, 3), 2, **near)
    add("sum.dim_IntList", torch.float32, torch.tensor([[-0.0], [1.0]]), [1])
    add("softmax.int", torch.float32, values(torch.float32, (5, 1)), 1)
    add("argmax", torch.float32, values(torch.float32, (5, 1)), 1)
    add("meshgrid.indexing", torch.int64, [torch.arange(3), torch.arange(5)], indexing="ij")
    add("meshgrid.indexing", torch.int64, [torch.arange(3), torch.arange(5), torch.arange(2)], indexing="xy")


GROUPS = (
    pooling_cases,
    window_cases,
    resampling_cases,
    scan_cases,
    factory_cases,
    standardization_cases,
)

"""Comparison of results: bit-identical, or within a tolerance, with a reason."""

import torch

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _bits(tensor):
    tensor = tensor.detach().cpu().contiguous()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.view(_BITS[tensor.element_size()])


def _wide(tensor):
    return tensor.detach().cpu().to(torch.complex128 if tensor.is_complex() else torch.float64)


def _same_nan(got, want):
    """Elements that are NaN in both; payloads and signs of NaN do not count."""
    if not (want.is_floating_point() or want.is_complex()):
        return torch.zeros(want.shape, dtype=torch.bool)
    return torch.isnan(_wide(got)) & torch.isnan(_wide(want))


def difference(got, want, rtol=0.0, atol=0.0):
    """None when `got` equals `want`, otherwise one line saying how it differs.
    Without tolerances bits must agree (so -0.0 is not 0.0)."""
    if not isinstance(want, torch.Tensor):
        same = type(got) is type(want) and (got == want or (got != got and want != want))
        return None if same else f"expected {want!r}, found {got!r}"
    if not isinstance(got, torch.Tensor):
        return f"expected a tensor, found {got!r}"
    if got.dtype != want.dtype:
        return f"expected dtype {want.dtype}, found {got.dtype}"
    if got.shape != want.shape:
        return f"expected shape {tuple(want.shape)}, found {tuple(got.shape)}"
    if want.numel() == 0:
        return None
    nan = _same_nan(got, want)
    if rtol or atol:
        a, b = _wide(got), _wide(want)
        equal = torch.isclose(a, b, rtol=rtol, atol=atol) | nan
    else:
        a, b = _bits(got), _bits(want)
        equal = a == b
        equal = (equal.all(-1) if want.is_complex() else equal) | nan
    if bool(equal.all()):
        return None
    where = tuple((~equal).nonzero()[0].tolist())
    return (
        f"{int((~equal).sum())} of {want.numel()} elements differ, first at {where}: "
        f"expected {want[where].item()!r}, found {got[where].item()!r}; max error {error_text(got, want)}"
    )


def error_text(got, want):
    worst = (_wide(got) - _wide(want)).abs().nan_to_num(0.0, 0.0, 0.0).max()
    return f"{worst.item():.3g}"


def error_ratio(got, eager, exact):
    """Error of `got` against `exact` (computed in f64) in units of eager's."""
    ours = (_wide(got) - exact).abs().nan_to_num(0.0, 0.0, 0.0).max().item()
    theirs = (_wide(eager) - exact).abs().nan_to_num(0.0, 0.0, 0.0).max().item()
    return ours, theirs


def compare_all(got, want, rtol=0.0, atol=0.0, what="output"):
    """Differences of two lists of results, as lines."""
    if len(got) != len(want):
        return [f"expected {len(want)} {what}s, found {len(got)}"]
    lines = []
    for i, (g, w) in enumerate(zip(got, want)):
        text = difference(g, w, rtol, atol)
        if text:
            lines.append(f"{what} {i}: {text}")
    return lines

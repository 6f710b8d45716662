"""Comparison of results: bit-identical, or within a tolerance, with a reason."""

import numpy
import torch

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
# Elements that are compared at a time: the temporaries of a tensor of 2^32
# elements fit into no memory.
_CHUNK = 1 << 26


def _bits(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.view(_BITS[tensor.element_size()])


def _wide(tensor):
    return tensor.detach().to(torch.complex128 if tensor.is_complex() else torch.float64)


def _same_nan(got, want):
    """Elements that are NaN in both; payloads and signs of NaN do not count."""
    return torch.isnan(got) & torch.isnan(want)


def _equal(got, want, rtol, atol):
    """Which elements of two flat tensors agree."""
    if rtol or atol:
        equal = torch.isclose(_wide(got), _wide(want), rtol=rtol, atol=atol)
    else:
        equal = _bits(got) == _bits(want)
        equal = equal.all(-1) if want.is_complex() else equal
    return equal | _same_nan(got, want)


def _compare_elements(got, want, rtol, atol):
    """How many elements differ, the flat index of the first, and the largest error."""
    got, want = got.detach().reshape(-1), want.detach().reshape(-1)
    count, first, worst = 0, None, 0.0
    for start in range(0, want.numel(), _CHUNK):
        ours = got[start : start + _CHUNK].to(want.device)
        theirs = want[start : start + _CHUNK]
        differ = ~_equal(ours, theirs, rtol, atol)
        if not bool(differ.any()):
            continue
        count += int(differ.sum())
        if first is None:
            first = start + int(differ.nonzero()[0])
        worst = max(worst, (_wide(ours) - _wide(theirs)).abs().nan_to_num(0.0, 0.0, 0.0).max().item())
    return count, first, worst


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
    count, first, worst = _compare_elements(got, want, rtol, atol)
    if not count:
        return None
    where = tuple(int(i) for i in numpy.unravel_index(first, want.shape))
    return (
        f"{count} of {want.numel()} elements differ, first at {where}: "
        f"expected {want[where].item()!r}, found {got[where].item()!r}; max error {worst:.3g}"
    )


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

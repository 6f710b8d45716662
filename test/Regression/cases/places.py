"""Where elements come from and go to: strides, windows, indices, aliases."""

import torch
from torch.nn import functional as F

from kfuse_testing.regressions import collector, ints, randn

CASES = []
case = collector(CASES)
PYTORCH = "https://github.com/pytorch/pytorch/issues/"
LAST = torch.channels_last


@case("https://github.com/pytorch/pytorch/pull/195063", lambda: (randn(2, 3, 5, 7).contiguous(memory_format=LAST),))
def position_of_the_largest(x):
    """Positions count in logical order, whatever the order in memory."""
    return x.argmax(), x.flatten(1).argmin(1), x.relu().argmax(1), x.sum(-1).argmax(-1)


@case(PYTORCH + "99879", lambda: (ints(6, 40, low=0, high=3).float(),))
def first_of_equals(x):
    return x.argmax(1), x.argmin(1), tuple(x.max(0)), (x * 0).argmax(0)


@case("https://github.com/flagos-ai/Torch-FL/issues/350", lambda: (randn(9, 20) + 5,))
def lanes_beyond_the_row(x):
    """What pads a short row must lose every comparison."""
    return x.argmin(1), (-x).argmax(1), x.amin(1), (-x).amax(1), x.prod(1)


@case("https://github.com/openxla/xla/issues/7112", lambda: (torch.ones(2, 1025, 1, dtype=torch.float16),))
def long_row_of_half(x):
    return x.amin(1), x.amax(1), x.mean(1), x.all(1)


@case("https://github.com/csarofeen/pytorch/issues/1630", lambda: (randn(6, 8), randn(4, 2, 6)))
def split_then_transpose(x, y):
    return x.view(6, 4, 2).permute(1, 2, 0) + y, (x.t().reshape(2, 24) + 1).t(), x.view(3, 2, 8).transpose(0, 2) * 2


@case(PYTORCH + "186850", lambda: (randn(4, 6).t(), torch.empty_strided((3, 4), (1, 7)).fill_(2.0)))
def unusual_strides(x, y):
    return x.unsqueeze(1) * 2, x.repeat(2, 1), y.unsqueeze(-1).expand(3, 4, 5) + 1, y.t().contiguous()


@case(PYTORCH + "114221", lambda: (randn(3, 8), randn(3, 4)))
def cat_of_itself(x, y):
    total = x + 1
    joined = torch.cat([total, total, y, total[:, :2]], dim=1)
    return joined, F.pad(joined, (-3, -2)), total, torch.stack([x, x]).sum(0)


@case(PYTORCH + "189895", lambda: (randn(5, 700),))
def pad_of_a_sum(x):
    """The padding keeps its value beside a long sum."""
    return F.pad(x.sum(1), (1, 2), value=-1.0), F.pad(x.softmax(-1), (1, 1)), F.pad(x[:, :7], (2, 3), mode="reflect")


@case("https://github.com/iree-org/iree/issues/13951", lambda: (randn(7, 5), ints(4, low=-7, high=7)))
def negative_positions(x, n):
    return x[n], x[:, torch.tensor([-1, -2, 0])], x[n, n % 5], torch.gather(x, 1, (n % 5)[:, None].expand(4, 3)[:4])


@case(PYTORCH + "93823", lambda: (randn(4, 6, dtype=torch.float16), randn(4, 1) > 0))
def broadcast_mask(x, mask):
    return x.masked_fill(mask, -1e4), torch.where(mask, x, 0.5), x.masked_fill(~mask, float("-inf")).softmax(-1)


@case(PYTORCH + "93823", lambda: (ints(3, 5, 16, low=-9, dtype=torch.float32), ints(3, 5, 1, low=0, high=2) > 0), rtol=0.0, atol=0.0)
def one_mask_value_for_a_row(x, mask):
    """Whole numbers: every order of the additions gives the same sum, so it must be equal on a GPU too."""
    everywhere = torch.ones((), dtype=torch.bool, device=x.device)
    return (x * mask).sum(-1), x.masked_fill(mask, float("-inf")).amax(-1), torch.where(mask, x * 2, x), x.masked_fill(everywhere, 2)


@case("https://github.com/Lightning-AI/lightning-thunder/issues/1744", lambda: (randn(8, 11), torch.tensor([1, -100, 3, 10, -100, 0, 7, 2])))
def ignored_labels(x, labels):
    """No position is looked up where the label says none."""
    kept = labels != -100
    picked = x.log_softmax(-1).gather(1, labels.clamp(min=0)[:, None])[:, 0]
    return -(picked * kept).sum() / kept.sum()


@case(PYTORCH + "198131", lambda: (torch.zeros(4, 5), randn(4, 5)))
def copied_before_it_changed(target, source):
    """The copy has the values from before the addition."""
    target[:] = source
    source.add_(1)
    return target * 2, source


@case(PYTORCH + "183986", lambda: (randn(1, 6), torch.tensor([0, 2, 2]), randn(3, 6)))
def writes_to_repeated_rows(x, rows, values):
    wide = x.expand(4, 6)
    return torch.index_add(wide, 0, rows, values), wide.index_fill(0, rows, 3.0), torch.index_copy(wide, 0, rows[:2], values[:2])


@case("https://github.com/openxla/xla/pull/26950", lambda: (randn(300),))
def many_results(x):
    """More tensors than a kernel has parameters for."""
    return tuple(part * i for i, part in enumerate(x.split(3)))


@case("https://github.com/triton-lang/triton/issues/580", lambda: (randn(2, 70000),))
def wide_transposition(x):
    return (x * 2).t().contiguous(), x.t() + 1


@case("https://github.com/pytorch/pytorch/pull/92063", lambda: (randn(2, 3, 4, 4).contiguous(memory_format=LAST),))
def storage_behind_a_copy(x):
    dense = (x + 1).contiguous()
    return torch.as_strided(dense, (2, 8), (48, 2), 1), x.contiguous().view(2, -1)


@case(PYTORCH + "180221", lambda: (randn(3, 200), randn(200)))
def prefix_sums_of_a_sum(x, bias):
    y = (x + bias).round()
    return y.cumsum(-1), y.cumsum(0) + y.sum(-1, keepdim=True), (y > 0).cumsum(-1)


@case("SwiftFormer", lambda: (randn(2, 49, 33), randn(2, 49, 33)), rtol=1e-4, atol=1e-4)
def sums_beside_another(x, y):
    """The result has the shape of what is summed, and shares nothing else with it."""
    return x.square().sum(1, keepdim=True) * y.tanh()

"""Attention masks that are dropped, made causal, or must stay as they are."""

import torch
from torch.nn import functional as F

from kfuse_testing.regressions import collector, randn

CASES = []
case = collector(CASES)
HEADS = lambda: (randn(2, 2, 6, 8),)


def attend(q, mask):
    return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)


def places(like, count=6):
    return torch.arange(count, device=like.device)


@case("masks", HEADS, rtol=1e-4, atol=1e-5)
def from_positions(q):
    """Causal, shifted, strict, everything, a window."""
    i, j = places(q)[:, None], places(q)[None, :]
    shifted, strict = j <= i + 1, j < i
    window = (j <= i) & (j > i - 3)
    return attend(q, j <= i), attend(q, shifted), attend(q, i >= 0 * j), attend(q, window), attend(q, strict)[:, :, 1:]


@case("masks", HEADS, rtol=1e-4, atol=1e-5)
def packed_sequences(q):
    """As transformers finds the starts of sequences in positions."""
    position = places(q)[None]
    start = torch.cumsum(torch.diff(position, prepend=position[:, :1] - 1, dim=-1) != 1, -1)
    same = start[0][:, None] == start[0][None]
    return attend(q, same & (places(q)[None] <= places(q)[:, None]))


@case("masks", HEADS, rtol=1e-4, atol=1e-5)
def written_through_a_diagonal(q):
    mask = torch.ones(6, 6, dtype=torch.bool, device=q.device)
    mask.diagonal().fill_(False)
    return attend(q, mask)


@case("masks", HEADS, rtol=1e-4, atol=1e-5)
def written_between_calls(q):
    mask = q[0, 0, :, :6] > -1
    before = attend(q, mask)
    mask.diagonal().fill_(True)
    return before, attend(q, mask)


@case("masks", HEADS, rtol=1e-4, atol=1e-5)
def positions_written_in_place(q):
    place = places(q)
    torch.as_strided(place, (3,), (2,)).add_(5)
    return attend(q, place[:, None] >= places(q)[None])


@case("masks", HEADS, rtol=1e-4, atol=1e-5)
def booleans_among_positions(q):
    one = torch.ones(1, 1, dtype=torch.bool, device=q.device)
    starts = torch.cumsum(torch.diff(places(q), prepend=torch.zeros(1, dtype=torch.bool, device=q.device)), 0)
    return (
        attend(q, (places(q)[:, None] + one) >= places(q)[None]),
        attend(q, starts[:, None] - 1 >= places(q)[None]),
        attend(q, places(q)[:, None] >= torch.ones(6, 6, dtype=torch.bool, device=q.device)),
    )


@case("masks", lambda: (randn(2, 2, 6, 8), randn(2, 2, 9, 8)), rtol=1e-4, atol=1e-5)
def more_keys_than_queries(q, k):
    """The first query sees the first key, or the last query the last one."""
    i, j = places(q, 6)[:, None], places(q, 9)[None]
    top, bottom = j <= i, j <= i + 3
    return (
        F.scaled_dot_product_attention(q, k, k, attn_mask=top),
        F.scaled_dot_product_attention(q, k, k, attn_mask=bottom),
    )


@case("products", lambda: (randn(2, 3, 8), randn(5, 8), randn(5)), rtol=1e-4, atol=1e-5)
def bias_of_a_product(x, weight, bias):
    y = F.linear(x, weight, bias)
    return y.relu(), F.linear(x[0], weight, bias).tanh(), F.linear(x[0, 0], weight, bias) * 2, F.linear(x, weight)


@case(
    "products",
    lambda: (randn(2, 4, 9), randn(6, 2, 3), randn(12)[::2], randn(4, 9, 9), randn(4, 4, 3, 3)),
    rtol=1e-4,
    atol=1e-5,
)
def bias_of_a_convolution(x, weight, bias, image, filters):
    """Grouped, strided biases, without a batch, with padding by name."""
    y = F.conv1d(x, weight, bias, padding="same", groups=2)
    return y.relu(), F.conv2d(image, filters, bias[:4], padding=1).sigmoid(), F.conv1d(x[0], weight, bias, groups=2).relu()

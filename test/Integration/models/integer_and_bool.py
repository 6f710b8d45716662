"""Integer division modes, shifts and bit operations, wrapping sums, logical ops."""
import torch


class Model(torch.nn.Module):
    def forward(self, a, b, m):
        q = torch.div(a, b, rounding_mode="floor")
        t = torch.div(a, b, rounding_mode="trunc")
        narrow = (a.to(torch.int8) + 100) ^ b.to(torch.int8)
        return q, t, a % b, narrow, (a >> 2) | (b << 1), m & (a > b), ~m, a * 3 + m


def inputs(device="cpu"):
    g = torch.Generator().manual_seed(2)
    a = torch.randint(-50, 50, (5, 33), generator=g).to(device)
    b = torch.randint(1, 9, (33,), generator=g).to(device) * torch.tensor([1, -1, 1], device=device).repeat(11)
    return a, b, (a % 2 == 0)

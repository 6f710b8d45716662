"""Writes through views into inputs and buffers, and reads after the writes."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(6, 8))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x, row):
        before = x * 2
        x[1:3].add_(1.0)
        x[:, 0].copy_(row)
        self.cache[2:4].copy_(x[:2])
        self.cache.mul_(0.5)
        self.steps.add_(1)
        return before - x, self.cache.sum(0), self.steps + 0


def inputs(device="cpu"):
    torch.manual_seed(10)
    return torch.randn(5, 8, device=device), torch.randn(5, device=device)

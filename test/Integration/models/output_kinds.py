"""Outputs that are inputs, weights, constants, the same value twice, and symbols."""
import torch
from torch.export import Dim


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((3,), 0.5))

    def forward(self, x):
        y = x * self.scale
        return {"y": y, "again": y, "x": x, "scale": self.scale, "rows": x.shape[0]}


def inputs(device="cpu"):
    torch.manual_seed(22)
    return (torch.randn(4, 3, device=device),)


def more(device="cpu"):
    return [(torch.randn(9, 3, device=device),)]


DYNAMIC = {"x": {0: Dim("rows", min=2, max=100)}}

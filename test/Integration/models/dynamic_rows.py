"""Dynamic batch and length, sizes used in arithmetic, output sizes derived."""
import torch
from torch.export import Dim


class Model(torch.nn.Module):
    def forward(self, x, y):
        n = x.shape[0] * x.shape[1]
        flat = (x + y).reshape(n, x.shape[2])
        position = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)
        return flat.softmax(-1), flat.sum(0) / n, x.mean(-1) + position, x[:, 1:] - x[:, :-1]


def args_for(batch, length, device="cpu"):
    torch.manual_seed(batch * 100 + length)
    return torch.randn(batch, length, 6, device=device), torch.randn(length, 6, device=device)


def inputs(device="cpu"):
    return args_for(3, 9, device)


def more(device="cpu"):
    return [args_for(1, 3, device), args_for(5, 31, device), args_for(2, 64, device)]


def dynamic():
    batch, length = Dim("batch", min=1, max=64), Dim("length", min=3, max=512)
    return {"x": {0: batch, 1: length}, "y": {0: length}}


DYNAMIC = dynamic

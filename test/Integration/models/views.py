"""View ops of every kind, with results that alias inputs and each other."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        a = x.view(4, 3, 10).transpose(0, 2)
        b = a.permute(1, 0, 2).unsqueeze(1).expand(3, 2, 10, 4)
        left, right = x.chunk(2, dim=1)
        first, *_ = x.split([5, 10, 15], dim=1)
        pad = torch.nn.functional.pad(first, (1, 2), value=-1.0)
        joined = torch.cat((-right, left), dim=1)
        return a, b + 1, joined, pad, x[:, 3:-2:2], x[1], x.flatten()[7:], a.reshape(-1)


def inputs(device="cpu"):
    torch.manual_seed(9)
    return (torch.randn(4, 30, device=device),)

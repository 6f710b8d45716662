"""Pointwise chain in f32 with scalars on either side, clamps and a comparison."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        z = (2.5 - x) * y / (y.abs() + 1) + x.clamp(-0.5, 1.5)
        return torch.where(z > 0, z.sqrt(), z.exp()), z.clamp_min(0.25), torch.relu(x) ** 2


def inputs(device="cpu"):
    torch.manual_seed(0)
    return torch.randn(7, 65, device=device), torch.randn(65, device=device)

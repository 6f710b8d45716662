"""Residual add and RMSNorm in bf16, both results kept, as decoder layers do."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.weight = torch.nn.Parameter(torch.randn(96).to(torch.bfloat16))

    def forward(self, x, residual):
        total = x + residual
        wide = total.to(torch.float32)
        normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)
        return normed.to(torch.bfloat16) * self.weight, total


def inputs(device="cpu"):
    torch.manual_seed(8)
    make = lambda: torch.randn(2, 13, 96, device=device).to(torch.bfloat16)
    return make(), make()

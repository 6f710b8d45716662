"""LayerNorm, RMSNorm spelled out and as one op, GroupNorm and BatchNorm in eval."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.layer = nn.LayerNorm(24)
        self.group = nn.GroupNorm(4, 8)
        self.batch = nn.BatchNorm2d(8)
        self.batch.running_mean.uniform_(-1, 1)
        self.batch.running_var.uniform_(0.5, 2)
        self.weight = nn.Parameter(torch.randn(24))

    def forward(self, x, image):
        wide = x.float()
        spelled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        fused = torch.nn.functional.rms_norm(x, (24,), self.weight, 1e-6)
        return (
            self.layer(x),
            self.weight * spelled.to(x.dtype),
            fused,
            self.group(image),
            self.batch(image),
        )


def inputs(device="cpu"):
    torch.manual_seed(6)
    return torch.randn(4, 11, 24, device=device), torch.randn(2, 8, 5, 7, device=device)

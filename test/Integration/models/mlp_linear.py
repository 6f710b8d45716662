"""Two linear layers around gelu with a residual: library matmuls beside fusions."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(13)
        self.up = nn.Linear(32, 80)
        self.down = nn.Linear(80, 32, bias=False)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(self.down(torch.nn.functional.gelu(self.up(x))))


def inputs(device="cpu"):
    torch.manual_seed(14)
    return (torch.randn(3, 5, 32, device=device),)

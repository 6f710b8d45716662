"""A no_grad block and a disabled autocast block: sub-graphs of higher-order ops."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x.sin() + 1
        with torch.autocast(device_type="cpu", enabled=False):
            z = y.float() @ x.t().float()
        return z * 2, y


def inputs(device="cpu"):
    torch.manual_seed(20)
    return (torch.randn(4, 6, device=device),)

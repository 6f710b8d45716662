"""Multi-head attention through scaled_dot_product_attention with a causal mask."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(15)
        self.qkv = torch.nn.Linear(32, 96)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(b, s, 32)


def inputs(device="cpu"):
    torch.manual_seed(16)
    return (torch.randn(2, 10, 32, device=device),)

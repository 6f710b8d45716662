"""Masked attention scores: scale, additive mask, softmax, rows fully masked."""
import torch


class Model(torch.nn.Module):
    def forward(self, scores, keep):
        bias = torch.zeros_like(scores).masked_fill(~keep, float("-inf"))
        weights = torch.softmax(scores * 0.125 + bias, dim=-1)
        return weights, torch.log_softmax(scores, dim=-1), torch.nan_to_num(weights)


def inputs(device="cpu"):
    torch.manual_seed(4)
    keep = torch.rand(2, 1, 5, 19) > 0.3
    keep[0, 0, 2] = False
    return torch.randn(2, 3, 5, 19, device=device), keep.to(device)

"""The common activations in bf16, exact and approximate gelu, gated pair."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, gate, up):
        return (
            F.silu(gate) * up,
            F.gelu(gate + up, approximate="tanh"),
            F.gelu(gate),
            F.hardswish(up),
            F.softplus(up),
            F.leaky_relu(up, 0.02),
        )


def inputs(device="cpu"):
    torch.manual_seed(1)
    make = lambda: torch.randn(9, 130, device=device).to(torch.bfloat16) * 3
    return make(), make()

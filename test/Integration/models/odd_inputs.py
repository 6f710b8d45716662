"""Empty, 0-dim, transposed, strided and broadcast (stride 0) inputs, special values."""
import torch


class Model(torch.nn.Module):
    def forward(self, empty, scalar, transposed, strided, broadcast, special):
        return (
            empty.sum(0) + scalar,
            empty * 2,
            transposed + strided,
            broadcast * 3 - strided,
            torch.maximum(special, special.flip(0)),
            special.sign() + scalar,
            special.isnan() | special.isinf(),
        )


def inputs(device="cpu"):
    torch.manual_seed(19)
    inf, nan = float("inf"), float("nan")
    return (
        torch.zeros(0, 4, device=device),
        torch.tensor(1.5, device=device),
        torch.randn(6, 4, device=device).t(),
        torch.randn(4, 18, device=device)[:, ::3],
        torch.randn(4, 1, device=device).expand(4, 6),
        torch.tensor([0.0, -0.0, inf, -inf, nan, 1e-40, 3e38], device=device),
    )

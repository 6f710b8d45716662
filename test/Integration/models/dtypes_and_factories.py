"""Casts among all common dtypes and factory ops whose device was written at export."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        grid = torch.arange(0, 10, 2, device=x.device).to(x.dtype)
        base = torch.full((5,), 0.1, dtype=torch.float64, device=x.device)
        eye = torch.eye(5, dtype=torch.float16, device=x.device)
        half = x.half() + eye[0]
        return (
            x.to(torch.bfloat16) + grid,
            base * x,
            half,
            (x * 50).to(torch.uint8),
            (x * 50).to(torch.int16) + 1,
            x.bool(),
            torch.zeros(2, 3, device=x.device),
            torch.tensor([1, 2, 3], device=x.device) + 0,
            x.new_ones(3, dtype=torch.int32),
            torch.complex(x, x).abs(),
        )


def inputs(device="cpu"):
    torch.manual_seed(21)
    return (torch.rand(5, device=device),)

"""Row, column and full reductions, several of one input, with keepdim and dtype."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        values, indices = x.max(dim=1)
        return (
            x.sum(-1),
            x.mean(0),
            x.amax((0, 2)),
            x.sum(dtype=torch.float64),
            var,
            mean,
            values,
            indices,
            x.argmin(),
            (x > 0).any(-1),
            x.to(torch.int32).prod(1),
        )


def inputs(device="cpu"):
    torch.manual_seed(3)
    return (torch.randn(3, 17, 40, device=device),)

"""Programs that the compiler once could not finish, or gave up on."""

import torch
from torch.nn import functional as F

from kfuse_testing.regressions import collector, randn

CASES = []
case = collector(CASES)


@case("HRNet, CrossViT", lambda: (randn(64, 32), randn(64, 32), randn(32, 32)), rtol=1e-4, atol=1e-4)
def pairs_that_wait_for_each_other(x, y, w):
    """Two fusions, each without a cycle, that need one another once both are made."""
    first, second = -x, -y
    through, across = first @ w, second @ w
    return x + across, y + through


@case("RoFormer", lambda: (randn(2, 4, 6), randn(2, 24)), rtol=1e-4, atol=1e-4)
def sizes_of_another_tensor(x, like):
    flat = x.reshape_as(like)
    return (flat * 2).relu(), x.view_as(like) + like, x[:, :1].expand_as(x).tanh()


@case("Llama 4", lambda: (randn(2, 3, 8), randn(3, 4)), rtol=1e-4, atol=1e-4)
def complex_rotation(x, angles):
    """No kernel computes with complex numbers; what is around them is compiled."""
    rotation = torch.polar(torch.ones_like(angles), angles)
    turned = torch.view_as_complex(x.reshape(2, 3, 4, 2)) * rotation
    return torch.view_as_real(turned).flatten(2) + 1


@case("DeBERTa, Nystromformer", lambda: (randn(4, 6), randn(6)))
def one_write_that_is_not_understood(x, y):
    """Only what it writes to stays in place."""
    table = torch.zeros_like(x)
    table.fill_diagonal_(2.0)
    z = x * 2
    z.add_(y).relu_()
    z[:, 1:].mul_(3.0)
    return table + x, z, z.detach_().sigmoid()


@case("GoogLeNet", lambda: (randn(1, 8, 14, 14), randn(1, 8, 14, 14)))
def pools_of_pools(x, y):
    """Windows of windows would repeat what is below them too often."""
    joined = torch.cat([x.relu(), y.relu(), (x + y).tanh()], 1)
    once = F.max_pool2d(joined, 3, 2, ceil_mode=True)
    return F.avg_pool2d(F.max_pool2d(once, 3, 1, 1), 3, 1, 1), once


@case("U-Net", lambda: (randn(1, 4, 5, 6), randn(1, 2, 10, 12)))
def up_and_beside(x, skip):
    near = F.interpolate(x, scale_factor=2.0, mode="nearest")
    smooth = F.interpolate(x, size=(10, 12), mode="bilinear", align_corners=False)
    return torch.cat([near, skip], 1).relu(), smooth * 2, F.pixel_shuffle(x, 2) + skip[:, :1], F.pixel_unshuffle(near, 2)


@case("Swin", lambda: (randn(2, 8, 8, 6),))
def shifted_windows(x):
    moved = torch.roll(x, (-2, -2), (1, 2)).view(2, 2, 4, 2, 4, 6)
    windows = moved.permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, 6)
    back = windows.softmax(1).view(2, 2, 2, 4, 4, 6).permute(0, 1, 3, 2, 4, 5).reshape(2, 8, 8, 6)
    return torch.roll(back, (2, 2), (1, 2)) + x


@case("T5", lambda: (randn(1, 2, 6, 6), randn(32, 2)))
def relative_buckets(scores, table):
    """Distances in buckets, linear when near and logarithmic when far."""
    place = torch.arange(6)
    distance = place[None, :] - place[:, None]
    far = distance.abs()
    large = 8 + (torch.log(far.float().clamp(min=1) / 8) / 2.77 * 8).long()
    bucket = (distance > 0).long() * 16 + torch.where(far < 8, far, large.clamp(max=15))
    return (scores + table[bucket].permute(2, 0, 1)).softmax(-1)


@case("https://github.com/pytorch/TensorRT/issues/3699", lambda: (randn(2, 3, 9, 9), randn(4, 3, 3, 3), randn(4)), mean=lambda: torch.randn(4), var=lambda: torch.rand(4) + 0.5, rtol=1e-4, atol=1e-4)
def normalized_convolution(self, x, weight, bias):
    y = F.batch_norm(F.conv2d(x, weight, bias), self.mean, self.var)
    standard = F.batch_norm(weight.reshape(1, 4, -1), None, None, training=True).reshape_as(weight)
    return y.relu(), F.conv2d(x, standard)


@case("https://github.com/NVIDIA/Fuser/issues/1742", lambda: (randn(2, 3, 5, 8, dtype=torch.bfloat16), randn(5, 4)), rtol=2e-2, atol=2e-2)
def rotary_halves(x, angles):
    cos, sin = angles.repeat(1, 2).cos().to(x.dtype), angles.repeat(1, 2).sin().to(x.dtype)
    turned = torch.cat([-x[..., 4:], x[..., :4]], -1)
    return x * cos + turned * sin


@case("state", lambda: (randn(3),), count=lambda: torch.zeros(3))
def state_that_grows(self, x):
    self.count.add_(x)
    return self.count * 2, x - self.count.mean()

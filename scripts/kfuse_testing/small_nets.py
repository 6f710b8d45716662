"""Networks that no package brings in the form wanted here."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class TimestepEmbedding(nn.Module):
    """Sines and cosines of a time, and an MLP over them."""

    def __init__(self, channels, hidden):
        super().__init__()
        self.channels = channels
        self.mlp = nn.Sequential(nn.Linear(channels, hidden), nn.SiLU(), nn.Linear(hidden, hidden))

    def forward(self, timesteps):
        half = self.channels // 2
        steps = torch.arange(half, dtype=torch.float32, device=timesteps.device)
        frequencies = torch.exp(steps * (-math.log(10000.0) / half))
        angles = timesteps.float()[:, None] * frequencies[None, :]
        waves = torch.cat([angles.cos(), angles.sin()], dim=-1)
        return self.mlp(waves.to(self.mlp[0].weight.dtype))


class ResidualBlock(nn.Module):
    """GroupNorm, SiLU and convolution twice, shifted and scaled by the time."""

    def __init__(self, inputs, outputs, hidden):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(8, inputs), nn.GroupNorm(8, outputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.time = nn.Linear(hidden, 2 * outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time(F.silu(time))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        return (self.skip(x) + self.conv2(F.silu(h))) / math.sqrt(2.0)


class SpatialAttention(nn.Module):
    """Attention between the pixels of an image."""

    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, channels, eps=1e-6)
        self.qkv, self.out = nn.Conv1d(channels, 3 * channels, 1), nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        n, c, h, w = x.shape
        pixels = self.norm(x).reshape(n, c, h * w)
        q, k, v = self.qkv(pixels).reshape(n, 3, self.heads, c // self.heads, h * w).unbind(1)
        scores = torch.einsum("nhcq,nhck->nhqk", q, k) * (c // self.heads) ** -0.5
        mixed = torch.einsum("nhqk,nhck->nhcq", scores.float().softmax(-1).to(v.dtype), v)
        return x + self.out(mixed.reshape(n, c, h * w)).reshape(n, c, h, w)


class UNet(nn.Module):
    """A denoising U-Net: pooling and nearest upsampling, skips by concatenation,
    attention at the bottom."""

    def __init__(self, widths, heads=4, channels=4):
        super().__init__()
        hidden = 4 * widths[0]
        self.time = TimestepEmbedding(widths[0], hidden)
        self.stem = nn.Conv2d(channels, widths[0], 3, padding=1)
        pairs = list(zip(widths, widths[1:]))
        self.down = nn.ModuleList(ResidualBlock(a, b, hidden) for a, b in pairs)
        self.middle = ResidualBlock(widths[-1], widths[-1], hidden)
        self.attention = SpatialAttention(widths[-1], heads)
        self.up = nn.ModuleList(ResidualBlock(2 * b, a, hidden) for a, b in reversed(pairs))
        self.norm = nn.GroupNorm(8, widths[0])
        self.head = nn.Conv2d(widths[0], channels, 3, padding=1)

    def forward(self, x, timesteps):
        time = self.time(timesteps)
        h, skips = self.stem(x), []
        for block in self.down:
            h = block(h, time)
            skips.append(h)
            h = F.avg_pool2d(h, 2)
        h = self.attention(self.middle(h, time))
        for block in self.up:
            h = F.interpolate(h, scale_factor=2.0, mode="nearest")
            h = block(torch.cat([h, skips.pop()], dim=1), time)
        return self.head(F.silu(self.norm(h)))

"""A U-Net: what goes down is concatenated on the way up; the time step is embedded."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def timestep_embedding(steps: Tensor, size: int) -> Tensor:
    half = size // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32) / half)
    args = steps[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


class Double(nn.Module):
    def __init__(self, inside: int, outside: int, time: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, padding=1)
        self.norm1 = nn.GroupNorm(4, outside)
        self.time = nn.Linear(time, outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, padding=1)
        self.norm2 = nn.GroupNorm(4, outside)
        self.skip = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def forward(self, x: Tensor, emb: Tensor) -> Tensor:
        h = F.silu(self.norm1(self.conv1(x)))
        h = h + self.time(F.silu(emb))[:, :, None, None]
        h = self.conv2(h)
        h = F.silu(self.norm2(h))
        return h + self.skip(x)


class Up(nn.Module):
    def __init__(self, inside: int, outside: int, time: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(inside, outside, 2, stride=2)
        self.block = Double(2 * outside, outside, time)

    def forward(self, x: Tensor, skip: Tensor, emb: Tensor) -> Tensor:
        x = self.up(x)
        dy = skip.size(2) - x.size(2)
        dx = skip.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        x = torch.cat([skip, x], dim=1)
        return self.block(x, emb)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.time_mlp = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
        self.enter = Double(4, 8, 32)
        self.down1 = Double(8, 16, 32)
        self.down2 = Double(16, 32, 32)
        self.up1 = Up(32, 16, 32)
        self.up2 = Up(16, 8, 32)
        self.leave = nn.Conv2d(8, 4, 1)

    def forward(self, sample: Tensor, steps: Tensor) -> Tensor:
        emb = timestep_embedding(steps, 16)
        emb = self.time_mlp(emb)
        x1 = self.enter(sample, emb)
        x2 = self.down1(F.max_pool2d(x1, 2), emb)
        x3 = self.down2(F.avg_pool2d(x2, 2), emb)
        x = self.up1(x3, x2, emb)
        x = self.up2(x, x1, emb)
        x = self.leave(x)
        small = F.interpolate(x, scale_factor=0.5, mode="nearest")
        back = F.interpolate(small, size=x.shape[-2:], mode="bilinear", align_corners=False)
        return x - back


def net() -> nn.Module:
    return UNet()


def inputs(batch: int, height: int) -> tuple[Tensor, ...]:
    return torch.randn(batch, 4, height, 24), torch.randint(0, 100, (batch,))


SIZES = ({"batch": 2, "height": 16}, {"batch": 3, "height": 20})
DYNAMIC = ({0: "batch", 2: "height"}, {0: "batch"})

"""Mixing by Fourier transforms: values are complex in between."""

import torch
from torch import Tensor, nn


class Spectral(nn.Module):
    def __init__(self, width: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.randn(modes, width, 2))

    def forward(self, x: Tensor) -> Tensor:
        spectrum = torch.fft.rfft(x, dim=1)
        weight = torch.view_as_complex(self.weight)
        low = spectrum[:, : self.modes] * weight
        parts = torch.view_as_real(low)
        power = low.abs()
        return parts.sum(-1) + power


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(3, 8)
        self.mix = Spectral(8, 4)
        self.leave = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.enter(x))
        h = self.mix(h)
        return self.leave(h)


def net() -> nn.Module:
    return Net()


def inputs(batch: int) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 16, 3),)


SIZES = ({"batch": 2}, {"batch": 3})
DYNAMIC = ({0: "batch"},)

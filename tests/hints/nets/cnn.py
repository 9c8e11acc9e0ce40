"""A small classifier of images: convolutions, normalization, pooling, dropout."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ConvBlock(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outside)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        x = self.norm(x)
        return self.act(x)


class Squeeze(nn.Module):
    """Weights for channels, from their means."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.down = nn.Linear(channels, channels // 4)
        self.up = nn.Linear(channels // 4, channels)

    def forward(self, x: Tensor) -> Tensor:
        b, c, _, _ = x.shape
        y = F.adaptive_avg_pool2d(x, 1).view(b, c)
        y = F.relu(self.down(y))
        y = torch.sigmoid(self.up(y)).view(b, c, 1, 1)
        return x * y


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvBlock(3, 8)
        self.body = nn.Sequential(ConvBlock(8, 16, 2), Squeeze(16), ConvBlock(16, 16))
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.1)
        self.fc1 = nn.Linear(16, 32)
        self.fc2 = nn.Linear(32, 10)
        self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1))

    def normalize(self, image: Tensor) -> Tensor:
        image = image.float() / 255.0
        return image - self.mean

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        x = self.normalize(image)
        x = self.stem(x)
        x = self.pool(self.body(x))
        x = F.adaptive_avg_pool2d(x, (1, 1))
        x = torch.flatten(x, 1)
        x = self.drop(x)
        x = F.gelu(self.fc1(x))
        x = F.dropout(x, 0.5, training=self.training)
        logits = self.fc2(x)
        probabilities = logits.softmax(dim=-1)
        return logits, probabilities


def net() -> nn.Module:
    return Cnn()


def inputs(batch: int, side: int) -> tuple[Tensor, ...]:
    return (torch.randint(0, 255, (batch, 3, side, side), dtype=torch.uint8),)


SIZES = ({"batch": 2, "side": 32}, {"batch": 3, "side": 40})
DYNAMIC = ({0: "batch", 2: "side", 3: "side"},)

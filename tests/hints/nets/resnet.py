"""Residual blocks in stages, as torchvision writes them."""

import torch
from torch import Tensor, nn


def conv3x3(inside: int, outside: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inside: int, outside: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        super().__init__()
        self.conv1 = conv3x3(inside, outside, stride)
        self.bn1 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(outside, outside)
        self.bn2 = nn.BatchNorm2d(outside)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        identity = x

        out = self.conv1(x)
        out = self.bn1(out)
        out = self.relu(out)

        out = self.conv2(out)
        out = self.bn2(out)

        if self.downsample is not None:
            identity = self.downsample(x)

        out += identity
        out = self.relu(out)

        return out


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inside: int, width: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = conv3x3(width, width, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, width * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(width * 4)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        return self.relu(out + identity)


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside = 8
        self.conv1 = nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = self._stage(BasicBlock, 8, 2)
        self.layer2 = self._stage(BasicBlock, 16, 2, stride=2)
        self.layer3 = self._stage(Bottleneck, 8, 2, stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(32, 10)

    def _stage(self, block: type, width: int, count: int, stride: int = 1) -> nn.Sequential:
        outside = width * block.expansion
        down = None
        if stride != 1 or self.inside != outside:
            down = nn.Sequential(nn.Conv2d(self.inside, outside, 1, stride=stride, bias=False), nn.BatchNorm2d(outside))
        blocks = [block(self.inside, width, stride, down)]
        self.inside = outside
        blocks += [block(self.inside, width) for _ in range(count - 1)]
        return nn.Sequential(*blocks)

    def features(self, x: Tensor) -> list[Tensor]:
        found = []
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.maxpool(x)
        for stage in (self.layer1, self.layer2, self.layer3):
            x = stage(x)
            found.append(x)
        return found

    def forward(self, x: Tensor) -> Tensor:
        levels = self.features(x)
        x = levels[-1]
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        x = self.fc(x)
        return x


def net() -> nn.Module:
    return ResNet()


def inputs(batch: int, height: int, width: int) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 3, height, width),)


SIZES = ({"batch": 2, "height": 64, "width": 96}, {"batch": 3, "height": 80, "width": 64})
DYNAMIC = ({0: "batch", 2: "height", 3: "width"},)

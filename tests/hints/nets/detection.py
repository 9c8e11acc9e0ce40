"""A detection head over levels of features: anchors, decoded boxes, clipped and filtered."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Conv(nn.Module):
    def __init__(self, inside: int, outside: int, k: int = 1, s: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, k, s, k // 2, bias=False)
        self.bn = nn.BatchNorm2d(outside)
        self.act = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.bn(self.conv(x)))


class C2f(nn.Module):
    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.cv1 = Conv(width, width)
        self.cv2 = Conv((2 + count) * width // 2, width)
        self.m = nn.ModuleList([Conv(width // 2, width // 2, 3) for _ in range(count)])

    def forward(self, x: Tensor) -> Tensor:
        y = list(self.cv1(x).chunk(2, 1))
        y.extend(m(y[-1]) for m in self.m)
        return self.cv2(torch.cat(y, 1))


class Head(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.classes, self.bins = classes, 4
        self.box = nn.Conv2d(width, 4 * self.bins, 1)
        self.cls = nn.Conv2d(width, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat((self.box(x), self.cls(x)), 1)


def make_anchors(features: list[Tensor], strides: list[int]) -> tuple[Tensor, Tensor]:
    points, scales = [], []
    for feature, stride in zip(features, strides):
        _, _, h, w = feature.shape
        sx = torch.arange(w, dtype=torch.float32) + 0.5
        sy = torch.arange(h, dtype=torch.float32) + 0.5
        gy, gx = torch.meshgrid(sy, sx, indexing="ij")
        grid = torch.stack((gx, gy), -1).view(-1, 2)
        points.append(grid)
        scale = torch.full((h * w, 1), float(stride))
        scales.append(scale)
    return torch.cat(points), torch.cat(scales)


def decode(distances: Tensor, anchors: Tensor) -> Tensor:
    lt, rb = distances.chunk(2, dim=1)
    x1y1 = anchors - lt
    x2y2 = anchors + rb
    center = (x1y1 + x2y2) / 2
    size = x2y2 - x1y1
    return torch.cat((center, size), 1)


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.strides = [2, 4]
        self.stem = Conv(3, 16, 3, 2)
        self.stage1 = C2f(16, 2)
        self.down = Conv(16, 16, 3, 2)
        self.stage2 = C2f(16, 1)
        self.heads = nn.ModuleList([Head(16, 3), Head(16, 3)])

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.stem(image)
        p1 = self.stage1(x)
        p2 = self.stage2(self.down(p1))
        p1 = p1 + F.interpolate(p2, size=p1.shape[-2:])
        features = [p1, p2]
        outputs = [head(f) for head, f in zip(self.heads, features)]
        batch = image.shape[0]
        flat = torch.cat([o.view(batch, 19, -1) for o in outputs], 2)
        box, cls = flat.split((16, 3), 1)
        anchors, strides = make_anchors(features, self.strides)
        anchors, strides = anchors.transpose(0, 1), strides.transpose(0, 1)
        b, _, n = box.shape
        bins = box.view(b, 4, 4, n).transpose(2, 1).softmax(1)
        project = torch.arange(4, dtype=torch.float32).view(1, 4, 1, 1)
        distances = (bins * project).sum(1)
        boxes = decode(distances, anchors.unsqueeze(0)) * strides
        scores = cls.sigmoid()
        best, labels = scores.max(1)
        keep = best > 0.25
        best = torch.where(keep, best, torch.zeros_like(best))
        top, index = best.topk(4, dim=1)
        boxes = boxes.gather(2, index.unsqueeze(1).expand(-1, 4, -1))
        labels = labels.gather(1, index)
        return boxes, top, labels


def net() -> nn.Module:
    return Detector()


def inputs(batch: int, height: int) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 3, height, 16),)


SIZES = ({"batch": 2, "height": 16}, {"batch": 3, "height": 24})
DYNAMIC = ({0: "batch", 2: "height"},)

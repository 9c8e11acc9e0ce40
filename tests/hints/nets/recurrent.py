"""A GRU and an LSTM, then attention over the steps."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Pool(nn.Module):
    """A mean of steps, weighted by what a network says of each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, steps: Tensor, mask: Tensor) -> Tensor:
        scores = self.score(steps).squeeze(-1)
        scores = scores.masked_fill(mask == 0, -1e4)
        weights = F.softmax(scores, dim=1)
        return torch.bmm(weights.unsqueeze(1), steps).squeeze(1)


class Cell(nn.Module):
    """A gated cell, written out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gates = nn.Linear(2 * width, 2 * width)
        self.candidate = nn.Linear(2 * width, width)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        both = torch.cat([x, h], dim=1)
        r, z = torch.sigmoid(self.gates(both)).chunk(2, dim=1)
        n = torch.tanh(self.candidate(torch.cat([x, r * h], dim=1)))
        return (1 - z) * n + z * h


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 12, padding_idx=0)
        self.gru = nn.GRU(12, 32, batch_first=True)
        self.lstm = nn.LSTM(32, 16, num_layers=1, batch_first=True)
        self.pool = Pool(16)
        self.cell = Cell(16)
        self.out = nn.Linear(32, 5)

    def forward(self, tokens: Tensor) -> Tensor:
        mask = (tokens != 0).long()
        x = self.embed(tokens)
        steps, last = self.gru(x)
        ends = last[0]
        h0 = torch.zeros(1, tokens.size(0), 16)
        c0 = torch.zeros_like(h0)
        steps, (h, c) = self.lstm(steps, (h0, c0))
        pooled = self.pool(steps, mask)
        h = h[-1]
        for _ in range(2):
            h = self.cell(pooled, h)
        c = c.squeeze(0)
        features = torch.cat([pooled + h, c], dim=1)
        features = features + ends
        return F.log_softmax(self.out(features), dim=-1)


def net() -> nn.Module:
    return Recurrent()


def inputs(batch: int) -> tuple[Tensor, ...]:
    return (torch.randint(1, 50, (batch, 8)),)


SIZES = ({"batch": 2}, {"batch": 3})
DYNAMIC = ({0: "batch"},)

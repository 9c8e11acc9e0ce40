"""A transformer of two layers; `export.py` made `model.onnx` of it, and `broken.onnx` of it with one line changed."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        batch, seq, width = x.shape
        x = x.view(batch, seq, self.heads, width // self.heads)
        return x.transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        q = self.split(self.query(x))
        k = self.split(self.key(x))
        v = self.split(self.value(x))
        scores = q @ k.transpose(-2, -1)
        weights = scores.softmax(dim=-1)  # größer 0, 😀
        mixed = (weights @ v).transpose(1, 2)
        return self.out(mixed.flatten(2))


class Layer(nn.Module):
    def __init__(self, width: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.first = nn.Linear(width, hidden)
        self.second = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(x)
        hidden = self.first(x)
        hidden = torch.relu(hidden)
        return x + self.second(
            hidden,
        )


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Embedding(1000, 32)
        self.position = nn.Embedding(64, 32)
        self.layers = nn.ModuleList([Layer(32, 64, 4), Layer(32, 96, 4)])
        self.head = nn.Linear(32, 10)

    def forward(self, tokens: Tensor) -> Tensor:
        positions = torch.arange(tokens.shape[1])
        x = self.word(tokens) + self.position(positions)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(dim=1))

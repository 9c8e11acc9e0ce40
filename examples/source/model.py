"""A small transformer; `export.py` made `model.onnx` of it."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """Self-attention of several heads."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, seq, width = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(batch, seq, self.heads, -1).transpose(1, 2)
        k = k.view(batch, seq, self.heads, -1).transpose(1, 2)
        v = v.view(batch, seq, self.heads, -1).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) / 2.0
        weights = torch.softmax(scores, dim=-1)
        mixed = (weights @ v).transpose(1, 2)
        return self.out(mixed.reshape(batch, seq, width))


class Block(nn.Module):
    """Attention, then a perceptron, each added to its input."""

    def __init__(self, width: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm(x))
        hidden = self.up(x)
        return x + self.down(
            torch.relu(hidden),
        )


class Net(nn.Module):
    """A classifier of sequences of tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.blocks = nn.ModuleList([Block(16, 64, 4), Block(16, 32, 4)])
        self.head = nn.Linear(16, 10)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        pooled = x.mean(dim=1)
        logits = self.head(pooled)
        best = logits.argmax(dim=-1)
        return logits, best

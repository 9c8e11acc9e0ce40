"""An encoder of tokens with a padding mask, one layer with fused attention, one without."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, fused: bool) -> None:
        super().__init__()
        self.heads, self.size, self.fused = heads, width // heads, fused
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)

    def split(self, x: Tensor) -> Tensor:
        shape = (*x.shape[:-1], self.heads, self.size)
        return x.view(shape).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        q = self.split(self.query(x))
        k = self.split(self.key(x))
        v = self.split(self.value(x))
        if self.fused:
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = torch.matmul(q, k.transpose(-1, -2))
            scores = scores / math.sqrt(self.size)
            scores = scores.masked_fill(~mask, float("-inf"))
            probs = F.softmax(scores, dim=-1)
            probs = self.dropout(probs)
            context = torch.matmul(probs, v)
        context = context.permute(0, 2, 1, 3).contiguous()
        context = context.view(*context.shape[:-2], self.heads * self.size)
        return self.out(context)


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, fused: bool) -> None:
        super().__init__()
        self.attention = Attention(width, heads, fused)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(0.1)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        residual = hidden
        hidden = self.attention(hidden, mask)
        hidden = self.dropout(hidden)
        hidden = self.norm1(residual + hidden)
        residual = hidden
        hidden = self.mlp(hidden)
        hidden = self.dropout(hidden)
        return self.norm2(residual + hidden)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(100, 16)
        self.positions = nn.Embedding(64, 16)
        self.layers = nn.ModuleList([Layer(16, 4, fused) for fused in (False, True)])
        self.pooler = nn.Linear(16, 16)
        self.classifier = nn.Linear(16, 3)

    def embed(self, ids: Tensor) -> Tensor:
        positions = torch.arange(ids.shape[1], device=ids.device)
        embedded = self.tokens(ids) + self.positions(positions)[None]
        return embedded * math.sqrt(16)

    def forward(self, ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        mask = attention_mask[:, None, None, :].bool()
        hidden = self.embed(ids)
        for layer in self.layers:
            hidden = layer(hidden, mask)
        first = hidden[:, 0]
        pooled = torch.tanh(self.pooler(first))
        weights = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
        mean = F.normalize(mean, dim=-1)
        return self.classifier(pooled), mean


def net() -> nn.Module:
    return Encoder()


def inputs(batch: int, seq: int) -> tuple[Tensor, ...]:
    return torch.randint(0, 100, (batch, seq)), torch.ones(batch, seq, dtype=torch.int64)


SIZES = ({"batch": 2, "seq": 8}, {"batch": 3, "seq": 11})
DYNAMIC = ({0: "batch", 1: "seq"}, {0: "batch", 1: "seq"})

"""Attention along the edges of a graph, by gather and scatter."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def scatter_sum(values: Tensor, index: Tensor, size: int) -> Tensor:
    out = torch.zeros(size, *values.shape[1:], dtype=values.dtype)
    return out.index_add(0, index, values)


def edge_softmax(scores: Tensor, target: Tensor, size: int) -> Tensor:
    expanded = target.unsqueeze(-1).expand_as(scores)
    highest = torch.full((size, scores.size(1)), float("-inf"))
    highest = highest.scatter_reduce(0, expanded, scores, reduce="amax")
    shifted = scores - highest.gather(0, expanded)
    exps = shifted.exp()
    total = scatter_sum(exps, target, size)
    return exps / (total[target] + 1e-16)


class GatLayer(nn.Module):
    def __init__(self, inside: int, outside: int, heads: int) -> None:
        super().__init__()
        self.heads, self.outside = heads, outside
        self.lin = nn.Linear(inside, heads * outside, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, outside))
        self.att_dst = nn.Parameter(torch.randn(1, heads, outside))
        self.bias = nn.Parameter(torch.zeros(heads * outside))

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        n = x.size(0)
        h = self.lin(x).view(-1, self.heads, self.outside)
        source, target = edges[0], edges[1]
        a_src = (h * self.att_src).sum(-1)
        a_dst = (h * self.att_dst).sum(-1)
        alpha = a_src.index_select(0, source) + a_dst.index_select(0, target)
        alpha = F.leaky_relu(alpha, 0.2)
        alpha = edge_softmax(alpha, target, n)
        messages = h[source] * alpha.unsqueeze(-1)
        out = scatter_sum(messages, target, n)
        out = out.reshape(n, self.heads * self.outside)
        return out + self.bias


class Gat(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = GatLayer(6, 8, 2)
        self.conv2 = GatLayer(16, 8, 1)
        self.readout = nn.Linear(16, 3)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        h = F.elu(self.conv1(x, edges))
        h2 = self.conv2(h, edges)
        h2 = F.elu(h2)
        mean = h2.mean(0, keepdim=True)
        highest = h2.max(dim=0, keepdim=True).values
        pooled = torch.cat([mean, highest], dim=1)
        return self.readout(pooled)


def net() -> nn.Module:
    return Gat()


def inputs(nodes: int, edges: int) -> tuple[Tensor, ...]:
    return torch.randn(nodes, 6), torch.randint(0, nodes, (2, edges))


SIZES = ({"nodes": 5, "edges": 12}, {"nodes": 7, "edges": 9})
DYNAMIC = ({0: "nodes"}, {1: "edges"})

"""A mixture of experts: a router, its two best experts per token, and a balancing loss."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Expert(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(width, 2 * width)
        self.w2 = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)))


class Experts(nn.Module):
    def __init__(self, width: int, count: int, best: int) -> None:
        super().__init__()
        self.count, self.best = count, best
        self.router = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList([Expert(width) for _ in range(count)])

    def route(self, flat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits = self.router(flat)
        probs = logits.softmax(dim=-1)
        weights, chosen = torch.topk(probs, self.best, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights, chosen, probs

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        batch, seq, width = x.shape
        flat = x.reshape(-1, width)
        weights, chosen, probs = self.route(flat)
        mask = F.one_hot(chosen, num_classes=self.count).to(flat.dtype)
        combine = torch.einsum("tk,tke->te", weights, mask)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            y = expert(flat)
            out = out + y * combine[:, i, None]
        density = mask.sum(dim=1).mean(dim=0)
        loss = (density * probs.mean(dim=0)).sum() * self.count
        return out.view(batch, seq, width), loss


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.moe = Experts(width, 4, 2)

    def forward(self, x: Tensor, loss: Tensor) -> tuple[Tensor, Tensor]:
        y, aux = self.moe(self.norm(x))
        x = x + y
        loss = loss + aux
        return x, loss


class Mixture(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(6, 16)
        self.blocks = nn.ModuleList([Block(16), Block(16)])
        self.leave = nn.Linear(16, 6)
        self.stacked = nn.Parameter(torch.randn(4, 16, 16))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.enter(x)
        loss = h.new_zeros(())
        for block in self.blocks:
            h, loss = block(h, loss)
        every = torch.einsum("bsd,edf->ebsf", h, self.stacked)
        h = h + every.mean(0)
        h = torch.where(h > 0, h, 0.1 * h)
        y = self.leave(h)
        return y, loss


def net() -> nn.Module:
    return Mixture()


def inputs(batch: int, seq: int) -> tuple[Tensor, ...]:
    return (torch.randn(batch, seq, 6),)


SIZES = ({"batch": 2, "seq": 8}, {"batch": 3, "seq": 5})
DYNAMIC = ({0: "batch", 1: "seq"},)

"""A program whose functions, methods, properties and shared modules hide what its statements compute."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Inner(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.l = nn.Linear(w, w)

    def forward(self, x):
        x = self.l(x)
        return x


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.i = Inner(8)
        self.j = Inner(8)

    def forward(self, x, y=None):
        a = self.i(x)
        if y is not None:
            a = a + y.mean()
            return a, y
        return a


class Stage(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Inner(8) for _ in range(n)])
        self.tail = nn.Conv1d(8, 8, 3, stride=2)

    def forward(self, x):
        for b in self.blocks[:-1]:
            x = x + b(x)
        x = self.blocks[-1](x)
        return self.tail(x.transpose(1, 2)).transpose(1, 2)


class Base(nn.Module):
    def forward(self, x):
        y = self.mix(x)
        return y

    def mix(self, x):
        z = x.sum(1)
        return z


class Derived(Base):
    def mix(self, x):
        z = x.mean(-1, keepdim=True)
        return z


def branch(x, how):
    if how == "a":
        y = x.transpose(1, 2)
    elif how == "b":
        y = x[..., None]
    else:
        y = x
    return y


def loop(x, times):
    for _ in range(times):
        x = x.unsqueeze(0)
    return x


def two(x):
    a, b = x.chunk(2, -1)
    return a * torch.sigmoid(b)


def pos(x, *, dim):
    return x.cumsum(dim)


def rec(x, n):
    if n == 0:
        return x
    y = x.unsqueeze(-1)
    return rec(y, n - 1)


def inplace(x):
    x += 1
    y = x
    y *= 2
    return y


def nested(x):
    def inner(z):
        w = z.flatten(1)
        return w

    v = inner(x)
    return v


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = Pair()
        self.stages = nn.ModuleList([Stage(3), Stage(2)])
        self.der = Derived()
        self.base = Base()
        self.f = partial(F.softmax, dim=1)
        self.emb = nn.Embedding(10, 8)
        self.conv = nn.Conv1d(8, 4, 3)
        self.bn = nn.BatchNorm1d(4)
        self.gates = nn.Parameter(torch.ones(2, 8))
        self.proj = nn.Linear(8, 8, bias=False)
        self.proj2 = self.proj

    @property
    def prop(self):
        return self.gates.sum(0)

    @staticmethod
    def stat(x, y):
        q = y.unsqueeze(0)
        return q

    def helper(self, x, flag):
        if flag:
            out = self.proj(x)
        else:
            out = self.proj(x).mean(1)
        return out

    def forward(self, ids: Tensor, feats: Tensor):
        x = self.emb(ids)
        a = self.pair(x)
        b, c = self.pair(x, a)
        y = x
        for stage in self.stages:
            y = stage(y)
        d = self.der(x)
        e = self.base(x)
        f = branch(x, "b")
        g = branch(x, "c")
        h = loop(x, 2)
        i = two(x)
        j = pos(x, dim=1)
        k = rec(x, 2)
        added = inplace(x.clone())
        m = nested(x)
        n = self.f(x)
        o = self.bn(self.conv(x.transpose(1, 2)))
        p = self.prop * x
        q = self.stat(x, x)
        r = self.helper(x, True)
        s = self.helper(x, False)
        t = self.proj2(x) + self.proj(x[:, :1])
        u = [self.proj(z) for z in (x, x[:, :2])]
        v = x.view(x.size(0), -1, 2, 4).permute(2, 0, 1, 3)
        v0, v1 = v[0], v[1]
        w = torch.where(ids[..., None] > 3, x, x.new_zeros(()))
        bb = x[:, ::2]
        cc = x[torch.arange(x.size(0)), 0]
        dd = feats.softmax(-1) @ x
        ee = feats.max(-1)[0]
        ff = feats.argmax(-1).clamp(max=3)
        gg = x.gather(1, ff.unsqueeze(-1).expand(-1, -1, 8))
        hh = (feats > 0).any(-1)
        ii = feats.masked_fill(~hh[..., None], 0.0)
        jj = x.repeat(1, 2, 1)
        kk = torch.nn.functional.one_hot(ff, 4)
        ll = kk.float() @ torch.ones(4, 2)
        mm = x.std(1) if self.training else x.var(1)
        nn2 = F.layer_norm(x, (8,)) * 2**0.5
        oo = x.to(torch.float16).float()
        pp = ids.float().log1p()
        qq = torch.stack([x, x], dim=0).flatten(0, 1)
        rr = torch.outer(x[0, 0], x[0, 1])
        ss, tt = torch.sort(feats, dim=-1)
        uu = feats.topk(2, dim=-1).indices
        vv = feats.std(dim=-1, keepdim=True)
        ww = x.amax((0, 1))
        return [
            z.float().sum()
            for z in (
                a,
                b,
                c,
                y,
                d,
                e,
                f,
                g,
                h,
                i,
                j,
                k,
                added,
                m,
                n,
                o,
                p,
                q,
                r,
                s,
                t,
                u[1],
                v1,
                w,
                bb,
                cc,
                dd,
                ee,
                gg,
                ii,
                jj,
                ll,
                mm,
                nn2,
                oo,
                pp,
                qq,
                rr,
                ss,
                tt,
                uu,
                vv,
                ww,
            )
        ]


def net():
    return Net()


def inputs(batch, seq):
    return (torch.randint(0, 10, (batch, seq)), torch.randn(batch, seq, seq))


SIZES = ({"batch": 5, "seq": 20}, {"batch": 7, "seq": 25})
DYNAMIC = ({0: "batch", 1: "seq"}, {0: "batch", 1: "seq", 2: "seq"})

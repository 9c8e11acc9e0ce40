"""A program whose loops, branches, lists and copies hide what its variables hold."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Same(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, x):
        return self.lin(x)


class Flat(nn.Module):
    def forward(self, x):
        return x.flatten(1)


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 12)
        self.b = nn.Linear(12, 8)

    def forward(self, x):
        h = self.a(x)
        return self.b(h)


def early(x, flag=True):
    if flag and x.dim() == 3:
        return x
    return x.reshape(-1, 8)


def swap(x, n):
    if n == 2:
        x = x.transpose(1, 2)
    else:
        x = x.transpose(0, 1)
    return x


def dead(x):
    a = x.sum(1)
    b = x.sum(0)
    return b


def pick(xs, i):
    return xs[i]


def grow(xs, x):
    xs.append(x)
    xs = xs + [x]
    return xs


class Loop(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 16), nn.ReLU(), nn.Identity(), nn.Linear(16, 4), nn.Flatten(1)])

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            y = layer(x)
            if i % 2 == 0:
                z = y
            x = y
        return x


class Tricky(nn.Module):
    def __init__(self):
        super().__init__()
        self.same = Same()
        self.twice = Twice()
        self.loop = Loop()
        self.n = 2
        self.k = 3
        self.seq = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Flatten(1))
        self.act = F.relu
        self.drop = nn.Dropout(0.1)
        self.lins = nn.ModuleDict({"p": nn.Linear(8, 3), "q": nn.Linear(3, 5)})
        self.register_buffer("scale", torch.ones(1, 1, 8))
        self.register_buffer("wide", torch.zeros(4, 1, 1, 8))

    def forward(self, x: Tensor, mask=None, *, extra=None):
        a = self.same(x) + self.same(x[:, :1])
        b = self.twice(self.twice(x))
        c = early(x)
        c2 = early(x).reshape(-1, 4, 2)
        d = swap(x, 3)
        e = dead(x)
        xs = [a]
        f = grow(xs, b)
        g = pick(f, -1)
        h = pick(f, 0)[..., :3]
        for i in range(self.n):
            x = self.same(x).unsqueeze(0) if i == 0 else self.same(x).squeeze(0)
        for j in range(self.k):
            m = x[:, j]
            m = m * (j + 1)
        n = self.loop(x)
        o = self.seq(x)
        p = self.drop(o)
        q = x * 1
        r = x + self.wide
        s = r * 1.0
        t = x.float() if x.dtype == torch.float64 else x
        u, v = torch.max(x, dim=1)
        w, *rest = x.unbind(-1)
        k = {"a": x.mean(1)}
        kk = k["a"]
        aa = x.new_zeros(x.shape[0], 2)
        bb = torch.cat([aa, aa], 1)
        cc = bb.to(torch.int64)
        dd = cc / 2
        ee = cc * 2
        ff = ee > 1
        gg = ff & (cc == 1)
        hh = -x if mask is None else x.sum()
        ii = x.clone()
        ii[:, 0] = 0
        jj = ii.view(x.shape[0], -1)
        ll = jj.T
        mm = x.shape[0]
        nn_ = torch.arange(mm)
        oo = nn_[None, :] + nn_[:, None]
        pp = torch.ones(2, 3)
        qq = (pp @ pp.T).sum() + x.mean()
        rr = self.lins["q"](self.lins["p"](x))
        ss = F.pad(x, (1, 1))
        ss = F.normalize(ss, dim=-1) / 2
        tt = list(x.split(4, dim=2))
        uu = tt[0] - tt[1]
        vv = torch.stack([uu, uu]).mean(0)
        ww = torch.einsum("bsd,btd->bst", x, x)
        xx = lambda z: z.sum()
        yy = xx(ww)
        zz = [z.sum(1) for z in (x, a, b) if z.dim() == 3]
        return (
            c.sum()
            + c2.sum()
            + d.sum()
            + e.sum()
            + g.sum()
            + h.sum()
            + m.sum()
            + n.sum()
            + p.sum()
            + q.sum()
            + s.sum()
            + t.sum()
            + u.sum()
            + v.sum()
            + w.sum()
            + rest[0].sum()
            + kk.sum()
            + dd.sum()
            + gg.sum()
            + hh.sum()
            + ll.sum()
            + oo.sum()
            + qq
            + rr.sum()
            + ss.sum()
            + vv.sum()
            + yy
            + zz[-1].sum()
        )


def net():
    return Tricky()


def inputs(batch, seq):
    return (torch.randn(batch, seq, 8),)


SIZES = ({"batch": 5, "seq": 6}, {"batch": 7, "seq": 9})
DYNAMIC = ({0: "batch", 1: "seq"},)

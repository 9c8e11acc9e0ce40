"""A program whose text says something else than what runs: decorators, other names of lists, functions in functions."""

import functools

import torch
from torch import nn

SCALE = None
HALF = True


def halved(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)[..., :4]

    return inner


@halved
def scaled(x):
    y = x * 2
    return y


def plain(x):
    y = x * 3
    return y


plain = halved(plain)


class Decorated(nn.Module):
    def forward(self, x):
        a = scaled(x)
        b = a
        c = plain(x)
        d = c
        return b, d


class GlobalNone(nn.Module):
    def forward(self, x):
        y = x[..., :4]
        if SCALE is None:
            y = y.flatten(1)
        z = y
        if HALF == 1:
            z = z.flatten(1)
        w = z
        return w


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)
        self.lin.register_forward_hook(lambda m, i, o: o[..., :3])
        self.act = nn.ReLU()
        self.act.register_forward_hook(lambda m, i, o: o.flatten(1))
        self.drop = nn.Dropout()
        self.drop.register_forward_hook(lambda m, i, o: o[..., 0])

    def forward(self, x):
        y = self.lin(x)
        z = self.act(x)
        w = self.drop(x)
        v = w
        return y, z, v


class MyDrop(nn.Dropout):
    def forward(self, x):
        return x.transpose(1, 2)


class Attr(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = MyDrop()
        self.register_buffer("cache", torch.zeros(4, 6))

    def forward(self, x):
        c = self.cache
        self.tmp = x
        d = self.tmp
        y = self.drop(x)
        z = y
        return z + 1, c + 1, d


class Lists(nn.Module):
    def forward(self, x):
        a = b = []
        a.append(x)
        b.append(x.flatten(1))
        c = a[-1]
        d = a[1]
        a[0], a[1] = a[1], a[0]
        e = a[0]
        a.insert(0, x.sum())
        f = a[0]
        a += [x[0]]
        g = b[-1]
        b.reverse()
        h = b[0]
        del b[0]
        i = b[0]
        t = {"x": x, "y": x.mean(1)}
        j = t["y"]
        t.update(x=x.sum(-1))
        k = t["x"]
        l = [*t.values()]
        m, n = l
        return c + 1, d + 1, e + 1, f + 1, g + 1, h + 1, i + 1, j, k, m, n


class Flow(nn.Module):
    def forward(self, x):
        i = 0
        while x.dim() > 2:
            x = x.sum(-1)
            i += 1
        try:
            y = x.unsqueeze(len(None))
        except TypeError:
            y = x.unsqueeze(0)
        z = y
        match i:
            case 1:
                z = z.flatten()
            case _:
                z = z[None]
        w = z

        def inner():
            nonlocal w
            w = w.unsqueeze(0)

        inner()
        v = w
        u = (lambda x: x[0])(v)
        q = x if i > 1 else x.T
        r = i and x
        s = x or y if False else x[None]
        return v, u, q, r, s


class Closure(nn.Module):
    def forward(self, x):
        y = x
        for k in range(2):
            y = y.unsqueeze(0) if k else y.flatten(1)
        z = y
        for k, w in enumerate([x, x.sum(-1)], 1):
            v = w * k
        t = [w.sum(k) for k, w in enumerate([x, x])]
        s = t[1]
        (a, b), c = (x.sum(0), x.sum(1)), x.sum()
        with torch.no_grad():
            d = e = b.T
        f: torch.Tensor = a
        g = f.to(torch.float16)
        h = g.to(x)
        i = h.type_as(g)
        j = x.new_zeros(3) + x[0, 0, :3]
        k = x.new_full((2, 2), 1)
        l = torch.zeros_like(x, dtype=torch.int64)
        m = x.argmax() + l
        n = x.max(-1)[0]
        o = x.max(-1).values
        p = torch.max(x, dim=-1)
        q = p[1]
        r = x.max()
        return z, v, s, a, b, c, d, e, g, h, i, j, k, l, m, n, o, q, r


class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 32)

    def forward(self, x):
        y = self.lin(x)
        return torch.relu(y)


class Down(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(32, 8)

    def forward(self, x):
        y = self.lin(x)
        return torch.relu(y)


class Method(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = halved(self.mix)

    def forward(self, x):
        y = self.mix(x)
        z = y
        return z

    def mix(self, x):
        y = x * 5
        return y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.m = Decorated(), Method()
        self.b = GlobalNone()
        self.up, self.down = Up(), Down()
        self.d = Hooked()
        self.e = Attr()
        self.f = Lists()
        self.g = Flow()
        self.h = Closure()

    def forward(self, x):
        a = self.a(x), self.m(x)
        b = self.b(x)
        c = self.down(self.up(x))
        d = self.d(x)
        e = self.e(x)
        f = self.f(x)
        g = self.g(x)
        h = self.h(x)
        return a, b, c, d, e, f, g, h


def net():
    return Net()


def inputs(batch, seq):
    return (torch.randn(batch, seq, 8),)


SIZES = ({"batch": 5, "seq": 20}, {"batch": 7, "seq": 25})
DYNAMIC = ({0: "batch", 1: "seq"},)

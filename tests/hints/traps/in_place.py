"""A program that changes the shapes of its tensors in place."""

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        x = x + 1
        x.unsqueeze_(1)
        y = x
        y.squeeze_(1).transpose_(1, 2)
        z = y
        w = z + 0
        w.t_() if w.dim() == 2 else w.swapaxes_(0, 1)
        v = w
        return v


def net():
    return Net()


def inputs(batch, seq):
    return (torch.randn(batch, seq, 8),)


SIZES = ({"batch": 5, "seq": 20}, {"batch": 7, "seq": 25})
DYNAMIC = ({0: "batch", 1: "seq"},)

"""Leave out the initial state of a recurrent network where it is zero.

LSTM, GRU and RNN start from zeros where no initial state is given. One that holds 0.0 throughout, of whatever number of
rows, says the same; what computed its shape goes. A state of -0.0 stays, and so does one before an input that is given.
"""

from __future__ import annotations

import numpy as np
import onnx

from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.uniform import uniform

_STATES = {"LSTM": (5, 6), "GRU": (5,), "RNN": (5,)}
"""The inputs that are initial states."""


@rewrite("zero-state", "an initial state of zeros is left out, since that is where it starts", *_STATES)
def zero_state(site: Site, index: int) -> Calls | None:
    """Drop the inputs that say what is so without them."""
    node = site.nodes[index]
    zeros = [
        port for port in _STATES[site.op(index)] if site.has_input(index, port) and _is_zero(site, node.inputs[port])
    ]
    if not zeros:
        return None
    proto = onnx.NodeProto()
    proto.CopyFrom(site.proto.node[index])
    for port in zeros:
        proto.input[port] = ""
    while proto.input and not proto.input[-1]:
        del proto.input[-1]
    return Calls((proto,))


def _is_zero(site: Site, name: str) -> bool:
    number = uniform(site, name)
    return number is not None and number == 0 and not np.signbit(number)

"""Loads in advance what the first fault, hover or completion would wait for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Literal

from shapeinfer import ops

_FAULTY = """<ir_version: 10, opset_import: ["" : 20]>
net (float[N, 4] x, float[3] w) => (y)
{
    h = Rellu (x)
    z = Concat <axis = 0> (x, x)
    y = Add (x, w)
}
"""


def steps() -> Iterator[Literal[False]]:
    """Load the rules of ONNX's operators, fault descriptions and first requests; each step is short."""
    package = importlib.import_module(f"{ops.__name__}.onnx")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
        yield False
    from shapeinfer.editors.actions import actions
    from shapeinfer.editors.completion import completions
    from shapeinfer.editors.hover import hover
    from shapeinfer.editors.problems import problems
    from shapeinfer.text import check_text

    yield False
    written = check_text(_FAULTY)
    yield False
    at = _FAULTY.index("Add")
    actions(written, at, at, problems(written))
    yield False
    hover(written, at)
    hover(written, _FAULTY.index("z ="))
    yield False
    completions(written, at)

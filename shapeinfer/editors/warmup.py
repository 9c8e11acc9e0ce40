"""What a server loads before anybody asks: a first fault, hover or completion would wait for it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from shapeinfer import ops

_FAULTY = """<ir_version: 10, opset_import: ["" : 20]>
net (float[N, 4] x, float[3] w) => (y)
{
    h = Rellu (x)
    y = Add (x, w)
}
"""


def steps() -> Iterator[None]:
    """Load the rules of ONNX's operators, what describes faults, and what editors ask first; a few at each step."""
    package = importlib.import_module(f"{ops.__name__}.onnx")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
        yield
    from shapeinfer.editors.actions import actions
    from shapeinfer.editors.completion import completions
    from shapeinfer.editors.hover import hover
    from shapeinfer.editors.problems import problems
    from shapeinfer.text import check_text

    yield
    written = check_text(_FAULTY)
    yield
    at = _FAULTY.index("Add")
    actions(written, at, at, problems(written))
    yield
    hover(written, at)
    yield
    completions(written, at)

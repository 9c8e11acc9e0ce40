"""A model loads only the modules that speak for its operators, and all of those."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shapeinfer.ops.registry import homes, homes_anew

RECORDED = """
import sys
from shapeinfer.ops import registry, signature

found = {}
strays = []

def recording(register):
    def named(*names, domain="", **options):
        folder, _, module = sys._getframe(1).f_globals["__name__"].removeprefix("shapeinfer.ops.").partition(".")
        if folder not in registry.folders_of(domain):
            strays.append((domain, names, folder))
        for name in names if not domain else ():
            found.setdefault(name, set()).add(module)
        return register(*names, domain=domain, **options)
    return named

def declaring(text, *, domain, declare=signature.declare, **options):
    made = declare(text, domain=domain, **options)
    if not domain:
        module = sys._getframe(1).f_globals["__name__"]
        found.setdefault(made.name, set()).add(module.removeprefix("shapeinfer.ops.onnx."))
    return made

signature.declare = declaring
for name in ("rule", "contents", "value_range"):
    setattr(registry, name, recording(getattr(registry, name)))
registry.load()
wrong = {n: (sorted(m), registry.homes().get(n)) for n, m in found.items() if sorted(m) != registry.homes().get(n)}
assert found and not wrong and not strays, (wrong, strays)
"""

LOADED = """
import sys
from shapeinfer import Tensor, infer_op
{call}
print(sorted(m.rpartition(".")[2] for m in sys.modules if m.startswith("shapeinfer.ops.onnx.")))
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_every_module_that_registers_or_declares_something_is_listed_or_in_its_domains_folder() -> None:
    run(RECORDED)


def test_the_list_is_the_one_that_is_made_anew() -> None:
    assert {line.split()[0]: line.split()[1:] for line in homes_anew().splitlines()} == homes()


@pytest.mark.parametrize("name", ["Relu", "NoSuchOperator"])
def test_an_operator_loads_its_modules_and_an_unknown_one_all(name: str) -> None:
    call = f"try: infer_op({name!r}, [Tensor('f32', ['N'])])\nexcept ValueError: pass"
    loaded = run(LOADED.format(call=call))
    assert "elementwise" in loaded
    assert ("resize" in loaded) == (name not in homes())

"""Operator documentation in Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import onnx.defs

from shapeinfer.editors.markdown import block, code
from shapeinfer.text import Written

_LONGEST = 3000


def opsets(written: Written) -> dict[str, int]:
    """Return the opsets that a model imports; the newest of ai.onnx by default."""
    found = {"" if e.domain == "ai.onnx" else e.domain: e.version for e in written.model.proto.opset_import}
    return {"": onnx.defs.onnx_opset_version()} | found


def schema(written: Written, operator: str) -> Any:
    """Return the schema of an operator as it is written, of the version that the model imports; None if unknown."""
    domain, _, name = operator.rpartition(".")
    domain = "" if domain == "ai.onnx" else domain
    version = opsets(written).get(domain)
    if version is None:
        return None
    try:
        return onnx.defs.get_schema(name, min(version, (1 << 31) - 1), domain)
    except (onnx.defs.SchemaError, TypeError):
        return None


def names(written: Written) -> dict[str, str]:
    """Return the operators that a model can use, as they are written, its functions first, each with its origin."""
    versions: Mapping[str, int] = opsets(written)
    known = {_written(s.domain, s.name): _origin(s.domain) for s in onnx.defs.get_all_schemas() if s.domain in versions}
    own = {_written(f.domain, f.name.text): "a function of this model" for f in written.model.functions}
    return own | dict(sorted((known | own).items()))


def page(found: Any) -> str:
    """Return the page of an operator: signature, documentation, types."""
    takes = ", ".join(f"{i.name}: {i.type_str}{_option(i)}" for i in found.inputs)
    gives = ", ".join(f"{o.name}: {o.type_str}{_option(o)}" for o in found.outputs)
    parts = [block(f"{gives} = {found.name} ({takes})")]
    parts.append(f"{_origin(found.domain)}, since opset {found.since_version}")
    parts.append(shortened(_dedented(found.doc or "")))
    if found.attributes:
        parts.append("\n".join(f"- {attribute_line(a)}" for _, a in sorted(found.attributes.items())))
    return "\n\n".join(filter(None, parts))


def attribute_line(attribute: Any) -> str:
    """Return the documentation of one attribute."""
    kind = str(attribute.type).rpartition(".")[2].lower()
    default = attribute.default_value
    given = f" = {_default(default)}" if default.name else (" (required)" if attribute.required else "")
    return f"{code(f'{attribute.name}: {kind}{given}')} {described(attribute)}"


def described(attribute: Any) -> str:
    """Return the documentation of an attribute, empty for None."""
    return "" if attribute is None else shortened(_dedented(attribute.description), 400)


def summary(found: Any) -> str:
    """Return the first paragraph of an operator's documentation."""
    return shortened(_dedented(found.doc or "").partition("\n\n")[0].replace("\n", " "), 400)


def _default(proto: Any) -> str:
    value = onnx.helper.get_attribute_value(proto)
    return repr(value.decode("utf-8", "replace")) if isinstance(value, bytes) else str(value)


def _written(domain: str, name: str) -> str:
    return f"{domain}.{name}" if domain else name


def _origin(domain: str) -> str:
    return f"ONNX ({domain})" if domain else "ONNX"


def _option(formal: Any) -> str:
    return {"Optional": "?", "Variadic": "..."}.get(formal.option.name, "")


def _dedented(text: str) -> str:
    """The text without the indentation that it has in ONNX's sources."""
    return re.sub(r"\n[ \t]+(?=\S)", "\n", text).strip()


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text, cut if it is longer than ``longest``."""
    return text if len(text) <= longest else text[: text.rfind(" ", 0, longest)] + " ..."

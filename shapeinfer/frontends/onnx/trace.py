"""The program that a node was exported from: its lines, modules and operations, as torch's exporters write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from shapeinfer.diagnostics.diagnostic import Origin, SourceLine
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.graph import Node
from shapeinfer.graph.program import Module, Operation

TRACE = "pkg.torch.onnx.stack_trace"
"""Where torch's exporter keeps the Python stack of the call that became a node, outermost frame first."""
SCOPES = "pkg.torch.onnx.name_scopes"
"""Where it keeps the paths of the modules being called, outermost first, then the operation's name."""
CLASSES = "pkg.torch.onnx.class_hierarchy"
"""Where it keeps the classes of those modules, then the operation's operator."""
OPERATION = "pkg.torch.onnx.fx_node"
"""Where it keeps the operation as torch.fx prints it."""
JAX_TRACE = "pkg.jax2onnx.jax_traceback"
"""Where jax2onnx keeps the Python stack, innermost frame first, if its environment asks for all of it."""
JAX_CALL = "pkg.jax2onnx.callsite"
"""Where it keeps the function and the line in it, without the file."""
DEEPEST = 64
"""A stack of more frames is no torch program's; who follows an operation up its stack would not come to an end."""
LONGEST = 4096
"""So many characters of an operation's arguments are kept."""

_FRAME = re.compile(
    r'^[ \t]*File "(?P<file>[^"\n]+)", line (?P<line>[0-9]{1,9}), in (?P<function>.*)'
    r'(?:\n(?![ \t]*File ")(?P<code>.*))?',
    re.MULTILINE,
)
_TRACED = re.compile(r"^(?P<file>[^\n]{1,4096})\((?P<line>[0-9]{1,9})\): [^\n]*$", re.MULTILINE)
"""A line of the stack, innermost first, that the exporter of TorchScript writes as a doc string with verbose=True."""
_JAX = re.compile(r"^(?P<file>[^\n]{1,4096}):(?P<line>[0-9]{1,9}) \([^\n]*\)$", re.MULTILINE)
_LIBRARY = re.compile(r"(^|/)(site-packages|dist-packages|lib/python3\.\d+)/|^torch/|/pytorch/torch/|^<")
"""Files of installed packages, of Python and of torch itself; the last are no files at all."""
_QUOTED = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")
"""An entry of a list that Python printed; a module's name has no character that would be escaped."""
_FX = re.compile(
    r"%(?P<name>\w{1,999}) : [^=]{0,999}=(?P<readers>[0-9]{1,9})\] = call_function"
    r"\[target=(?P<torch>torch\.ops\.)?(?P<target>[^\]]{0,999})\]\(args = "
)
_READ = re.compile(r"%(\w+)")
_NO_STACK = "_empty_nn_module_stack_from_metadata_hook"
"""What the exporter writes for an operation of its own, which is in no module."""


def origin(what: Node | str | None) -> Origin:
    """Return the innermost line of a node's stack that is the user's own, and its module; nothing for no node."""
    if not isinstance(what, Node):
        return Origin()
    found = _metadata(what)
    module = _modules(found)[-1:] if SCOPES in found else ()
    path = module[0].path if module else _scripted(what) or found.get(JAX_CALL, "")
    if TRACE in found:
        line = own_line(found[TRACE])
    elif JAX_TRACE in found:
        line = _numbered_line(_JAX, found[JAX_TRACE])
    else:
        line = _numbered_line(_TRACED, as_text(getattr(what.source, "doc_string", "")))
    return Origin(source=line, module=path)


def operation(node: Node) -> Operation | None:
    """Return the operation that a node was exported from, None where the exporter did not write it down."""
    found = _metadata(node)
    printed = _FX.match(found.get(OPERATION, ""))
    if printed is None:
        return None
    arguments = found[OPERATION][printed.end() : printed.end() + LONGEST]
    reads = tuple(dict.fromkeys(_READ.findall(found[OPERATION], printed.end())))
    stack = tuple(islice(_frames(found.get(TRACE, "")), DEEPEST + 1))
    if len(stack) > DEEPEST:
        stack = ()
    operator = printed["target"] if printed["torch"] else ""
    return Operation(printed["name"], operator, reads, arguments, int(printed["readers"]), stack, _modules(found))


def recorded(properties: Iterable[object]) -> Origin:
    """Return the line of the user's program, and the module, that the metadata of a node records."""
    found = _texts(properties)
    module = _modules(found)[-1:]
    return Origin(source=own_line(found.get(TRACE, "")), module=module[0].path if module else "")


def own_line(trace: str) -> SourceLine | None:
    """Return the innermost frame of a Python stack that is in no installed package; None if there is none."""
    own = [f for f in _frames(trace) if not _LIBRARY.search(f.file.replace("\\", "/"))]
    return own[-1] if own else None


def _numbered_line(form: re.Pattern[str], stack: str) -> SourceLine | None:
    """Return the first line of a stack that is in no installed package; its text is not recorded."""
    for found in form.finditer(stack):
        if int(found["line"]) and not _LIBRARY.search(found["file"].replace("\\", "/")):
            return SourceLine(found["file"], int(found["line"]))
    return None


def _metadata(node: Node) -> dict[str, str]:
    return _texts(getattr(node.source, "metadata_props", ()))


def _texts(properties: Iterable[object]) -> dict[str, str]:
    return {as_text(getattr(p, "key", "")): as_text(getattr(p, "value", "")) for p in properties}


def _frames(trace: str) -> Iterator[SourceLine]:
    for frame in _FRAME.finditer(trace):
        if int(frame["line"]):
            code, function = (frame["code"] or "").strip(), frame["function"].strip()
            yield SourceLine(frame["file"], int(frame["line"]), code, function)


def _modules(metadata: dict[str, str]) -> tuple[Module, ...]:
    """The modules around an operation, whose own name and operator end the two lists."""
    paths = _listed(metadata.get(SCOPES, ""))[:-1]
    classes = _listed(metadata.get(CLASSES, ""))[:-1]
    if paths[:1] == [_NO_STACK]:
        return ()
    if len(classes) != len(paths):
        classes = [""] * len(paths)
    return tuple(map(Module, paths, classes))


def _listed(printed: str) -> list[str]:
    return [one or other for one, other in _QUOTED.findall(printed)]


def _scripted(node: Node) -> str:
    """The module in a name such as ``/encoder/layer.0/Add_1``, as the exporter of TorchScript gives them.

    It repeats the name of a Sequential in those of its parts: ``/mlp/mlp.0/Gemm``.
    """
    start, *inside = node.name.split("/")
    last = inside.pop() if inside else ""
    number = last.removeprefix(node.call.op_type)
    if start or last == number or not re.fullmatch("(_[0-9]+)?", number):
        return ""
    return ".".join(part for part, next_ in zip(inside, [*inside[1:], ""]) if not next_.startswith(f"{part}."))

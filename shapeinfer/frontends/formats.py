"""Which format is a model of, and what reads it? Each format registers itself; what reads it is imported on first use.

A package in this folder that calls ``register`` is a format, and so is a module of an installed package that does and
is an entry point of the group ``shapeinfer.frontends``.
"""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from attrs import field, frozen

from shapeinfer import frontends, plugins, regular

if TYPE_CHECKING:
    import onnx

    from shapeinfer.dims import Dim, Size
    from shapeinfer.facts import Fact
    from shapeinfer.facts.openvino import Profile
    from shapeinfer.graph import Graph

ModelLike: TypeAlias = "str | os.PathLike[str] | bytes | onnx.ModelProto"
DefaultInputs: TypeAlias = Literal["free", "fixed"]
"""What inputs with a stored default are: ``free`` for callers to override, or ``fixed`` to it."""
OutputDims: TypeAlias = Literal["keep", "expression", "both"]
"""What becomes of the author's names for dims of outputs: they stay, give way to formulas, or stand beside them."""

ONNX = "onnx"
"""The format of what no other claims: its reader reports what is wrong with a file that is no model."""
GROUP = "shapeinfer.frontends"
_LOOKED_AT = 4096


@frozen(kw_only=True, repr=False, eq=False)
class Reading:
    """How a model is to be read."""

    default_inputs: DefaultInputs = "free"
    profile: Profile = "spec"
    shapes: Mapping[str, Sequence[int]] = field(factory=dict)
    """Shapes that inputs get, in place of those declared."""
    weights: bool = False
    """Whether the data of large tensors is needed too."""
    whole: bool = False
    """Whether the model is to be written again, so that all of it must be readable."""
    thorough: bool = True
    """Whether to look for faults of the file that do not keep its shapes from being inferred."""


@frozen(repr=False, eq=False)
class Inferred:
    """What is written into a model: the facts of each graph, and what a frontend must know to name their dims."""

    scopes: Mapping[Graph, Mapping[str, Fact | None]]
    stands_for: Callable[[Dim, Size], bool]
    """Whether a declared dim is a name for a length."""
    output_dims: OutputDims
    sized: bool
    """Whether the caller gave sizes, so that inputs must show them too."""
    declared: Mapping[str, Fact] = field(factory=dict)
    """The inputs as the model declares them, where the graph has them as the caller does."""


class LoadedModel(Protocol):
    """A model as its frontend read it."""

    @property
    def model(self) -> Any:
        """The model in the form that ``write`` takes."""

    def graph(self) -> Graph:
        """Return its main graph. Raises ModelError."""

    def annotated(self, graph: Graph, inferred: Inferred) -> Any:
        """Return a copy of ``model`` with inferred types. Raises ValueError where the format cannot hold them."""


class Frontend(Protocol):
    """What reads and writes a format: a module with these functions, or any object with such methods."""

    def load(self, model: Any, reading: Reading, /) -> LoadedModel:
        """Read a model from a path or bytes. Raises ModelError."""

    def write(self, model: Any, source: str | None, /) -> AbstractContextManager[Iterable[bytes | memoryview]]:
        """Give the bytes of a file for a model that was read from the file ``source``, None if from none.

        Raises ValueError where the format cannot hold the model.
        """

    def unreachable_files(self, model: Any, source: str | None, out: str, /) -> str:
        """Return a warning about files that ``out`` reads and that only ``source`` has beside it; empty if none."""


@frozen(eq=False, kw_only=True, repr=False)
class Format:
    """A file format: how its models are recognized, what they may be used for, and which module reads them."""

    name: str
    """As in ``Graph.format``."""
    title: str
    """What one model is called in messages, such as ``an OpenVINO IR``."""
    suffixes: tuple[str, ...]
    """How names of files end that hold such models, in lower case."""
    sniff: Callable[[bytes], bool]
    """Whether bytes open as a model of this format does."""
    frontend: str | Frontend
    """The module that reads and writes it, by its name, or an object in its place."""
    confirm: Callable[[bytes], bool] | None = None
    """Whether a file found in a directory is a model, by its first bytes; None where its suffix tells."""
    family: str = ""
    """The format whose models it holds in another notation, itself by default: ``fold`` takes those of ONNX."""
    is_linted: bool = True
    """Whether what is never used or hidden in it is a finding: an exporter's own output may have such by design."""
    is_edited: bool = False
    """Whether it is text that people write, which the language server serves."""

    @property
    def loaded(self) -> Frontend:
        """What reads and writes it, imported now if need be."""
        if isinstance(self.frontend, str):
            return cast("Frontend", importlib.import_module(self.frontend))
        return self.frontend

    @property
    def is_onnx(self) -> bool:
        """Whether it holds ONNX models."""
        return (self.family or self.name) == ONNX

    def load(self, model: Any, reading: Reading) -> LoadedModel:
        """Read a model of this format. Raises ModelError."""
        return self.loaded.load(model, reading)

    def written_as(self, out: str) -> Format:
        """Return the format of a model written to a file of this name: that of its suffix, if that can hold it."""
        other = format_of(out)
        return other if (other.family or other.name) == (self.family or self.name) else self


_registered: dict[str, Format] = {}


def register(new: Format) -> None:
    """Make a format known to all commands and functions. Raises ValueError for a name or suffix that is taken."""
    for known in _registered.values():
        if known.name == new.name or set(known.suffixes) & set(new.suffixes):
            raise ValueError(f"the format {new.name} has the name or a suffix of the format {known.name}")
    _registered[new.name] = new


def unregister(name: str) -> None:
    """Take back what was registered under a name."""
    del _registered[name]


@functools.cache
def _load_packages() -> None:
    """Import the packages in this folder, each of which registers itself."""
    for module in pkgutil.iter_modules(frontends.__path__):
        if module.ispkg:
            importlib.import_module(f"{frontends.__name__}.{module.name}")


@functools.cache
def _load_plugins() -> None:
    """Import the formats of installed packages: finding those takes longer than a small model."""
    plugins.load(GROUP)


def formats() -> list[Format]:
    """Return all formats, by name."""
    _load_packages()
    _load_plugins()
    return sorted(_registered.values(), key=lambda known: known.name)


def suffixes() -> tuple[str, ...]:
    """Return how names of models end."""
    return tuple(suffix for known in formats() for suffix in known.suffixes)


def telling_suffixes() -> tuple[str, ...]:
    """Return the suffixes that only models have, so that a file need not be opened to know that it is one."""
    return tuple(suffix for known in formats() if known.confirm is None for suffix in known.suffixes)


def format_of(model: object) -> Format:
    """Return the format of a model: by the suffix of a path, by how bytes open, ONNX where nothing tells."""
    if isinstance(model, bytes):
        found = _first(lambda known: known.sniff(model))
    elif isinstance(model, (str, os.PathLike)):
        name = os.fspath(model).lower()
        found = _first(lambda known: name.endswith(known.suffixes))
    else:
        found = _first(lambda known: known.name == ONNX)
    return found or _registered[ONNX]


def _first(claims: Callable[[Format], bool]) -> Format | None:
    """Return the format that claims a model; plugins are loaded only for one that no other claims."""
    for load in (_load_packages, _load_plugins):
        load()
        for known in list(_registered.values()):
            if claims(known):
                return known
    return None


def is_model_file(path: Path) -> bool:
    """Whether a file found in a directory is a model; False for one that must be opened and cannot be."""
    known = format_of(path)
    if not path.name.lower().endswith(known.suffixes):
        return False
    if known.confirm is None:
        return True
    try:
        with regular.opened(path) as file:
            return known.confirm(file.read(_LOOKED_AT))
    except OSError:
        return False


def load_onnx(model: ModelLike, *, weights: bool = True) -> onnx.ModelProto:
    """Return an ONNX model in whichever notation it is. Raises ModelError.

    Without ``weights`` the data of large tensors may be left out of what is read from a file or bytes.
    """
    found = onnx_format_of(model).load(model, Reading(weights=weights, whole=True)).model
    return cast("onnx.ModelProto", found)


def onnx_format_of(model: ModelLike) -> Format:
    """Return the format of an ONNX model. Raises ModelError for a model of another family."""
    found = format_of(model)
    if not found.is_onnx:
        from shapeinfer.diagnostics import codes
        from shapeinfer.frontends.files import fail

        path = os.fspath(model) if isinstance(model, (str, os.PathLike)) else None
        fail(codes.NOT_A_MODEL, f"this is {found.title}, not an ONNX model", path)
    return found

"""Compare what a model declares of a value with what was inferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import Factory, define, evolve, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.dims import Dim, Size, equal, has_fresh_symbol, text_of
from shapeinfer.facts import (
    DType,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    Shape,
    SparseTensor,
    Tensor,
    complete,
    resized,
    tensor,
)
from shapeinfer.graph import Declaration
from shapeinfer.ops.types import readable_type, type_string


@frozen
class Assumption:
    """A size or type that only a declaration of the model gives: all that follows from it holds if that is true.

    ``axis`` is None where the whole type is assumed; ``declared`` is the text of the length or type. ``node`` computes
    the value, or has the graph of which the value is an input.
    """

    value: str
    axis: int | None
    declared: str
    node: NodeRef | None

    @property
    def text(self) -> str:
        """The assumption as a sentence, such as ``axis 1 of boxes is 5``."""
        return f"{self.value if self.axis is None else f'axis {self.axis} of {self.value}'} is {self.declared}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "axis": self.axis,
            "declared": self.declared,
            "node": self.node.to_dict() if self.node else None,
        }


@define(eq=False, repr=False)
class Comparisons:
    """What the declarations of a run come to, beside faults that are certain."""

    misnamed: list[tuple[tuple[Size, Size], Diagnostic]] = Factory(list)
    """Declared lengths that are not the inferred ones, unless the two turn out to be equal."""
    assumed: dict[Assumption, None] = Factory(dict)

    def add(self, other: Comparisons) -> None:
        """Take what comes of the declarations in a body."""
        self.misnamed += other.misnamed
        self.assumed |= other.assumed

    def clear(self) -> None:
        self.misnamed.clear()
        self.assumed.clear()


class Declarations:
    """What an inference makes of the model's declarations."""

    def __init__(self) -> None:
        self.labels: dict[Dim, dict[Size, Diagnostic]] = {}
        """For each label the sizes it stands for, each with what to report if it stands for another one too."""
        self.may_assume = False
        """Whether assumptions are used: not before all that follows without them was found."""
        self.would_assume = False
        """Whether there is anything to assume."""


@frozen(repr=False)
class Clash:
    """One way in which a declaration and an inferred fact do not fit."""

    code: Code
    severity: Severity
    before: str
    behind: str
    """The message, before the name of the value and behind it."""
    axis: int | None = None
    sizes: tuple[Size, Size] | None = None
    """Two lengths that differ only as long as nothing later shows that they are equal."""

    def message(self, name: str) -> str:
        return f"{self.before}{name}{self.behind}"


@frozen(repr=False)
class Reconciled:
    """The better fact of the two, what does not fit, and which labels stand for which lengths."""

    fact: Fact
    clashes: tuple[Clash, ...] = ()
    labels: tuple[tuple[Dim, Size], ...] = ()
    adopted: Fact | None = None
    """The fact with a shape that only the declaration gives, if it gives any; the labels are those of its lengths."""
    open: tuple[tuple[int, Dim, int], ...] = ()
    """Axes, with what was inferred, on which only data decides and a number is declared."""

    def taking(self, numbers: dict[int, Size]) -> Fact:
        """Return the fact with numbers for some of the axes that are open."""
        fact = self.fact
        assert isinstance(fact, Tensor), "only a tensor has axes"
        shape = tuple(numbers.get(axis, size) for axis, size in enumerate(fact.shape or ()))
        return tensor(fact.dtype, shape, fact.value, fact.ends)


def is_label(size: Size) -> bool:
    """Whether a declared dim is a name that no input has."""
    return isinstance(size, Dim) and size.is_symbol and size.is_fresh


def reconcile(inferred: Fact, declaration: Declaration, meant: Fact, fresh: Callable[[], Dim]) -> Reconciled:
    """Compare; inferred wins where both know, a declaration fills what was not inferred.

    ``meant`` is what is declared, for the sizes that the caller gave. ``fresh`` returns the symbols for adopted lengths
    that have no name of an input's: the same label in two places is no promise that they are equal.
    """
    declared = declaration.fact
    mine, theirs = type_string(inferred), type_string(declared)
    if mine is not None and theirs is not None and mine != theirs:
        both = f" is declared {readable_type(theirs)} but is {readable_type(mine)}"
        return Reconciled(inferred, (Clash(codes.DECLARED_TYPE_MISMATCH, Severity.ERROR, "", both),))
    if not isinstance(inferred, Tensor) or not isinstance(declared, Tensor) or not isinstance(meant, Tensor):
        return adopted(inferred, meant, fresh)
    if inferred.shape is None or declared.shape is None or meant.shape is None:
        return adopted(inferred, meant, fresh)
    if len(inferred.shape) != len(declared.shape):
        both = f" is declared {declared.text} but is {inferred.text}: the ranks differ"
        severity = _of_ranks(declaration, inferred.shape, declared.shape)
        return Reconciled(inferred, (Clash(codes.DECLARED_SHAPE_MISMATCH, severity, "", both),))
    return _axes(inferred, declared, inferred.shape, zip(declared.shape, meant.shape), declaration.claim)


def _of_ranks(declaration: Declaration, ours: Shape, theirs: Shape) -> Severity:
    """How much ranks that differ weigh: runtimes go on, but no output can be used as it is declared.

    Axes of size 1 that one of the two leaves out make no difference to the data. And some writers leave an empty
    shape, which means scalar, where they mean none at all.
    """
    if declaration.claim:
        return Severity.ERROR
    is_same = not theirs or sum(d != 1 for d in ours) == sum(d != 1 for d in theirs)
    return Severity.ERROR if declaration.output and not is_same else Severity.WARNING


def _axes(
    inferred: Tensor, declared: Tensor, ours: Shape, theirs: Iterable[tuple[Size, Size]], is_claim: bool
) -> Reconciled:
    """Compare axis by axis; no runtime refuses a model for what it declares of a length.

    A claim was found by an inference, perhaps one that knows more: only what cannot be is an error there.
    """
    clashes: list[Clash] = []
    labels: list[tuple[Dim, Size]] = []
    left_open: list[tuple[int, Dim, int]] = []
    for axis, (mine, (written, meant)) in enumerate(zip(ours, theirs)):
        if mine is meant or mine == meant:
            continue
        is_fresh = has_fresh_symbol(mine)
        if is_label(written):
            assert isinstance(written, Dim), "a label is a symbol"
            if written.name != "?":
                labels.append((written, mine))
        elif not isinstance(written, int):
            if not is_fresh and not equal(mine, meant).is_yes:
                which = "" if written is meant else f", which is {text_of(meant)},"
                clashes.append(_differing(codes.LABEL_CONFLICT, axis, f"{text_of(written)}{which}", mine, meant))
        elif equal(mine, written).is_no:
            severity = Severity.ERROR if is_claim else Severity.WARNING
            clash = _differing(codes.DECLARED_SHAPE_MISMATCH, axis, text_of(written), mine)
            clashes.append(evolve(clash, severity=severity))
        elif not is_fresh:
            clashes.append(_differing(codes.DECLARED_SHAPE_MISMATCH, axis, text_of(written), mine, written))
        elif isinstance(mine, Dim) and all(s.is_fresh for s in mine.symbols):
            left_open.append((axis, mine, written))
    dtype = DType(inferred.dtype or declared.dtype)
    fact = tensor(dtype, ours, inferred.value, inferred.ends)
    return Reconciled(fact, tuple(clashes), tuple(labels), open=tuple(left_open))


def _differing(code: Code, axis: int, written: str, mine: Size, meant: Size | None = None) -> Clash:
    """A warning; with the length that is ``meant`` only unless that turns out to be the inferred one."""
    behind = f" is declared {written} but is {text_of(mine)}"
    return Clash(code, Severity.WARNING, f"axis {axis} of ", behind, axis, None if meant is None else (mine, meant))


def adopted(inferred: Fact, meant: Fact, fresh: Callable[[], Dim]) -> Reconciled:
    """Fill the gaps of a fact from a declaration, where names that no input has are but labels.

    Runtimes hold a model to the kind and the element type that it declares of a value, and to no more.
    """
    known = complete(inferred, _without_shapes(meant))
    if _has_rank(inferred) or not _has_rank(meant) or _is_of_scalars(meant):
        return Reconciled(known)
    labels: list[tuple[Dim, Size]] = []

    def own(size: Size) -> Size:
        if not is_label(size):
            return size
        assert isinstance(size, Dim), "a label is a symbol"
        own_size = fresh()
        if size.name != "?" and isinstance(meant, Tensor):
            labels.append((size, own_size))
        return own_size

    whole = complete(inferred, resized(meant, own))
    return Reconciled(known, (), tuple(labels), whole if _has_rank(whole) else None)


def _without_shapes(fact: Fact) -> Fact:
    """Return a fact with its kinds and element types alone."""
    if isinstance(fact, Tensor):
        return tensor(fact.dtype, None)
    if isinstance(fact, SparseTensor):
        return SparseTensor(fact.dtype, None)
    if isinstance(fact, SequenceType):
        return SequenceType(_without_shapes(fact.element))
    if isinstance(fact, OptionalType):
        return OptionalType(_without_shapes(fact.element))
    return MapType(fact.key, _without_shapes(fact.value)) if isinstance(fact, MapType) else fact


def _is_of_scalars(fact: Fact) -> bool:
    """Whether a container is declared to hold scalars: many writers leave the shape empty where they mean none."""
    if isinstance(fact, OptionalType) and isinstance(fact.element, (OptionalType, SequenceType)):
        return _is_of_scalars(fact.element)
    return isinstance(fact, (OptionalType, SequenceType)) and fact.element.shape == ()


def _has_rank(fact: Fact) -> bool:
    """Whether something is known of a shape."""
    if isinstance(fact, (SequenceType, OptionalType)):
        return _has_rank(fact.element)
    if isinstance(fact, MapType):
        return _has_rank(fact.value)
    return isinstance(fact, (Tensor, SparseTensor)) and fact.shape is not None

"""Hold what a model declares of a value against what was inferred."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.dims import Dim, Size, equal, text_of
from shapeinfer.facts import UNKNOWN, DType, Fact, Shape, Tensor, complete, resized, tensor
from shapeinfer.graph import Declaration
from shapeinfer.ops.types import spoken_type, type_string


@frozen(repr=False)
class Clash:
    """One way in which a declaration and an inferred fact do not fit."""

    code: Code
    severity: Severity
    message: str
    axis: int | None = None
    names: tuple[Size, Size] | None = None
    """Two lengths that differ only as long as nothing later shows that they are equal."""


@frozen(repr=False)
class Reconciled:
    """The better fact of the two, what does not fit, and which labels stand for which lengths."""

    fact: Fact
    clashes: tuple[Clash, ...] = ()
    labels: tuple[tuple[Dim, Size], ...] = ()


def is_label(size: Size) -> bool:
    """Whether a declared dim is a name that no input bears."""
    return isinstance(size, Dim) and size.is_symbol and size.made


def reconcile(name: str, inferred: Fact, declaration: Declaration, fresh: Callable[[], Dim]) -> Reconciled:
    """Compare; inferred wins where both know, a declaration fills what was not inferred.

    ``fresh`` makes the symbols for adopted lengths that bear no name of an input's: the same label in two
    places is no promise that they are equal.
    """
    declared = declaration.fact
    if inferred is UNKNOWN and declared is not UNKNOWN:
        found = _adopted(inferred, declared, fresh)
        message = f"nothing is known of what makes {name}; it is taken to be {found.fact.text}, as declared"
        return evolve(found, clashes=(Clash(codes.ASSUMED_DECLARATION, codes.ASSUMED_DECLARATION.severity, message),))
    if declared is UNKNOWN:
        return _adopted(inferred, declared, fresh)
    mine, theirs = type_string(inferred), type_string(declared)
    if mine is not None and theirs is not None and mine != theirs:
        message = f"{name} is declared {spoken_type(theirs)} but is {spoken_type(mine)}"
        return Reconciled(inferred, (Clash(codes.DECLARED_TYPE_MISMATCH, Severity.ERROR, message),))
    if not isinstance(inferred, Tensor) or not isinstance(declared, Tensor):
        return _adopted(inferred, declared, fresh)
    if inferred.shape is None or declared.shape is None:
        return _adopted(inferred, declared, fresh)
    # A runtime only warns of a wrong shape in value_info, but an output's is what callers rely on.
    severity = Severity.ERROR if declaration.output or declaration.claim else Severity.WARNING
    if len(inferred.shape) != len(declared.shape):
        if not declared.shape:
            # Some writers leave an empty shape, which says scalar, where they mean none at all.
            severity = Severity.WARNING
        message = f"{name} is declared {declared.text} but is {inferred.text}: the ranks differ"
        return Reconciled(inferred, (Clash(codes.DECLARED_SHAPE_MISMATCH, severity, message),))
    return _axes(name, inferred, declared, inferred.shape, declared.shape, severity, declaration.claim)


def _axes(
    name: str, inferred: Tensor, declared: Tensor, ours: Shape, theirs: Shape, severity: Severity, is_claim: bool
) -> Reconciled:
    """Compare axis by axis; a claim of what we cannot decide was found by an inference that knew more."""
    shape, clashes, labels = [], [], []
    undecided = Severity.WARNING if is_claim else severity
    for axis, (mine, said) in enumerate(zip(ours, theirs)):
        shape.append(mine)
        if mine is said or mine == said:
            continue
        if is_label(said):
            assert isinstance(said, Dim), "a label is a symbol"
            if said.name != "?":
                labels.append((said, mine))
        elif isinstance(said, int):
            if equal(mine, said).is_no:
                message = f"axis {axis} of {name} is declared {said} but is {text_of(mine)}"
                clashes.append(Clash(codes.DECLARED_SHAPE_MISMATCH, severity, message, axis))
            elif isinstance(mine, Dim) and any(s.made for s in mine.symbols):
                shape[axis] = said
            else:
                message = f"axis {axis} of {name} is declared {said} but is {text_of(mine)}, which inputs may change"
                clashes.append(Clash(codes.DECLARED_SHAPE_MISMATCH, undecided, message, axis, (mine, said)))
        elif not any(s.made for s in getattr(mine, "symbols", ())) and not equal(mine, said).is_yes:
            message = f"axis {axis} of {name} is declared {text_of(said)} but is {text_of(mine)}"
            clashes.append(Clash(codes.LABEL_CONFLICT, Severity.WARNING, message, axis, (mine, said)))
    dtype = DType(inferred.dtype or declared.dtype)
    return Reconciled(tensor(dtype, tuple(shape), inferred.value, inferred.extremes), tuple(clashes), tuple(labels))


def _adopted(inferred: Fact, declared: Fact, fresh: Callable[[], Dim]) -> Reconciled:
    labels: list[tuple[Dim, Size]] = []

    def own(size: Size) -> Size:
        if not is_label(size):
            return size
        assert isinstance(size, Dim), "a label is a symbol"
        made = fresh()
        if size.name != "?" and isinstance(declared, Tensor):
            labels.append((size, made))
        return made

    if isinstance(inferred, Tensor) and inferred.shape is not None:
        return Reconciled(complete(inferred, declared))
    return Reconciled(complete(inferred, resized(declared, own)), (), tuple(labels))

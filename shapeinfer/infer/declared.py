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
    before: str
    behind: str
    """What to say of it, before the name of the value and behind it."""
    axis: int | None = None
    names: tuple[Size, Size] | None = None
    """Two lengths that differ only as long as nothing later shows that they are equal."""

    def message(self, name: str) -> str:
        return f"{self.before}{name}{self.behind}"


@frozen(repr=False)
class Reconciled:
    """The better fact of the two, what does not fit, and which labels stand for which lengths."""

    fact: Fact
    clashes: tuple[Clash, ...] = ()
    labels: tuple[tuple[Dim, Size], ...] = ()


def is_label(size: Size) -> bool:
    """Whether a declared dim is a name that no input bears."""
    return isinstance(size, Dim) and size.is_symbol and size.made


def reconcile(inferred: Fact, declaration: Declaration, fresh: Callable[[], Dim]) -> Reconciled:
    """Compare; inferred wins where both know, a declaration fills what was not inferred.

    ``fresh`` makes the symbols for adopted lengths that bear no name of an input's: the same label in two
    places is no promise that they are equal.
    """
    declared = declaration.fact
    if inferred is UNKNOWN and declared is not UNKNOWN:
        found = _adopted(inferred, declared, fresh)
        code, taken = codes.ASSUMED_DECLARATION, f"; it is assumed to be {found.fact.text}, as declared"
        return evolve(found, clashes=(Clash(code, code.severity, "no rule infers ", taken),))
    if declared is UNKNOWN:
        return _adopted(inferred, declared, fresh)
    mine, theirs = type_string(inferred), type_string(declared)
    if mine is not None and theirs is not None and mine != theirs:
        both = f" is declared {spoken_type(theirs)} but is {spoken_type(mine)}"
        return Reconciled(inferred, (Clash(codes.DECLARED_TYPE_MISMATCH, Severity.ERROR, "", both),))
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
        both = f" is declared {declared.text} but is {inferred.text}: the ranks differ"
        return Reconciled(inferred, (Clash(codes.DECLARED_SHAPE_MISMATCH, severity, "", both),))
    return _axes(inferred, declared, inferred.shape, declared.shape, severity, declaration.claim)


def _axes(
    inferred: Tensor, declared: Tensor, ours: Shape, theirs: Shape, severity: Severity, is_claim: bool
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
                clashes.append(_differing(codes.DECLARED_SHAPE_MISMATCH, severity, axis, mine, said))
            elif isinstance(mine, Dim) and any(s.made for s in mine.symbols):
                shape[axis] = said
            else:
                clash = _differing(codes.DECLARED_SHAPE_MISMATCH, undecided, axis, mine, said)
                clashes.append(
                    evolve(clash, behind=f"{clash.behind}, which depends on the input sizes", names=(mine, said))
                )
        elif not any(s.made for s in getattr(mine, "symbols", ())) and not equal(mine, said).is_yes:
            clash = _differing(codes.LABEL_CONFLICT, Severity.WARNING, axis, mine, said)
            clashes.append(evolve(clash, names=(mine, said)))
    dtype = DType(inferred.dtype or declared.dtype)
    return Reconciled(tensor(dtype, tuple(shape), inferred.value, inferred.extremes), tuple(clashes), tuple(labels))


def _differing(code: Code, severity: Severity, axis: int, mine: Size, said: Size) -> Clash:
    return Clash(code, severity, f"axis {axis} of ", f" is declared {text_of(said)} but is {text_of(mine)}", axis)


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

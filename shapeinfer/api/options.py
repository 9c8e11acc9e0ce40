"""What a caller fixes for a model: sizes, assumptions, limits. The keywords of every public function are these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, get_args

from attrs import evolve, field, frozen

from shapeinfer.budget import MAX_EXPRESSION, MAX_MEMORY, MAX_SECONDS, Budget
from shapeinfer.dims.notation.arguments import (
    ByDim,
    ConditionLike,
    DimLike,
    by_name,
    conditions_as_text,
    plain_number,
    sizes_by_name,
    text_of_dim,
)
from shapeinfer.facts import Profile
from shapeinfer.frontends.formats import DefaultInputs, Reading
from shapeinfer.infer.constraints.caller import Constraints
from shapeinfer.infer.constraints.redeclared import GivenShapes, has_names

__all__ = ["DEFAULTS", "DefaultInputs", "Keywords", "Options", "options_from", "require_known"]


def require_known(what: str, value: str, known: Sequence[str]) -> None:
    """Raise a ValueError for a word that is none of those known."""
    if value not in known:
        raise ValueError(f"unknown {what} {value!r}; known: {', '.join(known)}")


def _sizes(given: ByDim[int]) -> Mapping[str, int]:
    """Return sizes by the text of dims."""
    return sizes_by_name(given, "bind")


def _shapes(given: Mapping[str, Sequence[DimLike]]) -> GivenShapes:
    """Return shapes whose dims of sympy's are numbers or text. Raises ValueError for what is no mapping."""
    if not isinstance(given, Mapping):
        raise ValueError(f"shapes is {given!r}; give a mapping by the names of inputs, such as {{'x': ['N', 3]}}")
    return {name: _dims(name, dims) for name, dims in given.items()}


def _dims(name: str, dims: Any) -> Any:
    if isinstance(dims, str) or not isinstance(dims, Iterable):
        return dims  # which the inference reports
    return [text_of_dim(dim, f"axis {axis} of {name}") for axis, dim in enumerate(dims)]


def _ranges(given: ByDim[tuple[int, int | None]]) -> Mapping[str, tuple[int, int | None]]:
    """Return ranges by the text of dims. Raises ValueError for what is no pair."""
    return {name: _range(name, pair) for name, pair in by_name(given, "ranges").items()}


def _range(name: str, pair: Any) -> tuple[int, int | None]:
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise ValueError(f"the range of {name} is {pair!r}; give a pair such as (1, 64) or (1, None)") from None
    return plain_number(low), plain_number(high)


@frozen(kw_only=True)
class Options:
    """What a caller fixes for a model.

    A dim may also be given as a Dim or a sympy expression, a condition as a Condition or a sympy relational or boolean;
    their symbols stand for the dims of the same names. Raises ValueError for an expression that is none, for an unknown
    ``default_inputs`` or ``profile`` and for a limit that leaves nothing to infer. A size that an input cannot have is
    reported in the ``Report``, like any other fault of a model.
    """

    bind: Mapping[str, int] = field(factory=dict, converter=_sizes)
    """Sizes of input dims, by name or by the formula that an input declares, such as ``{"batch": 1}``."""
    shapes: GivenShapes = field(factory=dict, converter=_shapes)
    """Whole shapes of inputs by name.

    A name among the dims declares them anew: ``{"x": ["batch", 3, "H", "W"]}`` finds what keeps ``x`` from having
    other sizes. One name is one size, also that of a dim that the model declares. What the model declares of computed
    values describes the sizes before, so numbers there are ignored.
    """
    ranges: Mapping[str, tuple[int, int | None]] = field(factory=dict, converter=_ranges)
    """Bounds of input dims, both ends included, None for no upper one: the model must run for every size in them."""
    assume: Sequence[str] = field(default=(), converter=conditions_as_text)
    """Conditions to assume, such as ``"seq % 8 == 0"``."""
    default_inputs: DefaultInputs = "free"
    """Whether callers may override initializers that are inputs too (IR version 4 and later).

    ``"free"``: they may, so nothing is concluded from their contents. ``"fixed"``: they are constants, which the report
    notes.
    """
    profile: Profile = "spec"
    """Whether to follow OpenVINO's specification or its behaviour where they differ; no effect on ONNX models."""
    max_seconds: float | None = MAX_SECONDS
    """Seconds of inference after which the rest is unknown; None for no limit."""
    max_memory: float = MAX_MEMORY
    """Megabytes that the process may grow by, beyond which the rest is unknown."""
    max_expression: int = MAX_EXPRESSION
    """Operations in a dim beyond which it becomes a fresh symbol."""

    def __attrs_post_init__(self) -> None:
        require_known("default_inputs", self.default_inputs, get_args(DefaultInputs))
        require_known("profile", self.profile, get_args(Profile))
        _ = self.budget  # which refuses limits that leave nothing to infer

    @property
    def constraints(self) -> Constraints:
        """What they say of the sizes of inputs, as the engine takes it."""
        return Constraints(self.bind, self.shapes, self.ranges, self.assume)

    @property
    def reading(self) -> Reading:
        """What they say of how a model is read, as frontends take it."""
        return Reading(default_inputs=self.default_inputs, profile=self.profile, shapes=_numbers(self.shapes))

    @property
    def budget(self) -> Budget:
        """Their limits."""
        return Budget(self.max_seconds, self.max_expression, self.max_memory)


def _numbers(shapes: GivenShapes) -> dict[str, Sequence[int]]:
    """Return the shapes that are numbers alone, or no shapes at all, which the inference reports."""
    return {name: dims for name, dims in shapes.items() if not has_names(dims)}  # type: ignore[misc]


DEFAULTS = Options()


class Keywords(TypedDict, total=False):
    """The fields of ``Options`` as keywords of a function."""

    bind: ByDim[int] | None
    shapes: Mapping[str, Sequence[DimLike]] | None
    ranges: ByDim[tuple[int, int | None]] | None
    assume: ConditionLike | Sequence[ConditionLike]
    default_inputs: DefaultInputs
    profile: Profile
    max_seconds: float | None
    max_memory: float
    max_expression: int


def options_from(options: Options | None, keywords: Keywords) -> Options:
    """Return the options that a function is called with: its keywords override those in ``options``.

    A keyword that is None counts as left out, except ``max_seconds``, where it means no limit. Raises TypeError for an
    unknown keyword, ValueError as ``Options`` does.
    """
    if not keywords:
        return options or DEFAULTS
    fields: dict[str, Any] = {k: v for k, v in keywords.items() if v is not None or k == "max_seconds"}
    return Options(**fields) if options is None else evolve(options, **fields)

"""What is a length? An int, or an interned symbolic Dim; arithmetic, questions, conditions and text."""

from shapeinfer.dims.arithmetic import (
    add,
    broadcast,
    ceildiv,
    evaluate,
    exact_div,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    product,
    quotient,
    sub,
    substitute,
    total,
)
from shapeinfer.dims.comparisons import parse_condition
from shapeinfer.dims.conditions import (
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Divides,
    Equal,
    at_least,
    below,
    broadcastable,
    nonzero,
)
from shapeinfer.dims.dim import Dim, Size, slot, symbol
from shapeinfer.dims.grammar import DimSyntaxError, parse, parse_with
from shapeinfer.dims.implied import follows, implies, minimal
from shapeinfer.dims.learned import better, consequences, learned
from shapeinfer.dims.linear import Contradiction, determined, is_linear
from shapeinfer.dims.numbers import count_of_elements
from shapeinfer.dims.questions import Answer, capped_by, divides, equal, less, less_equal
from shapeinfer.dims.ratio import Ratio, dyadic, ratio
from shapeinfer.dims.rewriting import Rules, rewritten, rules_of
from shapeinfer.dims.simplify import simplest
from shapeinfer.dims.terms import divisors_of, growth, weight_of_size
from shapeinfer.dims.text import portable_text, text_of
from shapeinfer.dims.witness import witness

__all__ = [
    "AllOf",
    "Answer",
    "AnyOf",
    "AtMost",
    "Condition",
    "Contradiction",
    "Dim",
    "DimSyntaxError",
    "Divides",
    "Equal",
    "Ratio",
    "Rules",
    "Size",
    "add",
    "at_least",
    "below",
    "better",
    "broadcast",
    "broadcastable",
    "capped_by",
    "ceildiv",
    "consequences",
    "count_of_elements",
    "determined",
    "divides",
    "divisors_of",
    "dyadic",
    "equal",
    "evaluate",
    "exact_div",
    "floordiv",
    "follows",
    "growth",
    "implies",
    "is_linear",
    "learned",
    "less",
    "less_equal",
    "maximum",
    "minimal",
    "minimum",
    "mod",
    "mul",
    "nonzero",
    "parse",
    "parse_condition",
    "parse_with",
    "portable_text",
    "product",
    "quotient",
    "ratio",
    "rewritten",
    "rules_of",
    "simplest",
    "slot",
    "sub",
    "substitute",
    "symbol",
    "text_of",
    "total",
    "weight_of_size",
    "witness",
]

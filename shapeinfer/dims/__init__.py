"""What is a dimension size? An int, or a hash-consed symbolic Dim; arithmetic, decisions, conditions and text."""

import shapeinfer.dims.notation.sympified  # noqa: F401 - registers the notation
from shapeinfer.dims.conditions.condition import (
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
from shapeinfer.dims.conditions.decisions import Answer, capped_by, divides, divisors_of, equal, less, less_equal
from shapeinfer.dims.conditions.implication import follows, implies, minimal
from shapeinfer.dims.conditions.linear import Contradiction, determined, is_linear
from shapeinfer.dims.conditions.rewriting import Rules, rewritten, rules_of
from shapeinfer.dims.conditions.satisfying import satisfying
from shapeinfer.dims.conditions.simplify import simplest
from shapeinfer.dims.conditions.solve_for_symbol import better, consequences, solve_for_symbol
from shapeinfer.dims.conditions.witness import witness
from shapeinfer.dims.notation.condition_grammar import parse_condition
from shapeinfer.dims.notation.grammar import parse, parse_with
from shapeinfer.dims.notation.tokens import DimSyntaxError
from shapeinfer.dims.ratio import Ratio, dyadic, ratio
from shapeinfer.dims.terms.arithmetic import (
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
from shapeinfer.dims.terms.decompose import growth
from shapeinfer.dims.terms.dim import Dim, Size, has_fresh_symbol, slot, symbol
from shapeinfer.dims.terms.floating import Floating, Operand, floating
from shapeinfer.dims.terms.ieee import NoValueError, nearest
from shapeinfer.dims.terms.numbers import count_of_elements
from shapeinfer.dims.terms.printing import portable_text, text_of
from shapeinfer.dims.terms.rounded import Rounded, is_integral, rounded
from shapeinfer.dims.terms.sizes import weight_of_size

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
    "Floating",
    "NoValueError",
    "Operand",
    "Ratio",
    "Rounded",
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
    "floating",
    "floordiv",
    "follows",
    "growth",
    "has_fresh_symbol",
    "implies",
    "is_integral",
    "is_linear",
    "less",
    "less_equal",
    "maximum",
    "minimal",
    "minimum",
    "mod",
    "mul",
    "nearest",
    "nonzero",
    "parse",
    "parse_condition",
    "parse_with",
    "portable_text",
    "product",
    "quotient",
    "ratio",
    "rewritten",
    "rounded",
    "rules_of",
    "satisfying",
    "simplest",
    "slot",
    "solve_for_symbol",
    "sub",
    "substitute",
    "symbol",
    "text_of",
    "total",
    "weight_of_size",
    "witness",
]

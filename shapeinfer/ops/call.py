"""Infer one call of an operator: check it against its schema, run its rule, set the element types of its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

from attrs import field, frozen

from shapeinfer.budget import MAX_EXPRESSION
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.finding import Claim, Finding
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.dims import Dim, Size, weight_of_size
from shapeinfer.facts import (
    MAX_AXES,
    MAX_CONTENTS,
    UNKNOWN,
    DType,
    Fact,
    Tensor,
    UnknownRank,
    tensor,
)
from shapeinfer.graph import Call
from shapeinfer.ops import check, limits
from shapeinfer.ops.attributes import parameter, typed
from shapeinfer.ops.context import Context
from shapeinfer.ops.folding import folded
from shapeinfer.ops.registry import ContentsRule, Rule, find_contents, find_rule, find_value_range
from shapeinfer.ops.signature import Signature, signature
from shapeinfer.ops.types import output_fact

SEEDED = 4
"""Integer outputs of at most this many elements get a symbol for each entry, so that later uses agree."""


@frozen(eq=False, repr=False)
class Outcome:
    """The outcome of a call: a fact for each named output, with claims and findings.

    ``slots`` are the placeholders of the fresh symbols, which differ for each occurrence of the call.
    """

    facts: tuple[Fact, ...]
    claims: tuple[Claim, ...] = ()
    findings: tuple[Finding, ...] = ()
    slots: tuple[Dim, ...] = ()
    ruled: bool = True
    """Whether the operator has a rule; without one it may have a body to infer instead."""
    plain: bool = field(init=False)
    """Whether the facts are all there is to it, so that a replay need only hand them out."""

    @plain.default
    def _is_clean(self) -> bool:
        return self.ruled and not (self.claims or self.findings or self.slots)


def infer_call(call: Call, inputs: Sequence[Fact | None], most: int = MAX_EXPRESSION) -> Outcome:
    """Infer the outputs of one call from the facts of its inputs. Never raises for a wrong call.

    A dim of more than ``most`` operations is replaced by a fresh symbol. Raises OverBudget as ``budget.look`` does, and
    MemoryError.
    """
    declared = signature(call.domain, call.op_type, call.opset)
    ctx = Context(declared.since if declared else call.opset, len(call.outputs), call.domain, call.profile)
    ctx.named = call.outputs
    if declared is None:
        check.unknown_operator(ctx, call)
        return Outcome((UNKNOWN,) * len(call.outputs), (), tuple(ctx.findings))
    for code, message in call.attributes.faults:
        ctx.report(code, message)
    readable = not any(code in (codes.ATTRIBUTE_TYPE, codes.DUPLICATE_NAME) for code, _ in call.attributes.faults)
    held = typed(ctx, declared, call.attributes)
    sound = readable and len(ctx.findings) == len(call.attributes.faults)
    sound &= check.arity(ctx, declared, inputs, call.outputs)
    sound &= not readable or check.attributes(ctx, declared, held.values, held.types)
    # A rule may cover versions that lack some of its attributes.
    attributes = {parameter(n): v for n, v in held.values.items() if declared.open or n in declared.attributes}
    bound, agree = check.element_types(ctx, declared, inputs)
    rule = find_rule(call.domain, call.op_type, declared.since)
    results: list[Any] = []
    inputs, fit = _allowed_inputs(declared, inputs)
    if sound and fit and rule is not None:
        ctx.parameters = rule.parameters
        ctx.formals = {p: declared.input(i).name for i, p in enumerate(rule.parameters) if declared.inputs}
        results = _run(ctx, rule, inputs, attributes)
    if rule is not None and rule.fold and agree and ctx.fresh_symbols and not ctx.findings:
        results = folded(call, inputs) or results
    facts = []
    for i, present in enumerate(call.outputs):
        result = results[i] if i < len(results) else None
        if result is None and rule is not None:
            result = _fresh_shape(ctx, rule, i)
        fact = output_fact(declared, bound, i, result) if present else UNKNOWN
        facts.append(fact)
    if facts and sound and fit and agree and not ctx.findings and isinstance(facts[0], Tensor) and call.outputs[0]:
        facts[0] = _with_contents(ctx, declared, facts[0], inputs, attributes)
    facts = limits.check(ctx, call, inputs, facts)
    facts = [_with_symbolic_entries(ctx, _limited(ctx, limits.within_limits(f), most)) for f in facts]
    return Outcome(tuple(facts), tuple(ctx.claims), tuple(ctx.findings), tuple(ctx.fresh_symbols), rule is not None)


def _allowed_inputs(declared: Signature, inputs: Sequence[Fact | None]) -> tuple[list[Fact | None], bool]:
    """Narrow unknown inputs to the kind that the schema allows; return whether all inputs are of allowed kinds, too."""
    out: list[Fact | None] = []
    fit = True
    for i, fact in enumerate(inputs):
        if declared.open:
            # Such a rule takes tensors unless it tests the kind.
            fact = tensor(DType.UNDEFINED, None) if fact is UNKNOWN else fact
        elif declared.inputs and fact is not None and not isinstance(fact, Tensor):
            kinds = {t.partition("(")[0] for t in declared.allowed(declared.input(i))}
            if fact is UNKNOWN and kinds == {"tensor"}:
                fact = tensor(DType.UNDEFINED, None)
            elif fact is not UNKNOWN and kinds == {"tensor"}:
                fit = False
        out.append(fact)
    return out, fit


def _run(ctx: Context, rule: Rule, inputs: Sequence[Fact | None], attributes: Mapping[str, Any]) -> list[Any]:
    """Call a rule with the arguments of its signature; return its outputs, none where it stopped."""
    try:
        result = rule.function(ctx, *_positional(rule, inputs), **rule.arguments(attributes))
    except (UnknownRank, RuleStopped):
        return []
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a rule that fails is our fault, and must not end the run
        _internal_error(ctx, f"the rule for {rule.name}", error)
        return []
    return result if isinstance(result, list) else [result]


def _internal_error(ctx: Context, what: str, error: Exception) -> None:
    import traceback  # only after a fault of our own

    where = traceback.extract_tb(error.__traceback__)[-1]
    kind = type(error).__name__
    ctx.report(codes.INTERNAL_ERROR, f"{what} failed with {kind}: {error} ({where.name}:{where.lineno})")


def _positional(rule: Rule, inputs: Sequence[Fact | None]) -> list[Fact | None]:
    if rule.variadic:
        return list(inputs)
    present = list(inputs[: len(rule.parameters)])
    return present + [None] * (len(rule.parameters) - len(present))


def _fresh_shape(ctx: Context, rule: Rule, output: int) -> tuple[Any, ...] | None:
    rank = rule.rank(output)
    return None if rank is None else tuple(ctx.placeholder() for _ in range(rank))


def _with_contents(
    ctx: Context,
    declared: Signature,
    out: Tensor,
    inputs: Sequence[Fact | None],
    attributes: Mapping[str, Any],
) -> Tensor:
    """Add the entries of a small output if they are known, or else their range."""
    if out.value is not None:
        return out
    key = declared.domain, declared.name, declared.since
    rule = find_rule(*key)
    if rule is None:
        return out
    operands = out, *_positional(rule, inputs)
    if is_small(out):
        value = _contents_of(ctx, find_contents(*key), operands, attributes, f"the contents of {declared.name}")
        if value is not None:
            return out.holding(value)
    if not out.dtype.is_integer:
        return out
    ends = _contents_of(ctx, find_value_range(*key), operands, attributes, f"the ends of {declared.name}")
    if isinstance(ends, list):
        return out.between_along_last_axis(tuple(ends))
    return out if ends is None else out.between(*ends)


def _contents_of(
    ctx: Context, how: ContentsRule | None, operands: Sequence[Any], attributes: Mapping[str, Any], what: str
) -> Any:
    """Call a contents rule; None if the contents are unknown. ``what`` names it in messages."""
    if how is None:
        return None
    try:
        return how.function(*operands, **{name: attributes[name] for name in how.attributes if name in attributes})
    except UnknownRank:
        return None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - as for rules
        _internal_error(ctx, what, error)
        return None


def is_small(x: Tensor) -> bool:
    """Whether a tensor's shape is known and has few enough axes and elements for its contents to be carried."""
    volume = 1
    if len(x.shape or ()) > MAX_AXES:
        return False
    for d in x.shape if x.shape is not None else (MAX_CONTENTS + 1,):
        if not isinstance(d, int) or d > MAX_CONTENTS:
            return False
        volume *= d
    return volume <= MAX_CONTENTS


def _limited(ctx: Context, fact: Fact, most: int) -> Fact:
    """Replace dims and entries of too many operations by fresh symbols, with a note."""
    if not isinstance(fact, Tensor) or not any(_is_large(d, most) for d in (*(fact.shape or ()), *(fact.value or ()))):
        return fact
    message = f"a dim has more than {most} operations; it is unknown from here on"
    ctx.report(codes.EXPRESSION_TOO_LARGE, message)
    shape = tuple(ctx.placeholder(d.low, d.high) if _is_large(d, most) else d for d in fact.shape or ())
    value = None if fact.value is None else tuple(None if _is_large(v, most) else v for v in fact.value)
    return tensor(fact.dtype, None if fact.shape is None else shape, value)


def _is_large(size: object, most: int) -> TypeGuard[Dim]:
    return isinstance(size, Dim) and not size.is_symbol and weight_of_size(size) > most


def _with_symbolic_entries(ctx: Context, fact: Fact) -> Fact:
    return with_entries(fact, lambda: ctx.placeholder(None))


def with_entries(fact: Fact, fresh: Callable[[], Size]) -> Fact:
    """Return a short list of unknown integers, or one, with a symbol for each; every other fact as it is."""
    if not isinstance(fact, Tensor) or fact.dtype not in (DType.INT64, DType.INT32) or fact.value is not None:
        return fact
    shape = fact.shape
    if shape is None or len(shape) > 1:
        return fact
    count = shape[0] if shape else 1
    if not isinstance(count, int) or count > SEEDED:
        return fact
    return tensor(fact.dtype, shape, tuple(fresh() for _ in range(count)))

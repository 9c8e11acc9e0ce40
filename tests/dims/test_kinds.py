"""Each kind of term and condition brings all that is asked of one, in its own class."""

from typing import TypeVar

import pytest

from shapeinfer.dims import AllOf, AnyOf, AtMost, Condition, Divides, Equal
from shapeinfer.dims.terms.dim import Dim
from shapeinfer.dims.terms.expression import Expression

Kind = TypeVar("Kind")


def kinds(base: type[Kind]) -> list[type[Kind]]:
    """The classes below one that have none below them."""
    below: list[type[Kind]] = base.__subclasses__()
    return [kind for each in below for kind in kinds(each)] if below else [base]


TERMS = kinds(Expression)


def test_the_kinds_are_these() -> None:
    assert sorted(kind.__name__ for kind in TERMS) == ["Broadcast", "Floor", "Max", "Min", "Plus", "Rounded", "Times"]
    assert set(kinds(Condition)) == {Equal, AtMost, Divides, AnyOf, AllOf}


@pytest.mark.parametrize("kind", TERMS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "name", ["accept", "bounds", "compute", "growth", "interval", "rebuilt", "symbols", "text", "written"]
)
def test_a_kind_of_expression_implements_what_every_dim_declares(kind: type[Expression], name: str) -> None:
    assert getattr(kind, name) is not getattr(Dim, name)


@pytest.mark.parametrize("kind", kinds(Condition), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", ["_decide", "accept", "cost", "derive", "substitute", "text"])
def test_a_kind_of_condition_implements_what_every_condition_declares(kind: type[Condition], name: str) -> None:
    assert getattr(kind, name) is not getattr(Condition, name)


def test_kinds_have_places_of_their_own_in_every_order() -> None:
    assert len({kind.rank for kind in TERMS}) == len(TERMS)
    assert len({kind.rank for kind in kinds(Condition)}) == len(kinds(Condition))

"""What an inference may take for granted, for questions that are asked of it later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import Factory, frozen

from shapeinfer.dims import Answer, Condition, Dim, Size, follows, simplest, substitute


@frozen(repr=False)
class Premises:
    """What holds for all inputs that are asked about."""

    conditions: tuple[Condition, ...] = ()
    learned: Mapping[Dim, Size] = Factory(dict)
    narrowed: Mapping[Dim, Size] = Factory(dict)

    def current(self, size: Size) -> Size:
        """Return a length with all that was learned, its symbols in the range that they were found to have."""
        return substitute(size, self.learned)

    def declared(self, size: Dim) -> Dim:
        """Return a length in the symbols that the model declares."""
        found = substitute(size, self.narrowed)
        assert isinstance(found, Dim), "a symbol of a narrower range stands for itself"
        return found

    def asked(self, condition: Condition) -> Answer:
        """Answer a question about lengths that are current."""
        answer = condition.answer()
        if answer.is_maybe:
            condition = simplest(condition)
            answer = condition.answer()
        if answer.is_maybe and follows([c for c in self.conditions if c.symbols & condition.symbols], condition):
            return Answer.YES
        return answer


def premises_of(asked: Iterable[Condition], learned: Mapping[Dim, Size], narrowed: Mapping[Dim, Size]) -> Premises:
    """Return what holds for all inputs that meet what was asked of them."""
    conditions = (condition.substitute(learned) for condition in asked)
    return Premises(tuple(c for c in conditions if not c.answer().is_yes), learned, narrowed)

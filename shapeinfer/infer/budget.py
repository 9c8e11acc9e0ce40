"""How far a model is followed: what a caller may spend on it."""

from __future__ import annotations

import time

from attrs import field, frozen, validators

from shapeinfer.ops.call import MAX_SIZE


@frozen(repr=False)
class Budget:
    """Limits of one inference. Raises ValueError for one that leaves nothing to be done.

    ``seconds`` counts from here; without it nothing depends on time. A length of more operations than
    ``expression`` is not followed.
    """

    seconds: float | None = field(default=None, validator=validators.optional(validators.gt(0)))
    expression: int = field(default=MAX_SIZE, validator=validators.ge(1))
    _until: float | None = field(init=False, eq=False)

    @_until.default
    def _counted_from_now(self) -> float | None:
        return None if self.seconds is None else time.monotonic() + self.seconds

    @property
    def is_spent(self) -> bool:
        """Whether the time is over."""
        return self._until is not None and time.monotonic() > self._until

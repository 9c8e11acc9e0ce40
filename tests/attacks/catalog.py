"""All attacks, in the order of who is hostile."""

from tests.attacks import editors, files, hints, names, others, repositories
from tests.attacks.scene import ATTACKS

__all__ = ["ATTACKS", "editors", "files", "hints", "names", "others", "repositories"]

"""All attacks, in the order of who is hostile."""

from tests.attacks import files, names, others, repositories
from tests.attacks.scene import ATTACKS

__all__ = ["ATTACKS", "files", "names", "others", "repositories"]

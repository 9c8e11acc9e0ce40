"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _installed

try:
    __version__ = _installed("shapeinfer")
except PackageNotFoundError:
    __version__ = "unknown"

"""TOML that strangers wrote. Its reader takes the square of the parts of a key, and as long for each key below it."""

from __future__ import annotations

import re
import sys
from typing import Any

if sys.version_info >= (3, 11):
    from tomllib import TOMLDecodeError, loads
else:
    from tomli import TOMLDecodeError, loads

__all__ = ["TOMLDecodeError", "read"]

MOST_PARTS = 32
"""No key has more parts than this."""
_PART = r"""[\w"'-]{1,200}"""
_LONG = re.compile(rf"""(?<![\w"'-]){_PART}(?:[ \t]{{0,8}}\.[ \t]{{0,8}}{_PART}){{{MOST_PARTS}}}""")


def read(data: bytes) -> dict[str, Any]:
    """Return the table that bytes hold. Raises UnicodeDecodeError, and TOMLDecodeError for what is no TOML."""
    text = data.decode("utf-8")
    if _LONG.search(text) is not None:
        raise TOMLDecodeError(f"a key of more than {MOST_PARTS} parts is not read")
    try:
        table: dict[str, Any] = loads(text)
    except TOMLDecodeError:
        raise
    except ValueError:  # Python reads no integer of thousands of digits
        raise TOMLDecodeError("a number in it has too many digits") from None
    except RecursionError:
        raise TOMLDecodeError("it is nested too deeply") from None
    return table

"""Which files of Python rules a person allowed to run, by their path and their content.

The list lies in the person's own configuration folder, where nothing that was cloned or unpacked reaches it.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from shapeinfer import regular
from shapeinfer.report.save import replace

MOST = 1 << 20
"""No list of files and no file of rules has more bytes than this."""
_VERSION = 1


class TrustError(Exception):
    """The list of trusted files cannot be used; the message says why and what to do."""


def list_file() -> Path:
    """Return where the list is. Raises TrustError where this person has no folder for it."""
    import click

    folder = Path(click.get_app_dir("shapeinfer"))
    if not folder.is_absolute():  # XDG_CONFIG_HOME or HOME is relative: a folder of the checkout could be meant
        raise TrustError(f"the configuration folder {folder} is relative; set HOME to an absolute path")
    return folder / "trusted.json"


def is_trusted(file: Path, data: bytes) -> bool:
    """Whether a person allowed a file to run as it is now; ``data`` is its content."""
    try:
        return trusted().get(_key(file)) == digest(data)
    except TrustError:
        return False


def trusted() -> dict[str, str]:
    """Return the digests of the files that may run, by their paths. Raises TrustError for a list that is broken."""
    file = list_file()
    try:
        if regular.is_foreign(file):
            raise TrustError(f"{file} belongs to another user; remove it")
        whole = json.loads(regular.read(file, MOST))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TrustError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        whole = None
    files = whole.get("files") if isinstance(whole, dict) and whole.get("version") == _VERSION else None
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise TrustError(f"{file} is not a list of trusted files; remove it and trust the files again")
    return files


def trust(file: Path) -> str:
    """Allow a file to run as it is now, and return its digest. Raises TrustError."""
    try:
        data = regular.read(file, MOST)
    except OSError as error:
        raise TrustError(f"{file} cannot be read: {error.strerror or error}") from None
    _write({**trusted(), _key(file): digest(data)})
    return digest(data)


def distrust(file: Path) -> bool:
    """Take a file from the list; returns whether it was on it. Raises TrustError."""
    files = trusted()
    was = files.pop(_key(file), None) is not None
    if was:
        _write(files)
    return was


def digest(data: bytes) -> str:
    """Return the SHA-256 of contents in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _key(file: Path) -> str:
    return os.path.realpath(file)


def _write(files: dict[str, str]) -> None:
    file = list_file()
    data = json.dumps({"version": _VERSION, "files": dict(sorted(files.items()))}, indent=2) + "\n"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(os.fspath(file), [data.encode("ascii")])
        file.chmod(0o600)
    except OSError as error:
        raise TrustError(f"{file} cannot be written: {error.strerror or error}") from None

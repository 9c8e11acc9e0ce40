"""Ask whether a release of onnx or onnxruntime is out that the lock file does not pin, so that its operators are seen.

``python3 -I tests/releases.py`` names each that is newer and exits with 1. It installs nothing: what is published is
read by a person first. Then the lock file is made again, and ``python -m tests.ops.registered`` lists what is new.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parents[1] / ".ci" / "requirements.txt"
PACKAGES = ("onnx", "onnxruntime")


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version without its suffix."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def pinned(package: str, lock: str) -> str:
    """Return the newest version of a package that a lock file pins; some Pythons have older ones."""
    pins: list[str] = re.findall(rf"^{re.escape(package)}==([\w.]+)", lock, re.MULTILINE)
    return max(pins, key=numbers)


def published(package: str) -> str:
    """Return the newest version of a package that the index offers."""
    command = [sys.executable, "-I", "-m", "pip", "index", "versions", package]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.match(rf"{re.escape(package)} \(([\w.]+)\)", out)
    if found is None:
        raise ValueError(f"pip does not say which version of {package} is the newest: {out[:80]!r}")
    return found[1]


def newer(package: str, known: str, newest: str) -> str:
    """Return what to do about a release, empty where it is known."""
    if numbers(newest) <= numbers(known):
        return ""
    return f"{package} {newest} is published; .ci/requirements.txt pins {known}: see CONTRIBUTING.md, New operators"


def main() -> int:
    """Print the releases that are not known; return 1 if there are any."""
    lock = LOCK.read_text(encoding="utf-8")
    lines = [newer(package, pinned(package, lock), published(package)) for package in PACKAGES]
    print("\n".join(filter(None, lines)) or f"{' and '.join(PACKAGES)} are pinned at their newest versions")
    return 1 if any(lines) else 0


if __name__ == "__main__":
    sys.exit(main())

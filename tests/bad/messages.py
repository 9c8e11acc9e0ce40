"""The message of every finding on the bad models of this folder and on the failing models of the explain pages.

``python -m tests.bad.messages write`` rewrites ``golden/messages.txt``, so that a change of wording is seen in review.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx

from shapeinfer import Report, check
from shapeinfer.diagnostics.codes import CODES
from tests.bad.cases import FOLDER, read
from tests.test_explain import SHOWN

GOLDEN = FOLDER / "golden" / "messages.txt"


def rendered() -> str:
    """Return one line a message, ``code: message``, sorted, each once."""
    found: set[str] = set()
    for theme in sorted(path.stem for path in FOLDER.glob("*.txt")):
        for case in read(theme):
            found |= _lines(check(case.model().SerializeToString()))
    for code in CODES.values():
        for word, text in SHOWN.findall(code.page):
            if word == "Fails":
                found |= _lines(check(onnx.parser.parse_model(text).SerializeToString()))
    return "".join(f"{line}\n" for line in sorted(found))


def _lines(report: Report) -> set[str]:
    found = (each for d in report.diagnostics for each in (d, *d.related))
    return {f"{d.code.name}: {d.message}" for d in found}


def _main() -> None:
    if sys.argv[1:] == ["write"]:
        GOLDEN.parent.mkdir(exist_ok=True)
        Path(GOLDEN).write_text(rendered(), encoding="utf-8")
    else:
        sys.stdout.write(rendered())


if __name__ == "__main__":
    _main()

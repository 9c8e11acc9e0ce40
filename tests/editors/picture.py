"""Draw what an editor shows of a model as text: ``python -m tests.editors.picture OUT.svg``.

It is drawn from the answers of the functions that the language server sends to editors: colours, types beside values
and faults with their lines.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from shapeinfer.editors.highlights import highlights
from shapeinfer.editors.hints import hints
from shapeinfer.editors.problems import problems
from shapeinfer.text import Written, check_text

EDITORS = Path(__file__).parents[2] / "examples" / "editors"
COLOURS = {"function": "cyan", "parameter": "green", "type": "yellow", "typeParameter": "magenta", "property": "blue"}


def shown(written: Written, source: str) -> Text:
    """Return a text with its colours, the types that were inferred and the faults behind the lines that they are in."""
    text = Text(source)
    for part in highlights(written):
        text.stylize(COLOURS.get(part.kind, "default"), part.start, part.end)
    added: list[tuple[int, Text]] = [(h.at, Text(h.label, style="bright_black")) for h in hints(written)]
    for problem in problems(written):
        text.stylize("bold red underline", problem.start, problem.end)
        end = source.find("\n", problem.start)
        added.append((len(source) if end < 0 else end, Text(f"   {problem.message.splitlines()[0]}", style="red")))
    for at, label in sorted(added, key=lambda a: a[0], reverse=True):
        text = text[:at] + label + text[at:]
    return text


def main() -> None:
    """Write the picture of which README shows a copy in pixels, so that it needs no font from elsewhere."""
    source = (EDITORS / "mlp.onnxtxt").read_text(encoding="utf-8")
    console = Console(record=True, width=118, file=io.StringIO(), color_system="truecolor")
    console.print(shown(check_text(source), source))
    console.save_svg(sys.argv[1], title="mlp.onnxtxt")


if __name__ == "__main__":
    main()

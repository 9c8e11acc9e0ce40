"""Sessions in real editors: ``python -m tests.editors.real [--pictures FOLDER] [EDITOR ...]``.

Each editor is set up as examples/editors/README.md says, in a home of its own, and driven by keys. What it shows is
read from its screen, and pictures of it are written to a folder to be looked at. An editor that is not installed is
skipped. Needed besides the editors: ``pip install pyte playwright`` and a Chromium. The variable TORCH names an
interpreter with torch, which exports the program of the sessions; without it, they use what it exported before.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.editors.real import code_server, emacs, neovim
from tests.editors.real.scene import NotInstalled, scene

SESSIONS = {"neovim": neovim.play, "emacs": emacs.play, "code-server": code_server.play}


def main() -> None:
    """Play the sessions, and print what worked in each."""
    parser = argparse.ArgumentParser(prog="python -m tests.editors.real", description=__doc__)
    parser.add_argument("editors", nargs="*", metavar="EDITOR", help=", ".join(SESSIONS))
    parser.add_argument("--pictures", type=Path, default=Path("editor-pictures"), help="the folder for pictures")
    given = parser.parse_args()
    failed = False
    for name in given.editors or SESSIONS:
        try:
            with scene(given.pictures.absolute()) as laid_out:
                for seen in SESSIONS[name](laid_out):
                    print(f"{name}: {seen}", flush=True)
        except NotInstalled as missing:
            print(f"{name}: skipped, {missing}", flush=True)
        except AssertionError as error:
            failed = True
            print(f"{name}: FAILED: {error}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()

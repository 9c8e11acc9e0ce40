"""Play every attack on shapeinfer in a scratch folder and print what happened: ``python -m tests.attacks``.

Ends with exit code 1 if one succeeded.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import click

from tests.attacks.catalog import ATTACKS
from tests.attacks.scene import Attack, NotTried, Scene


def played(attack: Attack) -> tuple[str, str]:
    """Return what became of an attack in a word, and what the attacker got."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            got = attack.play(Scene(Path(folder).resolve()))
        except NotTried as why:
            return "not tried", str(why)
    return ("SUCCEEDED", got) if got else ("refused", "")


@click.command(help=__doc__)
@click.argument("names", nargs=-1, metavar="[NAME]...")
def main(names: tuple[str, ...]) -> None:
    """Play the attacks of these names, or all."""
    chosen = [a for a in ATTACKS if not names or a.name in names]
    succeeded = skipped = 0
    for attack in chosen:
        begun = time.monotonic()
        became, got = played(attack)
        succeeded += became == "SUCCEEDED"
        skipped += became == "not tried"
        seconds = time.monotonic() - begun
        print(f"{became:9}  {seconds:5.1f} s  {attack.by}: {attack.what}{f' -> {got}' if got else ''}", flush=True)
    print(f"{len(chosen) - skipped} attacks, {succeeded} succeeded{f'; {skipped} not tried' if skipped else ''}")
    sys.exit(1 if succeeded else 0)


if __name__ == "__main__":
    main()

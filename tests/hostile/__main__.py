"""Measure every kind of hostile file: ``python -m tests.hostile`` prints what each takes, a process for each.

The fault is the one that is expected, or both are told. Ends with exit code 1 if one is not, or takes too much.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from tests.hostile.classes import KINDS, Hostile

SECONDS = 5.0
MEGABYTES = 500
GIVEN_UP = 20


def child(name: str) -> None:
    """Check one kind of file, and write down its report, in this process."""
    from shapeinfer import check
    from shapeinfer.report import text
    from tests.models import faults

    kind = next(k for k in KINDS if k.name == name)
    with tempfile.TemporaryDirectory() as folder:
        path = kind.make(Path(folder))
        begun = time.perf_counter()
        report = check(path)
        "".join(text.render([("m", report)], several=False))
        seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "faults": faults(report)}))


def measured(kind: Hostile) -> tuple[float, float, str]:
    """Return seconds, megabytes at most, and what is wrong with what was said."""
    command = [sys.executable, "-m", "tests.hostile", "--only", kind.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            out, _ = process.communicate(timeout=GIVEN_UP)
        except subprocess.TimeoutExpired:
            process.kill()
            return GIVEN_UP, 0, "given up"
    said = json.loads(out or "{}")
    found = tuple(said.get("faults", ["it crashed"]))
    return said.get("seconds", 0.0), said.get("megabytes", 0.0), "" if found == kind.faults else f"found {found}"


@click.command(help=__doc__)
@click.option("--only", help="Check this kind in this process.")
def main(only: str | None) -> None:
    if only is not None:
        child(only)
        return
    bad = 0
    for kind in KINDS:
        seconds, megabytes, wrong = measured(kind)
        over = seconds > SECONDS or megabytes > MEGABYTES or bool(wrong)
        bad += over
        mark = "!" if over else " "
        print(f"{mark} {seconds:6.2f} s {megabytes:6.0f} MB  {kind.name}: {', '.join(kind.faults) or 'clean'} {wrong}")
    print(f"{len(KINDS)} kinds, {bad} of them too slow, too large or told otherwise")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

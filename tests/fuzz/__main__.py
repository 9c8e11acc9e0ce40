"""Fuzz one target: ``python -m tests.fuzz onnx --seconds 600``.

``growth`` looks for inputs that take more than three times as long when they are twice as long: so many seconds for
each reader, or for each --reader that is named. The other targets look for inputs that fail: guided by coverage where
atheris is installed, blind elsewhere. An input that fails is kept in --out, from where
``python -m tests.fuzz onnx --again FILE`` tries it once more.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import pkgutil
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from random import Random

import click

MEGABYTES = 1024
READERS = ("conditions", "globs", "config", "baseline", "expected", "formulas", "query", "names", "messages")
NAMES = ("onnx", "onnxtxt", "ir", "text", "engine", "calls", "fold", *READERS)


def guided(target: str, seconds: int, seed: int, out: Path) -> None:
    """Fuzz with atheris, which ends the process, at the first input that fails at the latest."""
    import atheris

    with atheris.instrument_imports(include=["shapeinfer"]):
        import shapeinfer

        for module in pkgutil.walk_packages(shapeinfer.__path__, "shapeinfer."):
            if not module.name.endswith("__main__"):
                with contextlib.suppress(ModuleNotFoundError):  # what an extra would bring
                    importlib.import_module(module.name)
    from tests.fuzz import seeds, targets

    corpus = Path(tempfile.mkdtemp(prefix="corpus"))
    for i, data in enumerate(seeds.of(target)):
        (corpus / f"seed{i}").write_bytes(data)
    words = corpus.with_suffix(".dict")
    words.write_text("".join(f'"{word}"\n' for word in seeds.WORDS), encoding="utf-8")
    flags = [f"-max_total_time={seconds}", f"-seed={seed}", f"-dict={words}", f"-artifact_prefix={out}/{target}-"]
    flags += [f"-rss_limit_mb={MEGABYTES}", f"-timeout={20 * targets.SECONDS}", "-max_len=8192", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], lambda data: targets.tried(target, data))
    atheris.Fuzz()


def blind(target: str, seconds: int, seed: int, out: Path) -> int:
    """Fuzz with random changes; return how many inputs failed, of which each kind of failure is kept once."""
    from tests.fuzz import seeds, targets
    from tests.fuzz.blind import inputs

    kinds: set[tuple[object, ...]] = set()
    count, until = 0, time.monotonic() + seconds
    for data in inputs(seeds.of(target), Random(seed)):
        if time.monotonic() > until:
            break
        count += 1
        try:
            targets.tried(target, data)
        except (Exception, targets.TooSlow) as error:  # noqa: BLE001 - what fails is what is looked for
            frame = traceback.extract_tb(error.__traceback__)[-1]
            kind = (type(error), frame.filename, frame.lineno, str(error)[-60:])
            if kind in kinds:
                continue
            kinds.add(kind)
            path = out / f"{target}-{hashlib.sha256(data).hexdigest()[:12]}"
            path.write_bytes(data)
            print(f"{path}: {type(error).__name__}: {str(error)[:500]}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{target}: {count} executions, {len(kinds)} kinds of failure, at most {peak} MiB")
    return len(kinds)


def grown(readers: Sequence[str], seconds: int, seed: int, out: Path) -> int:
    """Search for growth in each of some readers; return how many places grow too fast."""
    from tests.fuzz.growth import searched, table
    from tests.fuzz.pieces import READERS

    unknown = sorted(set(readers) - set(READERS))
    if unknown:
        raise click.UsageError(f"there is no reader {', '.join(unknown)}; there are {', '.join(READERS)}")
    searches = list(searched(readers or tuple(READERS), seconds, seed, out))
    print(table(searches))
    return sum(len(search.found) for search in searches)


@click.command(help=__doc__)
@click.argument("target", type=click.Choice((*NAMES, "growth")))
@click.option("--seconds", default=60, show_default=True, help="How long.")
@click.option("--seed", default=1, show_default=True, help="Where the random choices start.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where inputs that fail are kept.")
@click.option("--again", type=click.Path(path_type=Path, exists=True), help="Try this input and nothing else.")
@click.option("--blind", "is_blind", is_flag=True, help="Do not use atheris, and go on after an input that fails.")
@click.option("--reader", "readers", multiple=True, help="Look for growth in this reader; in each if none is named.")
def main(
    target: str, seconds: int, seed: int, out: Path | None, again: Path | None, is_blind: bool, readers: tuple[str, ...]
) -> None:
    if again is not None:
        from tests.fuzz import targets

        print("\n".join(targets.explained(target, again.read_bytes())))
        targets.tried(target, again.read_bytes())
        print("nothing is wrong")
        return
    out = out or Path(tempfile.mkdtemp(prefix="fuzz"))
    out.mkdir(parents=True, exist_ok=True)
    if target == "growth":
        sys.exit(1 if grown(readers, seconds, seed, out) else 0)
    if not is_blind and importlib.util.find_spec("atheris"):
        guided(target, seconds, seed, out)
    sys.exit(1 if blind(target, seconds, seed, out) else 0)


if __name__ == "__main__":
    main()

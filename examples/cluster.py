"""Check a zoo of models on a cluster of Dask's distributed.

    python examples/cluster.py PATH... [--scheduler ADDRESS]

PATH is a model, a directory, a glob or a URL, as for ``shapeinfer check``; the workers must see what it names. Without
the address of a Dask scheduler a cluster of this machine's cores is started for as long as it takes.
"""

from __future__ import annotations

import argparse
import sys

from distributed import Client

import shapeinfer


def main() -> int:
    """Print what is wrong with each model and return the exit code."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("paths", nargs="+", metavar="PATH")
    arguments.add_argument("--scheduler", metavar="ADDRESS")
    given = arguments.parse_args()

    broken = checked = 0
    with _client(given.scheduler) as client, client.get_executor(pure=False) as executor:
        for path, report in shapeinfer.check_many(given.paths, executor=executor):
            checked += 1
            broken += not report.ok
            for diagnostic in report.errors:
                sys.stdout.write(f"{path}: {diagnostic.text}\n")
    sys.stdout.write(f"{checked} models, {broken} with errors\n")
    return 1 if broken else 0


def _client(scheduler: str | None) -> Client:
    return Client(dashboard_address=None) if scheduler is None else Client(scheduler)


if __name__ == "__main__":
    sys.exit(main())

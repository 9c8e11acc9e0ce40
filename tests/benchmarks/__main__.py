"""Run the benchmarks and print their tables: ``python -m tests.benchmarks [SUITE ...]``."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tests.benchmarks import generated
from tests.benchmarks.engines import installed
from tests.benchmarks.equality import equality
from tests.benchmarks.keystrokes import keystrokes
from tests.benchmarks.lasting import lasting
from tests.benchmarks.measured import Measured, measure

Row = dict[str, Any]
Rows = list[Row]


def compare(folder: Path, runs: int) -> Rows:
    """Each engine on each model; ratios are to the C++ inference in the same run."""
    rows: Rows = []
    for path in generated.compared(folder):
        found = {engine: measure(engine, path, runs) for engine in installed()}
        base = found["onnx C++"]
        for engine, result in found.items():
            row: Row = {"model": path.stem, "engine": engine}
            if isinstance(result, str):
                rows.append(row | {"gave up": result})
                continue
            row |= {"nodes": result.nodes, "ms": result.best * 1e3, "first ms": result.first * 1e3}
            row |= {"MB": result.memory, "known %": 100 * result.known}
            if isinstance(base, Measured):
                row["ratio"] = result.best / base.best
            rows.append(row)
    return rows


def summary(rows: Rows) -> Rows:
    """One line for each engine: the geometric mean and the worst of its ratios, and what it gave up."""
    out: Rows = []
    for engine in dict.fromkeys(r["engine"] for r in rows):
        own = [r for r in rows if r["engine"] == engine]
        ratios = [r["ratio"] for r in own if "ratio" in r]
        known = [r["known %"] for r in own if "known %" in r]
        row = {"engine": engine, "models": len(own), "gave up": sum("gave up" in r for r in own)}
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            row |= {"mean ratio": mean, "worst ratio": max(ratios), "known %": sum(known) / len(known)}
        out.append(row)
    return out


def growth(folder: Path, runs: int) -> Rows:
    """How time and memory of this project grow with nodes and with the number of distinct dims."""
    rows: Rows = []
    path = folder / "grown.onnx"
    for what, make, sizes in (
        ("layers of 11 nodes", generated.transformer, (91, 910, 9100)),
        ("distinct dims", generated.distinct_dims, (10, 50, 100)),
    ):
        for size in sizes:
            path.write_bytes(make(size).SerializeToString())
            result = measure("shapeinfer", path, runs)
            if isinstance(result, Measured):
                microseconds = result.best * 1e6 / result.nodes
                row: Row = {"grows": what, "size": size, "nodes": result.nodes, "us a node": microseconds}
                rows.append(row | {"MB": result.memory})
    return rows


_CHECK = """
import sys, shapeinfer
assert shapeinfer.check(sys.argv[1]).ok
from tests.benchmarks.measured import peak
print(peak())
"""


def weights(folder: Path, runs: int) -> Rows:
    """Time and peak memory of a whole process that checks a model of few nodes and many bytes of weights."""
    rows: Rows = []
    for gigabytes in (0.001, 0.5, 1.5, 4):
        path = folder / "weights.onnx"
        generated.save_with_weights(path, int(gigabytes * 2**30))
        times, memory = [], 0.0
        for _ in range(runs):
            start = time.perf_counter()
            ended = subprocess.run([sys.executable, "-c", _CHECK, path], capture_output=True, text=True, check=True)
            times.append(time.perf_counter() - start)
            memory = float(ended.stdout)
        rows.append({"weights GB": gigabytes, "s": min(times), "MB": memory})
    return rows


def process(folder: Path, runs: int) -> Rows:
    """A whole process that checks a small model, beside one that imports onnx and infers it."""
    path = folder / "small.onnx"
    path.write_bytes(generated.transformer(2).SerializeToString())
    load = f"onnx.load({str(path)!r}, load_external_data=False)"
    infer = f"import onnx, onnx.shape_inference; onnx.shape_inference.infer_shapes({load})"
    commands = {
        "onnx C++": [sys.executable, "-c", infer],
        "shapeinfer check": [sys.executable, "-m", "shapeinfer", "check", "--isolated", str(path)],
    }
    best = dict.fromkeys(commands, math.inf)
    for _ in range(runs):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            best[name] = min(best[name], time.perf_counter() - start)
    return [{"process": n, "ms": t * 1e3, "ratio": t / best["onnx C++"]} for n, t in best.items()]


SUITES: dict[str, Callable[[Path, int], Rows]] = {
    "compare": compare,
    "growth": growth,
    "weights": weights,
    "process": process,
    "keystrokes": keystrokes,
    "lasting": lasting,
    "equality": equality,
}


def show(title: str, rows: Rows) -> None:
    """Print rows as a table."""
    table = Table(title=title, title_justify="left")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    for column in columns:
        table.add_column(column, justify="left" if isinstance(rows[0].get(column), str) else "right")
    for row in rows:
        table.add_row(*(_text(row.get(c, "")) for c in columns))
    Console(width=140).print(table)


def draw(path: Path, rows: Rows) -> None:
    """Draw for each engine how many times what C++ takes it takes, a point for each model, on a log scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    engines = list(dict.fromkeys(r["engine"] for r in rows))
    for place, engine in enumerate(reversed(engines)):
        ratios = [r["ratio"] for r in rows if r["engine"] == engine and "ratio" in r]
        axes.plot(ratios, [place] * len(ratios), "o", alpha=0.5)
    axes.set_yticks(range(len(engines)), list(reversed(engines)))
    axes.set_xscale("log")
    axes.set_xlabel("time, as a multiple of onnx's C++ inference")
    figure.savefig(path)


def _text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(list(SUITES)))
@click.option("--runs", default=5, show_default=True, help="The best of so many calls counts.")
@click.option("--chart", type=click.Path(path_type=Path), help="Draw the ratios of each engine (.svg or .png).")
@click.option("--json", "out", type=click.Path(path_type=Path), help="Write all rows to this file, too.")
def main(suites: tuple[str, ...], runs: int, out: Path | None, chart: Path | None) -> None:
    """Measure shape inference; without a SUITE all of them. Compare ratios of one run, never times of two."""
    found: dict[str, Any] = {"versions": installed(), "python": sys.version.split()[0]}
    with tempfile.TemporaryDirectory() as folder:
        for name in suites or SUITES:
            rows = found[name] = SUITES[name](Path(folder), runs)
            show(name, rows)
            if name == "compare":
                found["summary"] = summary(rows)
                show("summary", found["summary"])
                if chart is not None:
                    draw(chart, rows)
    if out is not None:
        out.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""The cost of a model against one dim, as a picture."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any, Literal

from shapeinfer.cost.curve import Point
from shapeinfer.report.paint import printable

_WITHOUT = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
"""Metadata that matplotlib would write differently in each run or version."""


def render(name: str, dim: str, points: Sequence[Point], form: Literal["png", "svg"]) -> bytes:
    """Draw multiply-adds and peak memory over the sizes of a dim.

    Raises ImportError without matplotlib, which the extra ``plot`` installs.
    """
    from matplotlib import rc_context, rcdefaults, rcParams
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    sizes = [p.size for p in points]
    style: Any = {"svg.hashsalt": "shapeinfer", "text.parse_math": False, "axes.grid": True, "grid.alpha": 0.3}
    with rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may be of letters that the font does not have
        rcdefaults()  # a matplotlibrc that lies in the working directory may have TeX run on every text
        rcParams.update(style)
        figure = Figure(figsize=(7, 6), layout="constrained")
        figure.suptitle(printable(name))
        above, below = figure.subplots(2, sharex=True)
        for axes, values, label, unit in (
            (above, [p.multiply_adds for p in points], "multiply-adds", ""),
            (below, [p.peak_bytes for p in points], "peak memory of activations", "B"),
        ):
            axes.set_title(label, fontsize="medium", loc="left")
            axes.yaxis.set_major_formatter(EngFormatter(unit))
            if None in values:
                axes.text(0.5, 0.5, "not known", transform=axes.transAxes, ha="center")
            else:
                axes.plot(sizes, values, marker="o" if len(sizes) <= 32 else "")
                axes.set_ylim(bottom=0)
        below.set_xlabel(printable(dim))
        out = io.BytesIO()
        figure.savefig(out, format=form, metadata=_WITHOUT[form])
    return out.getvalue()

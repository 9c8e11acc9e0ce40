"""The options that commands share: what the user says of sizes, and rules of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar, cast, get_args

import click

from shapeinfer.api import load_rules
from shapeinfer.graph import Profile

F = TypeVar("F", bound=Callable[..., Any])
Sizes: TypeAlias = dict[str, Any]
"""The keywords of ``check`` that say something of sizes, and whose rules count."""

_T = TypeVar("_T")


def _pairs(param: click.Parameter, given: Iterable[str], read: Callable[[str], _T], example: str) -> dict[str, _T]:
    """Read options of the form NAME=...; the last = separates, since names of dims may hold others."""
    found: dict[str, _T] = {}
    for option in given:
        name, equals, value = option.rpartition("=")
        name = name.strip()
        try:
            made = read(value)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise click.BadParameter(f"{option!r} is not of the form {param.metavar}, such as {example}", param=param)
        if found.setdefault(name, made) != made:
            raise click.BadParameter(f"{name} is given twice, as {found[name]} and as {made}", param=param)
    return found


def _length(text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise ValueError(text)
    return int(digits)


def _lengths(text: str) -> tuple[int, ...]:
    return tuple(map(_length, text.split(","))) if text.strip() else ()


def _bind(_ctx: click.Context, param: click.Parameter, given: Iterable[str]) -> dict[str, int]:
    return _pairs(param, given, _length, "N=4")


def _shapes(_ctx: click.Context, param: click.Parameter, given: Iterable[str]) -> dict[str, tuple[int, ...]]:
    return _pairs(param, given, _lengths, "x=1,3,224,224")


def _range(text: str) -> tuple[int, int | None]:
    low, dots, high = text.partition("..")
    if not dots:
        raise ValueError(text)
    return _length(low), _length(high) if high.strip() else None


def _ranges(_ctx: click.Context, param: click.Parameter, given: Iterable[str]) -> dict[str, tuple[int, int | None]]:
    return _pairs(param, given, _range, "batch=1..8")


def _rules(_ctx: click.Context, param: click.Parameter, given: Iterable[str]) -> None:
    for path in given:
        try:
            load_rules(path)
        except (ValueError, OSError) as error:
            raise click.BadParameter(str(error), param=param) from None


def sized(command: F) -> F:
    """Add the options that every inference takes: sizes, together as ``sizes``, and rules of the user's own."""
    bind = click.option(
        "--bind", metavar="NAME=SIZE", multiple=True, callback=_bind, help="Give the size of an input's dim."
    )
    shape = click.option(
        "--shape",
        "shapes",
        metavar="INPUT=SIZE,...",
        multiple=True,
        callback=_shapes,
        help="Give the shape of an input.",
    )
    ranged = click.option(
        "--range",
        "ranges",
        metavar="NAME=LOW..HIGH",
        multiple=True,
        callback=_ranges,
        help="Hold the model to every size of a dim in a range; HIGH may be left out.",
    )
    assume = click.option(
        "--assume", metavar="CONDITION", multiple=True, help="Take a condition for granted, such as 'seq % 8 == 0'."
    )
    profile = click.option(
        "--profile",
        type=click.Choice(get_args(Profile)),
        default="spec",
        help="Whose word counts where OpenVINO does not do what its specification says; the default is spec.",
    )
    rules = click.option(
        "--rules",
        metavar="FILE",
        multiple=True,
        callback=_rules,
        expose_value=False,
        help="Add rules for operators of your own: Python functions (.py) or formulas (.toml).",
    )

    @functools.wraps(command)
    def sizes_together(*args: Any, **given: Any) -> Any:
        sizes = {name: given.pop(name) for name in ("bind", "shapes", "ranges", "assume", "profile")}
        return command(*args, sizes=sizes, **given)

    return cast("F", bind(shape(ranged(assume(profile(rules(sizes_together)))))))

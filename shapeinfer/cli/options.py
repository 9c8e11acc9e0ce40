"""The options that commands share: sizes, limits, rules and the configuration."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast, get_args

import click

from shapeinfer.api import load_rules
from shapeinfer.api.options import DefaultInputs
from shapeinfer.budget import MAX_EXPRESSION, MAX_MEMORY, MAX_SECONDS
from shapeinfer.cli.arguments import no_model
from shapeinfer.cli.request import Request, configured
from shapeinfer.cli.terminal import MAX_OUTPUT, limit_output
from shapeinfer.config.reading import cannot_be_silenced, read_dim, read_length, read_level, read_range, unknown_code
from shapeinfer.config.settings import FailOn, ModelSettings
from shapeinfer.diagnostics.codes import CODES, UNUSABLE, Severity
from shapeinfer.facts import Profile

F = TypeVar("F", bound=Callable[..., Any])
_T = TypeVar("_T")


def _pairs(param: click.Parameter, values: Iterable[str], read: Callable[[str], _T], example: str) -> dict[str, _T]:
    """Read options of the form NAME=...; the last = separates, since names of dims may contain others."""
    found: dict[str, _T] = {}
    for option in values:
        name, equals, value = option.rpartition("=")
        name = name.strip()
        try:
            parsed = read(value)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise click.BadParameter(f"{option!r} is not of the form {param.metavar}, such as {example}", param=param)
        if found.setdefault(name, parsed) != parsed:
            raise click.BadParameter(f"{name} is set twice, to {found[name]} and {parsed}", param=param)
    return found


def _dims(text: str) -> tuple[int | str, ...]:
    return tuple(map(read_dim, text.split(","))) if text.strip() else ()


def _bind(_ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> dict[str, int]:
    return _pairs(param, values, read_length, "N=4")


def _shapes(_ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> dict[str, tuple[int | str, ...]]:
    return _pairs(param, values, _dims, "x=1,3,224,224 or x=batch,3,H,W")


def _ranges(_ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> dict[str, tuple[int, int | None]]:
    return _pairs(param, values, read_range, "batch=1..8")


def _rules(_ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    for path in values:
        try:
            load_rules(path)
        except (ValueError, OSError) as error:
            raise click.BadParameter(str(error), param=param) from None
    return tuple(values)


class _Limit(click.FloatRange):
    """A number above 0; NaN passes comparisons and is refused by name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a limit.", param, ctx)
        return number


_SHARED = (
    click.option("--bind", metavar="NAME=SIZE", multiple=True, callback=_bind, help="Set the size of an input dim."),
    click.option(
        "--shape",
        "shapes",
        metavar="INPUT=DIM,...",
        multiple=True,
        callback=_shapes,
        help="Set the shape of an input; names, as in x=batch,3,H,W, declare its dims anew.",
    ),
    click.option(
        "--range",
        "ranges",
        metavar="NAME=LOW..HIGH",
        multiple=True,
        callback=_ranges,
        help="Require the model to run for every size of a dim in a range; HIGH may be omitted.",
    ),
    click.option("--assume", metavar="CONDITION", multiple=True, help="Assume a condition, such as 'seq % 8 == 0'."),
    click.option(
        "--default-inputs",
        type=click.Choice(get_args(DefaultInputs)),
        help="Treat inputs that have a default as free (callers may override them) or as fixed (constants); free by "
        "default.",
    ),
    click.option(
        "--profile",
        type=click.Choice(get_args(Profile)),
        default="spec",
        help="Follow the specification, or OpenVINO's behaviour where they differ; spec by default.",
    ),
    click.option(
        "--max-seconds",
        metavar="SECONDS",
        type=_Limit(min=0, min_open=True),
        help="Limit the time per model; when it is exceeded the rest is unknown and the exit code 3. "
        f"The default is {MAX_SECONDS}; inf for no limit.",
    ),
    click.option(
        "--max-memory",
        metavar="MEGABYTES",
        type=_Limit(min=0, min_open=True),
        help="Limit the memory per model; when it is exceeded the rest is unknown and the exit code 3. "
        f"The default is {MAX_MEMORY}.",
    ),
    click.option(
        "--max-expression",
        metavar="COUNT",
        type=click.IntRange(min=1),
        help="Limit the operations in a dim; a longer expression becomes a fresh symbol. "
        f"The default is {MAX_EXPRESSION}.",
    ),
    click.option(
        "--max-output",
        metavar="MEGABYTES",
        type=_Limit(min=0, min_open=True),
        default=MAX_OUTPUT,
        help=f"Limit the output per model; beyond it output ends and the exit code is 3. The default is {MAX_OUTPUT}.",
    ),
    click.option(
        "--rules",
        metavar="FILE",
        multiple=True,
        callback=_rules,
        help="Load rules for custom operators: Python functions (.py) or formulas (.toml).",
    ),
    click.option(
        "--config",
        metavar="FILE",
        callback=no_model,
        help="Read the configuration from this file instead of the nearest.",
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration."),
)


def requested(command: F) -> F:
    """Add the options of every inference; the command gets them together as ``request``."""

    @functools.wraps(command)
    def together(*args: Any, config: str | None, isolated: bool, rules: tuple[str, ...], **rest: Any) -> Any:
        if isolated and config is not None:
            raise click.UsageError("--isolated and --config FILE exclude each other")
        sizes = {name: rest.pop(name) for name in ("bind", "shapes", "ranges", "assume", "default_inputs")}
        profile = rest.pop("profile")
        limit_output(rest.pop("max_output"))
        limits = {name: rest.pop(name) for name in ("max_seconds", "max_memory", "max_expression")}
        settings = configured(config, isolated).overridden(**limits)
        request = Request(settings, ModelSettings(**sizes), (*settings.rule_files, *rules), profile)
        return command(*args, request=request, **rest)

    return cast("F", functools.reduce(lambda wrapped, option: option(wrapped), reversed(_SHARED), together))


def _codes(_ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> frozenset[str] | None:
    """Read lists of codes; None where the option is absent."""
    names = [name.strip() for option in values for name in option.split(",")]
    for name in names:
        if name not in CODES:
            raise click.BadParameter(unknown_code(name), param=param)
        if param.name == "ignore" and CODES[name] in UNUSABLE:
            raise click.BadParameter(cannot_be_silenced(name), param=param)
    return frozenset(names) if names else None


def _severities(
    _ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> dict[str, Severity | None] | None:
    levels = _pairs(param, values, read_level, "label-conflict=note")
    for name, level in levels.items():
        if name not in CODES:
            raise click.BadParameter(unknown_code(name), param=param)
        if level is None and CODES[name] in UNUSABLE:
            raise click.BadParameter(cannot_be_silenced(name), param=param)
    return levels or None


def _fail_on(_ctx: click.Context, _param: click.Parameter, value: str | None) -> FailOn | None:
    return None if value is None else FailOn(value)


_CHOOSING = (
    click.option("--select", metavar="CODE,...", multiple=True, callback=_codes, help="Report these codes only."),
    click.option("--ignore", metavar="CODE,...", multiple=True, callback=_codes, help="Do not report these codes."),
    click.option(
        "--severity",
        metavar="CODE=LEVEL",
        multiple=True,
        callback=_severities,
        help="Report a code as error, warning or note, or not at all (off).",
    ),
    click.option(
        "--fail-on",
        type=click.Choice([level.value for level in FailOn]),
        callback=_fail_on,
        help="Exit with code 1 for errors (the default), for warnings too, or for unknown types too.",
    ),
    click.option("--strict", is_flag=True, help="Exit with code 1 for warnings too; short for --fail-on warning."),
    click.option("--no-suppressions", is_flag=True, help="Report suppressed findings too."),
)


def choosing(command: F) -> F:
    """Add the options that select findings and set their severity; they override the configuration."""

    @functools.wraps(command)
    def chosen(*args: Any, request: Request, **rest: Any) -> Any:
        over = {name: rest.pop(name) for name in ("select", "ignore", "severity", "fail_on")}
        if rest.pop("strict") and over["fail_on"] is None:
            over["fail_on"] = FailOn.WARNING
        over["suppressions"] = False if rest.pop("no_suppressions") else None
        return command(*args, request=request.overridden(**over), **rest)

    return cast("F", functools.reduce(lambda wrapped, option: option(wrapped), reversed(_CHOOSING), chosen))

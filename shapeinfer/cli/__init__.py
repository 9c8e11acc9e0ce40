"""The command line: check models, write their types, show them, explain a code."""

from __future__ import annotations

import difflib
import enum
import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
from attrs import evolve

from shapeinfer.api import Report, annotated, annotated_ir, version
from shapeinfer.api import check as check_model
from shapeinfer.cli.options import Sizes, sized
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import CODES, Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.formats import holds_ir, is_ir
from shapeinfer.frontends.onnx.external import external_files
from shapeinfer.infer.why import NoSuchAxis
from shapeinfer.infer.why import why as derivation
from shapeinfer.report import FORMATS, text
from shapeinfer.report.listing import listing
from shapeinfer.report.paint import Paint, ansi, plain, printable
from shapeinfer.report.save import replace

STDIN = "-"
_STDIN_NAME = "<stdin>"


class Verdict(enum.IntEnum):
    """What became of a file, from the best to the worst."""

    CLEAN = 0
    GAVE_UP = 1
    ERRORS = 2
    UNUSABLE = 3

    @property
    def exit_code(self) -> int:
        """The process's exit code if this is the worst verdict of all files."""
        return {Verdict.CLEAN: 0, Verdict.ERRORS: 1, Verdict.UNUSABLE: 2, Verdict.GAVE_UP: 3}[self]


_UNUSABLE = frozenset(
    {
        codes.NOT_A_MODEL,
        codes.GIT_LFS_POINTER,
        codes.UNREADABLE,
        codes.TRUNCATED_MODEL,
        codes.EMPTY_GRAPH,
        codes.UNKNOWN_BINDING,
    }
)


def verdict(report: Report) -> Verdict:
    """Judge a report: errors that were found stand even where the run gave up after them."""
    if any(d.code in _UNUSABLE or (d.code is codes.INTERNAL_ERROR and d.node is None) for d in report.errors):
        return Verdict.UNUSABLE
    if report.errors:
        return Verdict.ERRORS
    gave_up = any(d.code is codes.BUDGET_EXCEEDED for d in report.diagnostics)
    return Verdict.GAVE_UP if gave_up else Verdict.CLEAN


class _Failure(click.ClickException):
    """What the command was asked for cannot be done; ends with exit code 2."""

    exit_code = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="shapeinfer", message="%(prog)s %(version)s")
def cli() -> None:
    """Infer the shapes of ONNX models and OpenVINO IRs and check them, without running them."""


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@sized
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
def check(paths: tuple[str, ...], sizes: Sizes, form: str) -> None:
    """Say what is wrong with models.

    A PATH is a model (an .onnx file, or the .xml file of an OpenVINO IR), a directory (every model below it) or -
    for standard input. All are checked, whatever is wrong with the first.

    Exit code: 0 if all are clean; else that of the worst, which is 2 for one that cannot be read (or bad usage),
    then 1 for one with errors, then 3 for one that was given up within its budget.
    """
    worst = Verdict.CLEAN

    def reports() -> Iterator[tuple[str, Report]]:
        nonlocal worst
        for path, fault in _models(dict.fromkeys(paths)):
            report = fault or _checked(path, sizes)
            worst = max(worst, verdict(report))
            yield _name(path) if form == "text" else path, report

    several = len(set(paths)) > 1 or Path(paths[0]).is_dir()
    for chunk in FORMATS[form](reports(), several=several, paint=_paint() if form == "text" else plain):
        _write(chunk)
    sys.exit(worst.exit_code)


@cli.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="The file to write; it may be IN.")
@sized
def infer(source: str, out: str, sizes: Sizes) -> None:
    """Write a model with the types of all values filled in, in an IR the dims of all ports.

    Nothing else in the model changes. What is wrong with it is told on standard error; what is known is written
    all the same, and the exit code is 1.
    """
    given = _model_at(source)
    model: Any
    try:
        model, report = (annotated_ir if is_ir(given) else annotated)(given, **sizes)
    except ModelError as error:
        model, report = None, Report(error.diagnostics)
    except ValueError as error:
        raise _Failure(f"{_shown(out)} was not written: {error}") from error
    found = verdict(report)
    if report.diagnostics:
        _write("".join(text.render([(_name(source), report)], several=False, paint=_paint(err=True))), err=True)
    if model is None or found is Verdict.UNUSABLE:
        sys.exit(found.exit_code)
    try:
        data = model if isinstance(model, bytes) else model.SerializeToString()
    except Exception as error:
        raise _Failure(f"{_shown(out)} was not written: the model does not fit into one file ({error})") from error
    try:
        replace(out, data)
    except OSError as error:
        raise _Failure(f"{_shown(out)} was not written: {_reason(error, out)}") from error
    if isinstance(model, bytes):
        _say_which_bin(source, out)
    else:
        _say_which_weights(external_files(model), source, out)
    sys.exit(found.exit_code)


def _say_which_bin(source: str, out: str) -> None:
    """An IR reads the .bin of its own name."""
    theirs, ours = Path(source).with_suffix(".bin"), Path(out).with_suffix(".bin")
    if source != STDIN and theirs.exists() and not (ours.exists() and ours.samefile(theirs)):
        message = (
            f"warning: {_shown(out)} reads its constants from {_shown(ours.name)}; copy {_shown(theirs.name)} to it\n"
        )
        _write(message, err=True)


def _say_which_weights(weights: list[str], source: str, out: str) -> None:
    if weights and not _beside(source, out):
        names = ", ".join(map(_shown, weights[:3])) + (", ..." if len(weights) > 3 else "")
        message = f"warning: {_shown(out)} reads its weights from files beside it ({names}); bring them along\n"
        _write(message, err=True)


@cli.command()
@click.argument("path", metavar="PATH")
@sized
def show(path: str, sizes: Sizes) -> None:
    """Print a model's graph with the type of every value beside it.

    PATH may be - for standard input. The exit code is that of check.
    """
    report = _checked(path, sizes)
    _write("".join(f"{line}\n" for line in listing(report, _paint())))
    apart = [d for d in report.diagnostics if d.node is None or d.node.index < 0]
    if apart:
        rest = evolve(report, diagnostics=tuple(apart), result=None)
        _write("".join(text.render([(_name(path), rest)], several=False, paint=_paint(err=True))), err=True)
    sys.exit(verdict(report).exit_code)


@cli.command()
@click.argument("path")
@sized
def contract(path: str, sizes: Sizes) -> None:
    """Print the conditions on its inputs under which a model runs.

    Each with the node that needs it and a smallest input that breaks it. The exit code is that of check.
    """
    report = _checked(path, sizes)
    if report.errors:
        _write("".join(text.render([(_name(path), report)], several=False, paint=_paint(err=True))), err=True)
    else:
        _write("".join(f"{line}\n" for line in text.conditions(_name(path), report)))
    sys.exit(verdict(report).exit_code)


@cli.command()
@click.argument("path")
@click.argument("axis", metavar="VALUE[AXIS]")
@sized
def why(path: str, axis: str, sizes: Sizes) -> None:
    """Tell where the length of an axis comes from, such as that of 'logits[1]'."""
    found = re.fullmatch(r"(.+)\[(-?[0-9]{1,3})\]", axis)
    if found is None:
        message = f"{axis!r} is not of the form VALUE[AXIS], such as logits[1]"
        raise click.BadParameter(message, param_hint="VALUE[AXIS]")
    report = _checked(path, sizes)
    if report.result is None:
        _write("".join(text.render([(_name(path), report)], several=False, paint=_paint(err=True))), err=True)
        sys.exit(verdict(report).exit_code)
    try:
        _write("".join(f"{printable(line)}\n" for line in derivation(report.result, found[1], int(found[2]))))
    except NoSuchAxis as error:
        raise click.BadParameter(printable(str(error)), param_hint="VALUE[AXIS]") from None


@cli.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Print the page of a code that check reported; without CODE, list all codes."""
    if code is None:
        _write(_list_of_codes())
    elif code in CODES:
        _write(_page(CODES[code]))
    else:
        close = difflib.get_close_matches(code, CODES, n=3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        _write(f"Error: there is no code {_shown(code)}{hint}\n\n{_list_of_codes()}", err=True)
        sys.exit(2)


def _page(code: Code) -> str:
    try:
        return code.page
    except FileNotFoundError:
        return f"# {code.name}\n\n{code.title}\n"


def _list_of_codes() -> str:
    width = max(map(len, CODES))
    return "".join(f"{c.name:{width}}  {c.severity.value:7}  {c.title}\n" for c in CODES.values())


def _models(paths: Iterable[str]) -> Iterator[tuple[str, Report | None]]:
    """Every model file that the paths name, each once; what cannot be listed comes with its report."""
    seen: set[str] = set()
    for path in paths:
        found = _below(path) if path != STDIN and Path(path).is_dir() else iter([(path, None)])
        for file, fault in found:
            if file not in seen:
                seen.add(file)
                yield file, fault


def _below(folder: str) -> Iterator[tuple[str, Report | None]]:
    """The .onnx files and the IRs below a directory, sorted by their path."""
    failed: list[OSError] = []
    files = sorted(
        Path(parent, name)
        for parent, _, names in os.walk(folder, onerror=failed.append)
        for name in names
        if name.lower().endswith(".onnx") or (is_ir(name) and holds_ir(Path(parent, name)))
    )
    for error in failed:
        where = os.fspath(error.filename or folder)
        yield where, _unreadable(where, f"the directory cannot be read: {error.strerror}")
    if not files and not failed:
        yield folder, _unreadable(folder, "there is no .onnx file and no OpenVINO IR in this directory or below it")
    for file in files:
        name = str(file)
        yield name, None if file.is_file() else _unreadable(name, "this is no regular file")


def _unreadable(path: str, message: str) -> Report:
    return Report((Diagnostic(codes.UNREADABLE, codes.UNREADABLE.severity, message, path=path),), path=path)


def _checked(path: str, sizes: Sizes) -> Report:
    """Check one model; a failure of our own is a report too, so that the other files are still checked."""
    try:
        return check_model(_model_at(path), **sizes)
    except Exception as error:  # noqa: BLE001 - one file that we fail on must not hide the others
        diagnostic = Diagnostic(codes.INTERNAL_ERROR, codes.INTERNAL_ERROR.severity, _our_fault(error), path=path)
        return Report((diagnostic,), path=path)


def _model_at(path: str) -> str | bytes:
    return sys.stdin.buffer.read() if path == STDIN else path


def _name(path: str) -> str:
    return _STDIN_NAME if path == STDIN else path


def _shown(text: str) -> str:
    return printable(text) or "''"


def _beside(source: str, out: str) -> bool:
    """Whether two files are in one directory, so that what is named relative to it is the same file."""
    here = Path.cwd() if source == STDIN else Path(os.path.realpath(source)).parent
    return here == Path(os.path.realpath(out)).parent


def _reason(error: OSError, out: str) -> str:
    """Why a file could not be written, by what its user can do about it."""
    folder = Path(out).parent
    if isinstance(error, FileNotFoundError):
        return f"there is no directory {_shown(str(folder))}"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, PermissionError):
        return f"you may not write in the directory {_shown(str(folder))}"
    return error.strerror or str(error)


def _our_fault(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return printable(f"shapeinfer failed with {said}{where}; please report it, with the model if you can")


def _paint(*, err: bool = False) -> Paint:
    """Colours on a terminal, unless the user asks for none (https://no-color.org)."""
    stream = sys.stderr if err else sys.stdout
    wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return ansi if wanted else plain


def _write(text: str, *, err: bool = False) -> None:
    """Write at once; a reader that has gone away ends the program without a word."""
    try:
        click.echo(text, nl=False, err=err)
    except BrokenPipeError:
        _reader_gone()


def _reader_gone() -> NoReturn:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(128 + getattr(signal, "SIGPIPE", 13))


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; every way out is an exit code, and none a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(cli.main(args, prog_name="shapeinfer", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(128 + signal.SIGINT)
    except Exception as error:  # noqa: BLE001 - the last resort
        click.echo(f"Error: {_our_fault(error)}", err=True)
        sys.exit(2)

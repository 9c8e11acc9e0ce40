"""The reports that ``check`` writes to files beside the one that it prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from attrs import define, field, frozen

from shapeinfer.api.report import Report
from shapeinfer.budget import MEGABYTE
from shapeinfer.cli.arguments import no_model
from shapeinfer.cli.saving import save
from shapeinfer.cli.terminal import Failure, max_output, name_of, shown
from shapeinfer.diagnostics.printable import inert
from shapeinfer.report import FORMATS, WITH_CONTRACT
from shapeinfer.report.paint import Paint

SUFFIXES = {".sarif": "sarif", ".json": "json", ".xml": "junit", ".md": "markdown", ".txt": "text"}
"""The formats by how names of reports end."""

_JUNIT = b"<testsuites"
_HEAD = 64


@frozen
class Output:
    """A file to write, and the format of what is written."""

    form: str
    path: str


def read_outputs(ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> tuple[Output, ...]:
    """Read options of the form FILE or FORMAT=FILE. Raises BadParameter for an unknown format and for a model."""
    found: dict[str, Output] = {}
    for option in values:
        output = _output(ctx, option, param)
        if output.path in found:
            raise click.BadParameter(f"{shown(output.path)} is named twice", param=param)
        found[output.path] = output
    return tuple(found.values())


def _output(ctx: click.Context, option: str, param: click.Parameter) -> Output:
    form, equals, path = option.partition("=")
    if equals and form in FORMATS and path:
        return Output(form, path if path.lower().endswith(".xml") else str(no_model(click.Context, param, path)))  # type: ignore[arg-type]
    by_suffix = SUFFIXES.get(Path(option).suffix.lower())
    if by_suffix is None:
        no_model(ctx, param, option)
        known = ", ".join(SUFFIXES)
        how = f"end it with {known}, or write FORMAT={shown(option)}"
        raise click.BadParameter(f"the format of {shown(option)} is unknown; {how}", param=param)
    if by_suffix == "junit" and _is_other_xml(Path(option)):
        how = f"write junit={shown(option)} to replace it"
        raise click.BadParameter(f"{shown(option)} exists and is no report; {how}", param=param)
    return Output(by_suffix, option)


def _is_other_xml(path: Path) -> bool:
    """Whether a file exists that is no report of ours: models of OpenVINO have the same suffix."""
    try:
        with path.open("rb") as file:
            return path.is_file() and not (file.read(_HEAD) or _JUNIT).startswith(_JUNIT)
    except OSError:
        return False


@define(repr=False)
class OutputFiles:
    """Keeps what the reports of a run say until it is over, then writes each file whole or not at all."""

    outputs: Sequence[Output] = ()
    _held: list[tuple[str, Report]] = field(factory=list, init=False)

    @property
    def with_contract(self) -> bool:
        """Whether a file needs contracts."""
        return any(output.form in WITH_CONTRACT for output in self.outputs)

    def refuse(self, models: Iterable[str]) -> None:
        """Raise a Failure if a file is one of the models."""
        targets = {Path(output.path).resolve(): output.path for output in self.outputs}
        for model in models if targets else ():
            if Path(model).resolve() in targets:
                raise Failure(f"{shown(model)} is a model to check; name another --output-file")

    def clear(self) -> None:
        """Forget the reports of an earlier run."""
        self._held.clear()

    def add(self, path: str, report: Report) -> None:
        """Keep what the files say of a report."""
        if self.outputs:
            self._held.append((path, report.light(contract=self.with_contract)))

    def save(self, *, several: bool, paint: Paint, closing: str) -> None:
        """Write the files; ``closing`` is the last line of text. Raises Failure, and TooLarge."""
        for output in self.outputs:
            named = ((path if output.form == "json" else name_of(path), report) for path, report in self._held)
            text = "".join(FORMATS[output.form](named, several=several, paint=paint))
            text += closing if output.form == "text" else ""
            data = (text if output.form == "github" else inert(text)).encode("utf-8", "backslashreplace")
            if len(data) > max_output() * MEGABYTE * max(1, len(self._held)):
                raise TooLarge(output.path)
            save(output.path, data)


class TooLarge(Failure):
    """A file would be larger than --max-output allows; ends with exit code 3."""

    exit_code = 3

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} was not written: it has more than {max_output():g} megabytes per model; "
            "raise --max-output for more"
        )

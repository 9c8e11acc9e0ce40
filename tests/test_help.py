"""The help of every command: a verb first, a line in the list of commands, an example last."""

from __future__ import annotations

import re

import click
import pytest

from shapeinfer.cli import cli
from tests.command import Shell

COMMANDS = cli.list_commands(click.Context(cli))
VERBS = (
    "Allow|Apply|Assume|Check|Compare|Exit|Explain|Fail|Follow|Keep|Limit|List|Load|Make|Number|Plot|Print|Read|Remove"
    "|Report|Require|Serve|Set|Show|Simplify|Skip|Treat|Use|Write|Do"
)


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_one_line_in_the_list_of_commands(shell: Shell, name: str) -> None:
    first = (command(name).help or "").split("\n")[0]
    assert f"{name} " in shell("--help").out
    assert first in shell("--help").out
    assert re.match(rf"({VERBS})\b.*\.$", first)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_its_help_ends_with_an_example_of_it(shell: Shell, name: str) -> None:
    *_, last = shell(*name.split(), "--help").out.rstrip().split("\n")
    assert last.startswith(f"  Example: shapeinfer {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_its_options_say_what_they_do_verb_first(name: str) -> None:
    helps = [p.help or "" for p in command(name).params if isinstance(p, click.Option)]
    assert [text for text in helps if not re.match(rf"({VERBS})\b", text)] == []

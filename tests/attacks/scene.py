"""An attack is a function that sets a scene, lets a victim act, and says what the attacker got by it.

To add one, write a function in the module of those who may be hostile and name it in the decorator:

    @attack("a repository", "its configuration names Python rules")
    def found_rules(scene: Scene) -> str:
        scene.write("shapeinfer.toml", 'rules = ["evil.py"]')
        scene.write("evil.py", scene.payload)
        scene.run("check", scene.model())
        return scene.ran("the rules ran")

It returns an empty text where it was refused. ``python -m tests.attacks`` plays all of them, each command in a process
of its own; those that are ``quick`` are tests, too, which play them in theirs.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from attrs import define, field, frozen

from shapeinfer.cli import main
from tests.command import GOOD, model_bytes

ROOT = Path(__file__).parents[2]
PATIENCE = 20
"""Seconds after which a command is taken to hang."""
MEGABYTES = 1000
"""No command needs more for what is played here."""
START = """import sys
sys.path.append({root!r})
from shapeinfer.__main__ import main
if __name__ == "__main__":
    main()
"""
"""A command as an installed one is: its own folder is on Python's path, that where it works is not."""


class NotTried(Exception):
    """An attack cannot be played here; says why."""


@frozen
class Ended:
    """How a command ended: its exit code, None for one that hung, what it printed, and the memory it took at most."""

    code: int | None
    out: str
    err: str
    megabytes: float = 0

    @property
    def lines(self) -> list[str]:
        """All lines that it printed."""
        return [*self.out.splitlines(), *self.err.splitlines()]

    @property
    def hung(self) -> str:
        """What the attacker got if it hung or took too much memory, else nothing."""
        if self.code is None:
            return "no end"
        return f"{self.megabytes:.0f} megabytes" if self.megabytes > MEGABYTES else ""


@define
class Scene:
    """A scratch folder, with a folder ``work`` of the attacker's, where commands are run."""

    folder: Path
    in_process: bool = False
    """Whether commands run in this process, where they cannot be measured."""
    environment: dict[str, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.work.mkdir()
        (self.folder / "home").mkdir()
        self.environment |= {"HOME": str(self.folder / "home"), "XDG_CONFIG_HOME": str(self.folder / "home" / "config")}

    @property
    def work(self) -> Path:
        """Where commands are run: what is in it, the attacker wrote."""
        return self.folder / "work"

    @property
    def payload(self) -> str:
        """Python that shows that it ran."""
        return f"open({str(self.folder / 'ran')!r}, 'a').close()\n"

    def ran(self, what: str) -> str:
        """What the attacker got if the payload ran since this was asked last, else nothing."""
        mark = self.folder / "ran"
        ran = mark.exists()
        mark.unlink(missing_ok=True)
        return what if ran else ""

    def write(self, name: str, text: str | bytes = b"") -> str:
        """Write a file of the attacker's, and return its name."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return name

    def model(self, name: str = "m.onnx", text: str = GOOD) -> str:
        """Write a model, and return its name."""
        return self.write(name, model_bytes(text))

    def pipe(self, name: str) -> str:
        """Make a pipe that nobody writes to, and return its name."""
        if not hasattr(os, "mkfifo"):
            raise NotTried("there are no pipes")
        (self.work / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(self.work / name)
        return name

    def run(self, *arguments: str, stdin: bytes = b"") -> Ended:
        """Run shapeinfer."""
        if self.in_process:
            return self._here(arguments, stdin)
        return self.start(self.script(*arguments), stdin)

    def script(self, *arguments: str) -> list[str]:
        """Return the command line that runs shapeinfer in a process."""
        script = self.folder / "bin" / "shapeinfer"
        script.parent.mkdir(exist_ok=True)
        script.write_text(START.format(root=str(ROOT)), encoding="utf-8")
        return [sys.executable, str(script), *arguments]

    def start(self, command: list[str], stdin: bytes = b"", wait: float = PATIENCE) -> Ended:
        """Run a program."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        environment = {**os.environ, **self.environment}
        process = subprocess.Popen(
            command, cwd=self.work, env=environment, stdin=-1, stdout=-1, stderr=-1, start_new_session=True
        )
        try:
            out, err = process.communicate(stdin, timeout=wait)
            code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            code = None
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        megabytes = most / 1024 if most > before else 0  # of all children only the largest is known
        return Ended(code, out.decode(errors="replace"), err.decode(errors="replace"), megabytes)

    def _here(self, arguments: tuple[str, ...], stdin: bytes) -> Ended:
        out, err = io.StringIO(), io.StringIO()
        code: int | None = 0
        streams = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
        with self._as_if_started(stdin), streams[0], streams[1]:
            try:
                main(list(arguments))
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 0
            except _Hung:
                code = None
        return Ended(code, out.getvalue(), err.getvalue())

    @contextlib.contextmanager
    def _as_if_started(self, stdin: bytes) -> Iterator[None]:
        before = Path.cwd(), dict(os.environ), sys.stdin, signal.signal(signal.SIGALRM, _hang)
        os.chdir(self.work)
        os.environ.update(self.environment)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        signal.alarm(PATIENCE)
        try:
            yield
        finally:
            signal.alarm(0)
            folder, environment, sys.stdin, handler = before
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            signal.signal(signal.SIGALRM, handler)


class _Hung(BaseException):
    """A command does not end."""


def _hang(_signal: int, _frame: object) -> None:
    raise _Hung


Play: TypeAlias = Callable[[Scene], str]


@frozen
class Attack:
    """Who is hostile, what is done, and the function that plays it."""

    by: str
    what: str
    play: Play
    quick: bool

    @property
    def name(self) -> str:
        return self.play.__name__


ATTACKS: list[Attack] = []


def attack(by: str, what: str, *, quick: bool = True) -> Callable[[Play], Play]:
    """Add an attack; one that takes more than milliseconds, or needs a process of its own, is not ``quick``."""

    def added(play: Play) -> Play:
        ATTACKS.append(Attack(by, what, play, quick))
        return play

    return added


def joined(*got: str) -> str:
    """Return what the attacker got, of several tries."""
    return ", ".join(filter(None, got))

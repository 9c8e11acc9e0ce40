"""A program on a terminal, driven by keys and looked at as its user sees it; for Linux and macOS."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PATIENCE = 30.0
ROWS, COLUMNS = 40, 140
GONE = 5.0


class Terminal:
    """A running program and its screen."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        import pyte

        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self.process, self._master = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], list(command), {**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._master, 1 << 16):
                with self._lock:
                    self._stream.feed(data)

    def type(self, keys: str) -> None:
        """Press keys, one after the other as a person does."""
        for key in keys:
            os.write(self._master, key.encode())
            time.sleep(0.02)

    def press(self, keys: str) -> None:
        """Press one key that is several bytes, or several at once."""
        os.write(self._master, keys.encode())

    @property
    def text(self) -> str:
        """What the screen shows."""
        with self._lock:
            return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, *texts: str, gone: bool = False) -> None:
        """Wait until all texts are on the screen, or none of them. Raises AssertionError if they never are."""
        end = time.monotonic() + PATIENCE
        while any((text in self.text) is gone for text in texts):
            if time.monotonic() > end:
                raise AssertionError(f"the screen {'still' if gone else 'never'} shows {texts}:\n{self.text}")
            time.sleep(0.05)

    def picture(self, file: Path) -> None:
        """Draw the screen as an SVG."""
        from rich.console import Console
        from rich.style import Style
        from rich.text import Text

        console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
        with self._lock:
            for row in range(ROWS):
                line = Text()
                for column in range(COLUMNS):
                    cell = self._screen.buffer[row][column]
                    style = Style(
                        color=_colour(cell.fg), bgcolor=_colour(cell.bg), bold=cell.bold, reverse=cell.reverse
                    )
                    line.append(cell.data, style)
                console.print(line, no_wrap=True, crop=False, end="\n")
        console.save_svg(str(file), title=file.stem)

    def end(self) -> None:
        """End the program."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGTERM)
        end = time.monotonic() + GONE
        while os.waitpid(self.process, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)
                break
            time.sleep(0.05)


def _colour(name: str) -> str | None:
    """A colour of pyte as rich names it."""
    if name == "default":
        return None
    if len(name) == len("ffffff") and all(c in "0123456789abcdef" for c in name):
        return f"#{name}"
    return {"brown": "yellow", "brightbrown": "bright_yellow"}.get(name, name.replace("bright", "bright_"))


@contextlib.contextmanager
def terminal(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Run a program on a terminal of its own, and end it."""
    assert sys.platform != "win32", "Windows has no pseudo-terminals of this kind"
    running = Terminal(command, folder, environment)
    try:
        yield running
    finally:
        running.end()

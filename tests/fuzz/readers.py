"""All that reads what strangers wrote, as functions of text or bytes that raise nothing, whatever they are given."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import os
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import frozen
from pygls.io_ import run_async

from shapeinfer import Report, check, toml
from shapeinfer.config import baseline, globs
from shapeinfer.config.discovery import OWN_FILE, ConfigError, settings_from
from shapeinfer.config.expected import narrowed
from shapeinfer.config.reading import MOST_CONDITIONS
from shapeinfer.dims import DimSyntaxError, Size, parse, parse_condition, symbol, text_of
from shapeinfer.editors import turns
from shapeinfer.editors.incoming import Incoming
from shapeinfer.editors.server import make
from shapeinfer.frontends.formats import format_of
from shapeinfer.ops import formula
from shapeinfer.report import FORMATS
from shapeinfer.text import check_text
from tests.editors.questions import ask
from tests.models import floats, made, node

FOLDER = Path(tempfile.mkdtemp(prefix="readers"))
OURS = f"shapeinfer{os.sep}editors{os.sep}"
LONGEST_PATH = 4096
"""No system has longer ones; each glob takes as long as the path."""
URI = "file:///net.onnxtxt"


class Names(dict[str, Size]):
    """Dims of every name."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> Size:
        return symbol(name)


def of_written(text: str) -> None:
    """Check a model as text, and ask what an editor asks."""
    ask(check_text(text))


def of_ir(data: bytes) -> None:
    """Check an OpenVINO IR."""
    check(data if format_of(data).name == "openvino" else b"<net " + data)


def of_onnx(data: bytes) -> None:
    """Check an ONNX model, and state its contract."""
    report = check(data)
    _ = [r.condition for r in report.contract]


def of_expression(text: str) -> None:
    """Read a length, and write it down."""
    with contextlib.suppress(DimSyntaxError):
        text_of(parse(text))


def of_condition(text: str) -> None:
    """Read a condition, write it down and answer it."""
    with contextlib.suppress(DimSyntaxError):
        condition = parse_condition(text, Names())
        condition.answer()
        _ = condition.text


def of_glob(text: str) -> None:
    """Hold the globs of all lines but the last against the path of that one."""
    *listed, path = text.replace("\0", "").split("\n")
    for glob in listed:
        globs.fault_of(glob)
    right = [glob for glob in listed if globs.fault_of(glob) is None]
    globs.matches(right, path[:LONGEST_PATH], Path("/folder"))


def of_config(data: bytes) -> None:
    """Read a configuration; what is wrong with it is told."""
    file = FOLDER / OWN_FILE
    file.write_bytes(data)
    try:
        settings_from(file).of("models/a.onnx")
    except ConfigError as error:
        error.lines(FOLDER)


def of_baseline(data: bytes) -> None:
    """Read a baseline, and hold a report against it."""
    file = FOLDER / "baseline.json"
    file.write_bytes(data)
    with contextlib.suppress(baseline.BaselineError):
        known = baseline.read(file)
        known.missing_models()
        for name in list(known.models)[:3]:
            known.without_known(Report((), {}), str(FOLDER / name), lambda _: True)
        baseline.written(known)


def of_expected(data: bytes) -> None:
    """Hold a model against expected conditions, one a line, of which a configuration takes only so many."""
    narrowed(_model(), data.decode("utf-8", "replace").split("\n")[:MOST_CONDITIONS])


def _model() -> Report:
    return check(made([node("Add", "a b", "c"), node("Mul", "c d")], [floats(n, f"{n}1", f"{n}2") for n in "abd"]))


def of_formulas(data: bytes) -> None:
    """Read the formulas of a file of rules."""
    with contextlib.suppress(UnicodeDecodeError, toml.TOMLDecodeError):
        lines = toml.read(data).get("operators")
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, str):
                of_formula(line)


def of_formula(line: str) -> None:
    """Read one formula."""
    with contextlib.suppress(formula.FormulaError):
        formula.read(line)


def of_query(text: str) -> None:
    """Ask the question of the first line of a model whose inputs and dims have the names of the others."""
    question, *names = text.split("\n")
    inputs = [floats(name, name, "N") for name in dict.fromkeys(names or ["x"])]
    report = check(made([node("Relu", "x")], inputs))
    for asked in (
        lambda: report.same_dim(question, "N"),
        lambda: report.bounds(question),
        lambda: report.shape(question),
        lambda: report.same_shape(question, [question, "N"]),
        lambda: report.depends_on(question, contents=False),
        lambda: report.numel("x", bind={question: 1}),
    ):
        with contextlib.suppress(ValueError):
            asked()


def of_names(text: str) -> None:
    """Write down in every format what is found of a model whose names are these, one a line."""
    names = text.encode("utf-8", "replace").decode("utf-8").split("\n")
    nodes = [node("Relu", "_", f"y{i}", name=name) for i, name in enumerate(names)]
    for each, name in zip(nodes, names):
        each.input[0] = name
    told(check(made(nodes, [floats(name, name, 3) for name in names[1:]], ["y0"])))


def told(report: Report) -> None:
    """Write a report down in every format."""
    for render in FORMATS.values():
        "".join(render([("m", report)], several=False)).encode()


@frozen
class _Bytes:
    """What an editor sends, as pygls reads it."""

    incoming: Incoming

    async def readline(self) -> bytes:
        return self.incoming.readline()

    async def readexactly(self, size: int) -> bytes:
        return self.incoming.read(size)


def framed(text: str) -> bytes:
    """Return messages, one a line, with their headers."""
    bodies = [line.encode("utf-8", "surrogateescape") for line in text.split("\n") if line]
    return b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)


def of_messages(data: bytes) -> None:
    """Let the language server hear messages; it answers each, and nothing in our code fails."""
    asyncio.run(_session(data))


async def _session(data: bytes) -> None:
    server = make()
    heard: list[bytes] = []
    failed: list[Exception] = []

    class Writer:
        def write(self, data: bytes) -> None:
            heard.append(data)

        def close(self) -> None:
            """Nothing is open."""

    server.report_server_error = lambda error, source: failed.append(error)  # type: ignore[method-assign]
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what it says of broken messages
    server.protocol.set_writer(Writer(), include_headers=False)
    stream = _Bytes(Incoming(io.BytesIO(data)))
    with quick_turns():
        await run_async(threading.Event(), stream, server.protocol, error_handler=lambda error, source: None)
        for _ in range(3):
            async with server.turns.next():
                await asyncio.sleep(0)
    told = ["".join(traceback.format_exception(e)) + str(getattr(e, "data", "")) for e in failed]
    ours = [text for text in told if OURS in text]
    assert not ours, ours[0]


@contextlib.contextmanager
def quick_turns() -> Iterator[None]:
    """Let the server wait for no more words."""
    before, turns.PAUSE = turns.PAUSE, 0
    try:
        yield
    finally:
        turns.PAUSE = before


def message(method: str, number: int | None = None, **params: Any) -> str:
    """Return the text of a message."""
    request = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **request, "method": method, "params": params})


OPENED = "\n".join(
    (
        message("initialize", 0, capabilities={}),
        message("initialized"),
        message(
            "textDocument/didOpen",
            textDocument={
                "uri": URI,
                "languageId": "onnxtxt",
                "version": 1,
                "text": 'm (float[N] x) => (float[N] y) <float[N] "é"> {\n y = Relu (x)\n}\n',
            },
        ),
    )
)


def as_text(data: bytes) -> str:
    """Return bytes as the text that a function of text is given."""
    return data.decode("utf-8", "replace")


OF_BYTES: dict[str, Callable[[bytes], None]] = {
    "conditions": lambda data: of_condition(as_text(data)),
    "globs": lambda data: of_glob(as_text(data)),
    "config": of_config,
    "baseline": of_baseline,
    "expected": of_expected,
    "formulas": of_formulas,
    "query": lambda data: of_query(as_text(data)),
    "names": lambda data: of_names(as_text(data)),
    "messages": lambda data: of_messages(framed(f"{OPENED}\n{data.decode('utf-8', 'surrogateescape')}")),
}
"""Readers that are fuzzed beside those of ``targets``."""

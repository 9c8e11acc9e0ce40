"""What is fuzzed: functions of bytes that raise nothing, whatever the bytes are, and are done soon."""

from __future__ import annotations

import contextlib
import itertools
import json
import signal
from collections.abc import Callable, Iterator
from types import FrameType

import onnx
from google.protobuf.message import DecodeError

from shapeinfer import Report, ShapeInferError, check, fold
from shapeinfer.budget import MAX_EXPRESSION
from shapeinfer.diagnostics.codes import INTERNAL_ERROR
from shapeinfer.dims import Dim, DimSyntaxError, parse, parse_condition, simplest, symbol, text_of, weight_of_size
from shapeinfer.frontends.formats import format_of
from shapeinfer.frontends.onnx.lean import without_weights
from shapeinfer.frontends.onnx.wire import Malformed
from shapeinfer.ops.call import infer_call
from shapeinfer.report import FORMATS
from shapeinfer.text import check_text
from tests.editors.questions import ask
from tests.fuzz import seeds
from tests.fuzz.calls import called
from tests.fuzz.changes import changed
from tests.fuzz.readers import OF_BYTES

SECONDS = 5
"""No input may take longer, of a processor's time: other programs may keep the machine busy."""


class TooSlow(BaseException):
    """An input took too long; no handler of exceptions in the program catches this."""


@contextlib.contextmanager
def soon() -> Iterator[None]:
    """Raise TooSlow in what takes too long."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def told(report: Report) -> None:
    """Write a report down in every format; a fault of ours in it fails."""
    ours = [d.text for d in report.diagnostics if d.code.name == "internal-error"]
    assert not ours, ours
    _ = list(report.contract)
    for render in FORMATS.values():
        "".join(render([("m", report)], several=False)).encode()


def of_onnx(data: bytes) -> None:
    """Check bytes as an ONNX model, and read them as one of which the weights are left out."""
    if format_of(data).name == "openvino":
        return
    told(check(data))
    with contextlib.suppress(Malformed):
        light = without_weights(memoryview(data))
        assert _readable(light) or not _readable(data), "left without its weights it is no message any more"


def _readable(data: bytes) -> bool:
    try:
        onnx.ModelProto.FromString(data)
    except DecodeError:
        return False
    return True


def of_ir(data: bytes) -> None:
    """Check bytes as an OpenVINO IR."""
    told(check(data if format_of(data).name == "openvino" else b"<net " + data))


def of_text(data: bytes) -> None:
    """Read text as a length and as a condition; what a length is written as is read as the same length."""
    text = data.decode("utf-8", "surrogateescape")
    with contextlib.suppress(DimSyntaxError):
        size = parse(text)
        # A name alone stands as it is, unquoted; what is too long to be followed may be multiplied out when read.
        if isinstance(size, int) or (not size.is_symbol and weight_of_size(size) <= MAX_EXPRESSION):
            written = text_of(size)
            with contextlib.suppress(DimSyntaxError):  # what is written may be too long to be read
                assert parse(written) == size, f"{written} is read as {parse(written)}"
    with contextlib.suppress(DimSyntaxError):
        parse_condition(text, {name: symbol(name) for name in ("a", "b", "N", "H", "seq")})


def of_onnxtxt(data: bytes) -> None:
    """Check a model as text, and ask what an editor asks."""
    written = check_text(data.decode("utf-8", "replace"))
    told(written.report)
    ask(written)


def of_engine(data: bytes) -> None:
    """Check a model of the seeds, changed so that every part of it is still well formed."""
    told(check(changed(data, seeds.models())))


def of_calls(data: bytes) -> None:
    """Infer one call of an operator, and work out what it asks."""
    call, facts = called(data)
    outcome = infer_call(call, facts)
    ours = [f.message for f in outcome.findings if f.code is INTERNAL_ERROR]
    assert not ours, ours
    for fact in outcome.facts:
        lengths = getattr(fact, "shape", None) or ()
        assert all(isinstance(d, Dim) or (type(d) is int and d >= 0) for d in lengths), fact.text
    for claim in outcome.claims:
        _ = simplest(claim.condition).text


def of_fold(data: bytes) -> None:
    """Fold a model of the seeds that was changed so; what can be folded is folded at once."""
    with contextlib.suppress(ShapeInferError):
        once = fold(changed(data, seeds.models()))
        json.dumps(once.to_dict())
        again = fold(once.model)
        assert not again.rewrites, again.rewrites


TARGETS: dict[str, Callable[[bytes], None]] = {
    "onnx": of_onnx,
    "ir": of_ir,
    "text": of_text,
    "onnxtxt": of_onnxtxt,
    "engine": of_engine,
    "calls": of_calls,
    "fold": of_fold,
    **OF_BYTES,
}


def tried(target: str, data: bytes) -> None:
    """Hand bytes to a target. Raises whatever goes wrong, TooSlow among it."""
    with soon():
        TARGETS[target](data)


def explained(target: str, data: bytes) -> Iterator[str]:
    """Yield the lines that tell of what a target makes of bytes, where they choose rather than say it."""
    if target == "calls":
        yield from map(str, called(data))
    if target not in ("engine", "fold"):
        return
    model = changed(data, seeds.models())
    try:
        text = onnx.printer.to_text(model)
    except Exception:  # noqa: BLE001 - the printer takes no odd model
        text = str(model)
    yield from itertools.islice(text.splitlines(), 200)

"""onnxruntime in a process of its own, which may die, hang or eat memory: the models that fuzzing makes do all three.

``python -m tests.fuzz.runtime`` is that process; ``Runtime`` starts it, and starts it anew when it has ended.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import select
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import onnx

Array = np.ndarray[Any, Any]
Value = Any
"""What a run takes and gives: an array, a list of arrays for a sequence, None for an empty optional."""

ROOT = Path(__file__).parents[2]
SECONDS = 10
MEMORY = 4 << 30
MOST_ENTRIES = 2_000_000


class Refused(Exception):
    """The runtime does not load or run the model; the text is its own word for it."""


class Runtime:
    """Runs models in a child process. Use it as a context manager, or call ``close``."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._loaded: bytes | None = None
        self.deaths = 0

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, model: onnx.ModelProto | bytes, feeds: Mapping[str, Value], *, optimized: bool = False
    ) -> list[Value]:
        """Return the outputs of a model, in their order. Raises Refused, also where the process ends or hangs."""
        data = model if isinstance(model, bytes) else model.SerializeToString()
        if self._child is None or self._loaded != data or optimized:
            self._loaded = None
            self._asked(("load", data, optimized))
            self._loaded = None if optimized else data
        made: list[Value] = self._asked(("run", dict(feeds)))
        return made

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
        self._child, self._loaded = None, None

    def _asked(self, request: object) -> Any:
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            _send(child.stdin, request)
            ready, _, _ = select.select([child.stdout], [], [], SECONDS)
            if not ready:
                self.close()
                raise Refused(f"the runtime is not done after {SECONDS} seconds")
            said, answer = _received(child.stdout)
        except (OSError, EOFError) as error:
            self.deaths += 1
            self.close()
            raise Refused("the runtime's process ended") from error
        if said == "refused":
            raise Refused(answer)
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            command = [sys.executable, "-m", "tests.fuzz.runtime"]
            path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": path},
            )
        return self._child


def _send(stream: IO[bytes], message: object) -> None:
    data = pickle.dumps(message)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def _received(stream: IO[bytes]) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack("<Q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def _entries(value: Value) -> int:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sum(map(_entries, value))
    return int(getattr(value, "size", 1))


def _serve() -> None:
    """Answer requests until there are no more."""
    import onnxruntime

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    level = onnxruntime.GraphOptimizationLevel
    session: Any = None
    with contextlib.suppress(EOFError):
        while True:
            request = _received(source)
            try:
                if request[0] == "load":
                    options = onnxruntime.SessionOptions()
                    options.log_severity_level = 4
                    options.intra_op_num_threads = 1
                    options.graph_optimization_level = level.ORT_ENABLE_ALL if request[2] else level.ORT_DISABLE_ALL
                    session = onnxruntime.InferenceSession(request[1], options, ["CPUExecutionProvider"])
                    answer: Any = None
                else:
                    answer = session.run(None, request[1])
                    if _entries(answer) > MOST_ENTRIES:
                        raise MemoryError("the outputs are too large to be handed over")  # noqa: TRY301
            except Exception as error:  # noqa: BLE001 - the runtime's own word that it does not run
                _send(sink, ("refused", f"{type(error).__name__}: {error}"[:2000]))
            else:
                _send(sink, ("made", answer))


if __name__ == "__main__":
    _serve()

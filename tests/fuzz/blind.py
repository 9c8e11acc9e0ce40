"""Random changes of bytes, for where atheris is not installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from tests.fuzz.seeds import WORDS

ODD = (b"\0", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"(", b")", b'"', b"<", b">")


def inputs(seeds: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Yield the seeds, and then without end what becomes of them by a few changes of bytes."""
    yield from seeds
    while True:
        data = bytearray(random.choice(seeds))
        for _ in range(random.choice((1, 1, 2, 4, 16))):
            _change(data, seeds, random)
        yield bytes(data)


def _change(data: bytearray, seeds: Sequence[bytes], random: Random) -> None:
    at, other = random.randrange(len(data) + 1), random.choice(seeds)
    length = random.choice((1, 1, 2, 8, 64))
    from_other = random.randrange(len(other) + 1)
    kind = random.randrange(7)
    if kind == 0:
        data[at : at + 1] = random.randbytes(1)
    elif kind == 1:
        del data[at : at + length]
    elif kind == 2:
        data[at:at] = data[at : at + length] * random.choice((1, 2, 50))
    elif kind == 3:
        data[at : at + random.choice((0, 1, length))] = random.choice(ODD)
    elif kind == 4:
        data[at:at] = random.choice(WORDS).encode()
    elif kind == 5:
        data[at : at + length] = other[from_other : from_other + length]
    else:
        del data[at + random.choice((0, 200)) :]

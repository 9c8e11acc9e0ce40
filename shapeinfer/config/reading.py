"""Convert a TOML table to Settings; all mistakes are reported together, each with its key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, get_args

from attrs import field, frozen

from shapeinfer.api.options import DefaultInputs
from shapeinfer.config.globs import fault_of
from shapeinfer.config.settings import FailOn, ModelSettings, Settings
from shapeinfer.diagnostics.codes import CODES, UNUSABLE, Severity
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.dims import Dim, DimSyntaxError, Size, parse, parse_condition, symbol

At: TypeAlias = "tuple[str | int, ...]"
"""The keys on the way to a value; an entry of a list by its index."""

FEW = 16
"""So many words are listed where none is near the one that is wrong."""


MOST_CONDITIONS = 100
"""Conditions of one list: what each means for all others is worked out."""


class _Wrong(Exception):
    """A value is invalid for its key; has the message."""


Read: TypeAlias = "Callable[[_Reader, Any, At], Any]"


@frozen(repr=False)
class _Reader:
    """Reads values and collects what is wrong with them."""

    mistakes: list[tuple[At, str]] = field(factory=list)

    def fields(self, value: object, at: At, readers: Mapping[str, Read]) -> dict[str, Any]:
        """Read a table whose keys are known."""
        out = {}
        for key, inner in self._table(value, at).items():
            if key in readers:
                found = self.one(readers[key], inner, (*at, key))
                if found is not None:
                    out[key] = found
            else:
                self.mistakes.append(((*at, key), f"unknown key{_close(key, readers)}"))
        return out

    def entries(self, value: object, at: At, read: Read) -> dict[str, Any]:
        """Read a table of names; one that cannot be read is left out."""
        found = {key: self.one(read, inner, (*at, key)) for key, inner in self._table(value, at).items()}
        return {key: inner for key, inner in found.items() if inner is not None}

    def each(self, value: object, at: At, read: Read, what: str) -> tuple[Any, ...]:
        """Read a list; an entry that cannot be read is left out."""
        if not isinstance(value, list):
            raise _Wrong(f"expected {what}, found {_type_name(value)}")
        found = [self.one(read, inner, (*at, i)) for i, inner in enumerate(value)]
        return tuple(inner for inner in found if inner is not None)

    def one(self, read: Read, value: object, at: At) -> Any:
        """Read one value; None where it is not what it should be, which is then noted."""
        try:
            return read(self, value, at)
        except _Wrong as wrong:
            self.mistakes.append((at, str(wrong)))
            return None

    def _table(self, value: object, at: At) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self.mistakes.append((at, f"expected a table, found {_type_name(value)}"))
        return {}


def settings_of(table: object, folder: Path) -> tuple[Settings, list[tuple[At, str]]]:
    """Return the settings of a table and what is wrong with it; settings that are wrong are as if left out."""
    reader = _Reader()
    found = reader.fields(table, (), _KEYS)
    settings = Settings(folder=folder, **{_NAMES.get(key, key): value for key, value in found.items()})
    return settings, reader.mistakes


def read_level(text: str) -> Severity | None:
    """Return the severity of a word, None for ``off``. Raises ValueError for another word."""
    return None if text == "off" else Severity(text)


def read_range(text: str) -> tuple[int, int | None]:
    """Return the ends of a range such as ``1..8`` or ``1..``. Raises ValueError for other text."""
    low, dots, high = text.partition("..")
    if not dots:
        raise ValueError(text)
    return read_length(low), read_length(high) if high.strip() else None


def read_length(text: str) -> int:
    """Return a length from its digits. Raises ValueError for what is none."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise ValueError(text)
    return int(digits)


def read_dim(text: str) -> int | str:
    """Return a length from its digits, a name or formula as it is. Raises ValueError for what is neither."""
    try:
        return read_length(text)
    except ValueError:
        if not isinstance(parse(text), Dim):
            raise
        return text.strip()


def unknown_code(name: str) -> str:
    """Return the message for an unknown code."""
    return f"unknown code {name!r}{_close(name, CODES)}"


def cannot_be_silenced(name: str) -> str:
    """Return the message for a code that cannot be turned off."""
    return f"{name} cannot be turned off: it means that the model was not checked"


def _text(_reader: _Reader, value: object, _at: At) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"expected text, found {_type_name(value)}")
    return value


def _code(reader: _Reader, value: object, at: At) -> str:
    name = _text(reader, value, at)
    if name not in CODES:
        raise _Wrong(unknown_code(name))
    return name


def _ignored_code(reader: _Reader, value: object, at: At) -> str:
    name = _code(reader, value, at)
    if CODES[name] in UNUSABLE:
        raise _Wrong(cannot_be_silenced(name))
    return name


def _selected(reader: _Reader, value: object, at: At) -> frozenset[str]:
    return frozenset(reader.each(value, at, _code, 'a list of codes, such as ["not-broadcastable"]'))


def _ignored(reader: _Reader, value: object, at: At) -> frozenset[str]:
    return frozenset(reader.each(value, at, _ignored_code, 'a list of codes, such as ["label-conflict"]'))


def _severities(reader: _Reader, value: object, at: At) -> dict[str, Severity | None]:
    levels = reader.entries(value, at, _level)
    for key in levels:
        try:
            _code(reader, key, at) if levels[key] != "off" else _ignored_code(reader, key, at)
        except _Wrong as wrong:
            reader.mistakes.append(((*at, key), str(wrong)))
    return {key: read_level(level) for key, level in levels.items()}


def _level(reader: _Reader, value: object, at: At) -> str:
    return _word(reader, value, at, (*(s.value for s in Severity), "off"))


def _fail_on(reader: _Reader, value: object, at: At) -> FailOn:
    return FailOn(_word(reader, value, at, [level.value for level in FailOn]))


def _strict(_reader: _Reader, value: object, _at: At) -> FailOn:
    return FailOn.WARNING if _truth(value) else FailOn.ERROR


def _default_inputs(reader: _Reader, value: object, at: At) -> str:
    return _word(reader, value, at, get_args(DefaultInputs))


def _word(reader: _Reader, value: object, at: At, words: Iterable[str]) -> str:
    text = _text(reader, value, at)
    words = list(words)
    if text not in words:
        raise _Wrong(f"expected one of {', '.join(words)}, found {text!r}")
    return text


def _glob(reader: _Reader, value: object, at: At) -> str:
    text = _text(reader, value, at)
    fault = fault_of(text)
    if fault is not None:
        raise _Wrong(f"{text!r} is not a valid glob: {fault}")
    return text


def _globs(reader: _Reader, value: object, at: At) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_glob(reader, value, at),)
    return reader.each(value, at, _glob, 'a glob or a list of them, such as "models/*.onnx"')


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"expected true or false, found {_type_name(value)}")
    return value


def _number(_reader: _Reader, value: object, _at: At) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Wrong(f"expected a dim size, found {_type_name(value)}")
    if value < 0:
        raise _Wrong(f"a dim size must be at least 0, found {value}")
    return value


def _dim(reader: _Reader, value: object, at: At) -> int | str:
    if not isinstance(value, str):
        return _number(reader, value, at)
    try:
        return read_dim(value)
    except ValueError:
        raise _Wrong(f'expected a length or a name, such as "batch", found {value!r}') from None


def _limit(_reader: _Reader, value: object, _at: At) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Wrong(f"expected a number, found {_type_name(value)}")
    if not value > 0:
        raise _Wrong(f"a limit must be greater than 0, found {value}")
    return value


def _count(reader: _Reader, value: object, at: At) -> int:
    limit = _limit(reader, value, at)
    if not isinstance(limit, int):
        raise _Wrong(f"expected an integer, found {_type_name(value)}")
    return limit


def _range(reader: _Reader, value: object, at: At) -> tuple[int, int | None]:
    text = _text(reader, value, at)
    try:
        return read_range(text)
    except ValueError:
        raise _Wrong(f'expected a range, such as "1..8" or "1..", found {text!r}') from None


class _AnyName(dict[str, Size]):
    """Takes every name for a dim: which ones a model has is known only when it is checked."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> Size:
        return symbol(name)


def _condition(reader: _Reader, value: object, at: At) -> str:
    text = _text(reader, value, at)
    try:
        parse_condition(text, _AnyName())
    except DimSyntaxError as error:
        raise _Wrong(str(error)) from None
    return text


def _conditions(reader: _Reader, value: object, at: At) -> tuple[str, ...]:
    if isinstance(value, list) and len(value) > MOST_CONDITIONS:
        raise _Wrong(f"expected {MOST_CONDITIONS} conditions at most, found {len(value)}")
    return reader.each(value, at, _condition, 'a list of conditions, such as ["height % 8 == 0"]')


def _texts(reader: _Reader, value: object, at: At) -> tuple[str, ...]:
    return reader.each(value, at, _text, 'a list of files, such as ["rules.toml"]')


def _models(reader: _Reader, value: object, at: At) -> tuple[ModelSettings, ...]:
    return reader.each(value, at, _model, 'a list of globs, such as ["models/*.onnx"], or of tables under [[models]]')


def _model(reader: _Reader, value: object, at: At) -> ModelSettings:
    if isinstance(value, str):
        return ModelSettings(paths=(_glob(reader, value, at),))
    found = reader.fields(value, at, _MODEL_KEYS)
    if isinstance(value, dict) and "path" not in value:
        raise _Wrong('missing path, such as path = "models/*.onnx"')
    return ModelSettings(**{_NAMES.get(key, key): inner for key, inner in found.items()})


_NAMES = {
    "fail-on": "fail_on",
    "strict": "fail_on",
    "default-inputs": "default_inputs",
    "max-seconds": "max_seconds",
    "max-memory": "max_memory",
    "max-expression": "max_expression",
    "path": "paths",
    "range": "ranges",
}

_MODEL_KEYS: dict[str, Read] = {
    "path": _globs,
    "bind": lambda reader, value, at: reader.entries(value, at, _number),
    "shapes": lambda reader, value, at: reader.entries(value, at, _dims),
    "range": lambda reader, value, at: reader.entries(value, at, _range),
    "assume": _conditions,
    "ignore": _ignored,
    "contract": _conditions,
    "default-inputs": _default_inputs,
}

_KEYS: dict[str, Read] = {
    "select": _selected,
    "ignore": _ignored,
    "severity": _severities,
    "fail-on": _fail_on,
    "strict": _strict,
    "suppressions": lambda _reader, value, _at: _truth(value),
    "max-seconds": _limit,
    "max-memory": _limit,
    "max-expression": _count,
    "default-inputs": _default_inputs,
    "exclude": _globs,
    "rules": _texts,
    "models": _models,
}


def _dims(reader: _Reader, value: object, at: At) -> tuple[int | str, ...]:
    return reader.each(value, at, _dim, "a list of dim sizes, such as [1, 3, 224, 224]")


def _close(word: str, known: Iterable[str]) -> str:
    known = list(known)
    near = did_you_mean(word, known, 2)
    return near or (f"; expected one of {', '.join(known)}" if len(known) < FEW else "")


def _type_name(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return repr(value)
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    return "a date"

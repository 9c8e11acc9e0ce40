"""What inputs that grow are put together from, for each reader: § is the number of a repetition, ¶ the one before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from attrs import field, frozen

from tests.fuzz import readers
from tests.fuzz.readers import OPENED, URI, message
from tests.fuzz.wire_text import encoded


@frozen
class Reader:
    """A reader, and what is written for it.

    ``frames`` are what stands before, between and behind; what grows is put into its gaps. ``prepared`` turns a text
    into what is read, which is not measured.
    """

    read: Callable[[str | bytes], None]
    pieces: tuple[str, ...]
    frames: tuple[tuple[str, ...], ...] = (("", ""),)
    nests: tuple[tuple[str, str], ...] = (("(", ")"),)
    prepared: Callable[[str], str | bytes] = str
    most: int = 1 << 18
    """Longer texts are not tried."""
    floor: float = field(default=0.004)
    """What takes fewer seconds is not judged."""


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _of(name: str) -> tuple[str, ...]:
    """Return the pieces of a file, which has a text of JSON in each line."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def _json(text: str) -> str:
    return json.dumps(text)[1:-1]


FOLDER = Path(__file__).parent / "pieces_of"
HEADER = '<ir_version: 9, opset_import: ["" : 20, "my" : 1]>\n'


COMMON, EXPRESSION, CONDITION = map(_of, ("common", "expressions", "conditions"))
IR_FRAMES = (
    ('<net name="n" version="11"><layers>', "</layers><edges>", "</edges></net>"),
    (
        '<net name="n" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data shape="',
        '" element_type="f32"/><output><port id="0" names="',
        '"/></output></layer></layers><edges></edges></net>',
    ),
    ("<net", "></net>"),
    (
        '<net name="n" version="11"><layers><layer id="0" name="x" type="TensorIterator"><input>',
        "</input><output>",
        "</output><port_map>",
        "</port_map><body><layers></layers><edges></edges></body></layer></layers></net>",
    ),
)

WIRE_FRAMES = (
    ("1#9;8{1:;2#20;}8{1:my;2#1;}7{2:g;11{1:x0;2{1{1#1;2{1{2:N;}1{2:M;}}}}}12{1:y;}", "}"),
    ("1#9;8{1:;2#20;}7{2:g;11{1:x0;2{1{1#1;2{1{2:N;}}}}}1{1:x0;2:y;4:Relu;", "}", "}"),
    ("1#9;8{1:;2#20;}7{2:g;11{1:x0;2{1{1#1;2{1{2:N;}}}}}1{1:x0;2:y;4:Relu;}12{1:y;}}", ""),
    ("1#9;8{1:;2#20;}7{2:g;11{1:x0;2{1{1#1;2{", "}}}}1{1:x0;2:y;4:Concat;5{1:axis;3#0;20#2;}", "}12{1:y;}}", ""),
    ("1#9;8{1:;2#20;}7{2:g;1{1:w;2:y;4:Relu;}5{8:w;", "}12{1:y;", "}}"),
    ("1#9;8{1:;2#20;}7{1{2:c;4:Constant;5{1:value;20#4;5{", "}}}1{1:c;2:y;4:Relu;", "}12{1:y;}}"),
)


CONFIG_FRAMES = (
    ("", ""),
    ("select = [", "]\n", ""),
    ("[[models]]\npath = '", "'\n", ""),
    ("[[models]]\npath = 'a'\nassume = ['", "']\n", ""),
    ("x = '''\n", "\n'''\n", ""),
    ("", "y = 1\n", ""),
    ("[[models]]\npath = 'models/*'\n[models.bind]\n", "\n"),
    ("exclude = ['", "']\n"),
    ('[severity]\n"', '" = "x"\n', ""),
)

FORMULA_FRAMES = (
    ("my::Op(x[N]", ") -> [N", "]"),
    ("my::Op(", ") -> [N]", ""),
    ("my::Op(x[N]) -> ", " where ", ""),
    ("", "::Op(x[N]", ") -> [N]"),
    ("my::Op(x[N]) -> [N]", ""),
)


AT = {"line": 0, "character": 40}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
IN_TEXT = {"uri": URI}
ASKED = tuple(
    message(f"textDocument/{what}", 7, textDocument=IN_TEXT, **params).replace('"id": 7', '"id": §') + "\n"
    for what, params in (
        ("hover", {"position": AT}),
        ("completion", {"position": AT}),
        ("inlayHint", {"range": WHOLE}),
        ("documentSymbol", {}),
        ("semanticTokens/full", {}),
        ("semanticTokens/range", {"range": WHOLE}),
        ("codeAction", {"range": WHOLE, "context": {"diagnostics": []}}),
        ("references", {"position": AT, "context": {"includeDeclaration": True}}),
        ("documentHighlight", {"position": AT}),
        ("rename", {"position": AT, "newName": "z"}),
        ("definition", {"position": AT}),
    )
)
CHANGE = {
    "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}},
    "text": "z§ = Relu (x)\n",
}
CHANGED = message("textDocument/didChange", textDocument={**IN_TEXT, "version": 2}, contentChanges=[CHANGE]) + "\n"
MESSAGES = (
    *ASKED,
    CHANGED,
    message("$/cancelRequest", id=3) + "\n",
    *(
        '{"jsonrpc": "2.0", "method": "x§", "id": §}\n',
        "{}\n",
        "[]\n",
        '{"jsonrpc": "2.0", "id": §, "result": 1}\n',
        "[",
        "{",
        '{"a": ',
        "]",
        "}",
        '"',
        "1",
        "null,",
        "\n",
    ),
    *(
        message("textDocument/didClose", textDocument=IN_TEXT) + "\n",
        json.dumps(CHANGE) + ", ",
        *map(_json, _of("edits")),
    ),
)
_HEAD, _TAIL = message(
    "textDocument/didChange", textDocument={**IN_TEXT, "version": 2}, contentChanges=[{"text": "HERE"}]
).split("HERE")
_BEGUN, _ENDED = message(
    "textDocument/didChange", textDocument={**IN_TEXT, "version": 2}, contentChanges=["HERE"]
).split('"HERE"')
_ALL = "".join(m.replace("§", str(i)) for i, m in enumerate(ASKED, 100))
MESSAGES_FRAMES = (
    (f"{OPENED}\n", ""),
    (f"{OPENED}\n{_HEAD}m (float[N] x) => (y) {{ ", f" }}{_TAIL}\n", _ALL),
    (
        f"{OPENED}\n{_HEAD}m (float[N] x) => (y) {{ ",
        f" }}{_TAIL}\n{_ALL}{_HEAD}m (float[N] x) => (y) {{ ",
        f" }}{_TAIL}\n{_ALL}",
    ),
    (f"{OPENED}\n{_BEGUN}", f"{json.dumps(CHANGE)}{_ENDED}\n", _ALL),
)


def _bytes(read: Callable[[bytes], None]) -> Callable[[str | bytes], None]:
    return lambda data: read(data if isinstance(data, bytes) else _utf8(data))


def _str(read: Callable[[str], None]) -> Callable[[str | bytes], None]:
    return lambda data: read(data if isinstance(data, str) else data.decode())


BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("max(", ")"), ("-(", ")"), ("(1 + ", ")"))
SMALL = 4096
"""No longer text is an expression or a condition."""

READERS: dict[str, Reader] = {
    "onnxtxt": Reader(
        _str(readers.of_written),
        _of("onnxtxt") + COMMON,
        (
            (f"{HEADER}g (float[N, M] x0) => (y) {{ ", "}"),
            (f"{HEADER}g (float[N, M] x0", ") => (y", ") { y = Relu (x0) }"),
            (f"{HEADER}g (float[N", "] x0) => (y) { y = Concat <axis = 0", "> (x0", ") }"),
            (f"{HEADER}g (float[N] x0) => (y) <", "> { y = Relu (x0) ", "}"),
            (f"{HEADER}g (float[N] x0) => (y) {{ y = Relu (x0) }} ", ""),
            ("", ""),
        ),
        (*BRACKETS, ("y = If (x0) <then_branch = g () => (y) { ", "}> "), ("seq(", ")")),
    ),
    "ir": Reader(
        _bytes(readers.of_ir),
        _of("ir") + COMMON,
        IR_FRAMES,
        (("<body><layers>", "</layers></body>"), ("<a>", "</a>"), ('<layer id="§" name="n§" type="If">', "</layer>")),
        _utf8,
    ),
    "onnx": Reader(
        _bytes(readers.of_onnx),
        _of("onnx") + COMMON,
        WIRE_FRAMES,
        (("7{", "}"), ("1{4:If;5{1:then_branch;20#5;6{", "}}}"), ("4{1{", "}}"), ("1{", "}"), ("5{6{1{", "}}}")),
        encoded,
    ),
    "expressions": Reader(_str(readers.of_expression), EXPRESSION, nests=BRACKETS, most=SMALL, floor=0.002),
    "conditions": Reader(_str(readers.of_condition), EXPRESSION + CONDITION, nests=BRACKETS, most=SMALL, floor=0.002),
    "globs": Reader(
        _str(readers.of_glob),
        _of("globs"),
        (("", "\n", ""), ("", "b\n", ""), ("", "\na/", "/c")),
        (("a/", "/b"), ("[", "]")),
    ),
    "config": Reader(
        _bytes(readers.of_config), _of("config"), CONFIG_FRAMES, (*BRACKETS, ("a§.", ""), ("[[", "]]")), _utf8
    ),
    "baseline": Reader(
        _bytes(readers.of_baseline),
        (
            '"x§": [], ',
            '{"code": "a", "message": "m", "count": 1, "fingerprint": "§"}, ',
            "[",
            "{",
            '"',
            '"a": ',
            "1",
            "é",
            "\\u00e9",
            "-",
            ", ",
            "x",
        ),
        (
            ('{"version": 1, "models": {', '"z": []}}'),
            ('{"version": 1, "models": {"m": [', '{"code": "a", "message": "m", "count": 1, "fingerprint": "b"}]}}'),
        ),
        (("[", "]"), ('{"a": ', "}")),
        _utf8,
    ),
    "expected": Reader(
        _bytes(readers.of_expected),
        (*EXPRESSION, *CONDITION, "\n", "a1 == b1\n", "a1 >= §\n", "a1 % § == 0\n", "z§ == 1\n"),
        nests=BRACKETS,
        prepared=_utf8,
    ),
    "formulas": Reader(_str(readers.of_formula), _of("formulas"), FORMULA_FRAMES, BRACKETS),
    "query": Reader(
        _str(readers.of_query), EXPRESSION + _of("query"), (("", ""), ("", "\n", ""), ("x[0]\n", "")), BRACKETS
    ),
    "names": Reader(
        _str(readers.of_names), COMMON + _of("names"), (("", ""), ("a\n", ""), ("a\na\n", "\nb\n", "\nc")), BRACKETS
    ),
    "messages": Reader(
        _bytes(readers.of_messages), MESSAGES, MESSAGES_FRAMES, (("[", "]"), ('{"a": ', "}")), readers.framed
    ),
}

"""What inputs that grow are put together from, for each reader: § is the number of a repetition, ¶ the one before."""

from __future__ import annotations

import json
from collections.abc import Callable

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


def _json(text: str) -> str:
    return json.dumps(text)[1:-1]


HEADER = '<ir_version: 9, opset_import: ["" : 20, "my" : 1]>\n'
COMMON = (
    " ",
    "\t",
    "x",
    "x§",
    "0",
    "1§",
    '"',
    "'",
    "é",
    "😀",
    "\\",
    ",",
    ".",
    ":",
    "-",
    "`",
    "=",
    "\n",
    "\r",
    "#",
    "_",
)

TEXT = (
    *(
        "x§ = Relu (x¶)\n",
        "x§ = Add (x¶, x¶)\n",
        "x§ = Concat <axis = 0> (x¶, x0)\n",
        "x§ = Shape (x¶)\n",
        "y = Relu (x0)\n",
    ),
    *(
        "x§ = Reshape (x0, x¶)\n",
        "x§ = MatMul (x¶, x0)\n",
        "x§ = my.Op (x¶)\n",
        "x0, ",
        "x§, ",
        "float[N§, M] x§, ",
        "float[N] x§\n",
    ),
    *(
        "a§ = 1, ",
        "<a = ",
        "[1, 2, ",
        "{1, ",
        "float[2] {",
        "x§ = If (c) <then_branch = g () => (float[N] y) { ",
        "} ",
        "Nope (",
        ") => (",
    ),
    *(
        "// c\n",
        "N + ",
        "N§ * ",
        "max(N, ",
        "\\u00e9",
        "@",
        "|",
        "seq(",
        "optional(",
        "0x",
        "1e9 ",
        "x§ = Gather (x¶, x§)\n",
    ),
    *(
        "x§ = Unsqueeze (x¶, x0)\n",
        "x§, z§ = Split (x¶)\n",
        "x§ = Constant <value = int64[1] {§}> ()\n",
        "x§ = Mul (x¶, x§)\n",
    ),
    *(
        "x§ = f§ (x¶)\n",
        '<opset_import: ["" : 20]> f§ (a) => (b) { b = Relu (a) }\n',
        "x§ = Loop (x0, , x¶) <body = b (i, c) => (c) { } >\n",
    ),
    *("x§ = Transpose <perm = [1, 0]> (x¶)\n", 'x§ = Einsum <equation = "ij,jk->ik"> (x¶, x0)\n', "x¶ = Relu (x§)\n"),
    *(
        "x§ = Div (x¶, x0)\n",
        "x§ = Slice (x¶, x0, x0)\n",
        "x§ = Expand (x0, x¶)\n",
        "x§ = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x¶)\n",
    ),
)

IR = (
    *(
        '<layer id="§" name="n§" type="ReLU" version="opset1"><input><port id="0"/></input><output><port id="1"/></output></layer>',
    ),
    *(
        '<layer id="§" name="n" type="Parameter"><data shape="?,8" element_type="f32"/><output><port id="0"><dim>-1</dim></port></output></layer>',
    ),
    *(
        '<layer id="§" name="n§" type="Result"><input><port id="0"/></input></layer>',
        '<layer id="0" name="n" type="Add">',
        "</layer>",
    ),
    *(
        '<edge from-layer="¶" from-port="1" to-layer="§" to-port="0"/>',
        '<edge from-layer="0" from-port="0" to-layer="§" to-port="0"/>',
    ),
    *(
        '<edge from-layer="0" from-port="0" to-layer="1" to-port="§"/>',
        '<port id="§"/>',
        "<dim>1</dim>",
        "<dim>-1</dim>",
        '<port id="§" names="a§,b"/>',
    ),
    *(
        "<output>",
        "<input>",
        "<body>",
        "<layers>",
        "<edges>",
        "<port_map>",
        '<data shape="1,2,?"/>',
        "<rt_info>",
        '<a b="c"/>',
        ' a§="1"',
        "<x§/>",
    ),
    *("&lt;", "&#233;", "<!-- c -->", "<![CDATA[x]]>", "1,", "?,", "1..2,", " 1", '<data strides="', '"/>', "<?x y?>"),
    *('<input external_port_id="§" internal_layer_id="§"/>', '<output external_port_id="§" internal_layer_id="§"/>'),
    *(
        '<layer id="§" name="n§" type="Concat"><data axis="0"/><input>',
        "</input>",
        '<layer id="§" name="n§" type="If">',
        "</output>",
    ),
)
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

DIM = "1{2:N§;}"
WIRE = (
    *(
        "1{1:x¶;2:x§;4:Relu;}",
        "1{1:x¶;1:x¶;2:x§;4:Add;}",
        "1{1:x0;2:x§;4:Relu;3:n;}",
        "1{1:x¶;2:x0;4:Shape;}",
        "1{1:x¶;1:x0;2:x§;4:Concat;5{1:axis;3#0;20#2;}}",
    ),
    *(
        "1{1:x¶;2:x§;4:F§;7:my;}",
        "11{1:x§;2{1{1#1;2{1{1#2;}1{2:N;}}}}}",
        "12{1:x§;}",
        "13{1:x§;2{1{1#1;2{1{2:N§;}}}}}",
        "13{1:y;}",
        "12{1:y;}",
        "11{1:x0;}",
    ),
    *(
        "5{1#1;2#1;8:w§;7#1;}",
        "5{1#1;2#1;8:w;}",
        "14{1:shapeinfer.ignore;2:unused-node;}",
        "14{1:shapeinfer.ignore.x§;2:a,;}",
        "16{1:k§;2:v;}",
    ),
    *(
        "14{1:x0;2{1:SCALE_TENSOR;2:x§;}}",
        "15{}",
        "10:doc;",
        "2:n;",
        "1:x§;",
        "2:x§;",
        "1:x0;",
        "2:y;",
        "4:Relu;",
        "1:;",
        "5{1:a§;3#1;20#2;}",
        "5{1:a;3#1;}",
    ),
    *(
        "8#1;",
        "7{",
        "1{",
        "5{",
        "6{",
        "2{",
        "4{",
        "}",
        "9{1:;2#20;}",
        "8{1:d§;2#1;}",
        "8{1:;2#20;}",
        "25{1:F§;10:my;4:a;5:b;7{1:a;2:b;4:Relu;}9{1:;2#20;}}",
    ),
    *(
        "25{1:F§;10:my;7{2:b;4:F¶;7:my;}}",
        "1#2;",
        "2#7;",
        "7#5;",
        "9:abcdefgh;",
        "13{1:location;2:w.bin;}",
        "99#1;",
        "1{1#2;}",
        DIM,
        "1{2:N;}",
        "1{2:N + 1;}",
    ),
    *(
        "5{1:then_branch;6{1{2:y;4:Relu;1:x0;}12{1:y;}}20#5;}",
        "5{1:body;6{",
        "}20#5;}",
        "9{1:a;2:b;}",
        "1{1:x¶;1:x0;2:x§;4:Reshape;}",
        "1{1:x¶;1:x0;2:x§;4:Mul;}",
    ),
    *(
        "1{1:x0;2:x§;4:Unsqueeze;5{1:axes;8#0;8#1;20#7;}}",
        "1{4:Constant;2:x§;5{1:value_ints;8#§;20#7;}}",
        "1{1:x¶;2:x§;4:Nope;}",
        "1{1:x¶;2:x§;4:Relu;7:d§;}",
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

EXPRESSION = (
    *(
        "a",
        "a§",
        "N",
        "2",
        "9",
        " + ",
        " - ",
        "*",
        "//",
        " % ",
        "**2",
        "(",
        ")",
        "max(",
        "min(",
        "broadcast(",
        ", ",
        "`a b`",
        "``",
        " ",
        "-",
    ),
    *(
        "floor(",
        "ceil(",
        "(a + 1)",
        "//2",
        "*(a§ + b)",
        " + a§",
        "1 + ",
        "/2",
        "(N + 1)//2",
        "FloorDiv(",
        "mod(",
        "max(a§, b)",
        ",a§",
        "+a*b",
    ),
)
CONDITION = (
    *EXPRESSION,
    " and ",
    " or ",
    " == ",
    " <= ",
    ">",
    "<",
    "=",
    "a % 8 == 0",
    "a§ >= 3",
    " and a == b§",
    "%",
    "divisible(a, 8)",
    " or a§ == 1",
)

GLOB = (
    "*",
    "**",
    "?",
    "a",
    "b",
    "ab",
    "[a]",
    "[!a]",
    "[a-z]",
    "[",
    "]",
    "/",
    "**/",
    "/**",
    "*/",
    "!",
    "\\",
    "a*",
    "*a",
    "a§",
    " ",
    ".",
    "-",
    "\n",
    "{",
    "^",
    "$",
    "#",
    "a§/",
)

CONFIG = (
    *(
        "a§ = 1\n",
        "select = ['x']\n",
        '"x§", ',
        "'dim-mismatch',",
        "[a§]\n",
        "[[models]]\n",
        'path = "a*"\n',
        'path = "a§"\n',
        "bind = {n§ = 1}\n",
    ),
    *(
        "n§ = 1, ",
        "a.",
        "a§.",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "= ",
        "1,",
        "'''",
        '"""',
        '"',
        "'",
        "#",
        " ",
        "\n",
        "\t",
        "1",
        "é",
        "[severity]\n",
    ),
    *(
        "nope§ = 'error'\n",
        "exclude = ['",
        "assume = ['a% b == 0']\n",
        "'a == b', ",
        "[models.bind]\n",
        "[models.x§]\n",
        "contract = ['a >= 1']\n",
        "ignore = [",
        "'n§', ",
    ),
    *(
        'range = {n§ = "1..8"}\n',
        "rules = ['r§.toml']\n",
        "'*a",
        "\\u00e9",
        "2020-01-01",
        "1e9",
        "0x1",
        "true",
        "x",
        "dim-mismatch§",
    ),
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

FORMULA = (
    *(
        "x§[N], ",
        "[N], ",
        "[N§], ",
        "x[N",
        ", N",
        ", N§",
        "]",
        "[",
        "(",
        ")",
        ") -> ",
        "->",
        " where ",
        " and ",
        "N % 2 == 0",
        "N§ == 1",
        "N + ",
        "...",
    ),
    *(
        ", ",
        "?",
        ": f32",
        " ",
        "\n",
        "my::Op",
        "::",
        "a.",
        "x",
        "x§",
        "f32[N]",
        "1",
        "*",
        "\t",
        "max(N, ",
        "x?[N], ",
        "x: f32[N], ",
        "é",
    ),
)
FORMULA_FRAMES = (
    ("my::Op(x[N]", ") -> [N", "]"),
    ("my::Op(", ") -> [N]", ""),
    ("my::Op(x[N]) -> ", " where ", ""),
    ("", "::Op(x[N]", ") -> [N]"),
    ("my::Op(x[N]) -> [N]", ""),
)

QUERY = (*EXPRESSION, "x[", "[0]", "[", "]", "\n", "x§\n", "y§\n", "-1", "é", "x§y\n", "ab\n", "a§b")

NAME = (
    *COMMON,
    "::",
    "##[",
    "##vso[",
    "\x1b[31m",
    "<",
    ">",
    "&",
    "|",
    "*",
    "```",
    "[a](b)",
    "‮",
    "%",
    "{",
    "}",
    "a/b.",
    "()",
    "]]>",
    "N + 1",
    "a.b",
    "x§\n",
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
EDITED = tuple(
    _json(text)
    for text in (
        "x§ = Relu (x) ",
        "x§ = Add (x, y)\n",
        "é",
        '"é" ',
        "x",
        " ",
        "\n",
        "\r\n",
        "x§, ",
        "Nope (",
        "😀",
        "y = Relu (y)\n",
        "z§ = Relu (z¶) ",
    )
)
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
    *(message("textDocument/didClose", textDocument=IN_TEXT) + "\n", json.dumps(CHANGE) + ", ", *EDITED),
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
        (*TEXT, *COMMON),
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
        (*IR, *COMMON),
        IR_FRAMES,
        (("<body><layers>", "</layers></body>"), ("<a>", "</a>"), ('<layer id="§" name="n§" type="If">', "</layer>")),
        _utf8,
    ),
    "onnx": Reader(
        _bytes(readers.of_onnx),
        (*WIRE, *COMMON),
        WIRE_FRAMES,
        (("7{", "}"), ("1{4:If;5{1:then_branch;20#5;6{", "}}}"), ("4{1{", "}}"), ("1{", "}"), ("5{6{1{", "}}}")),
        encoded,
    ),
    "expressions": Reader(_str(readers.of_expression), EXPRESSION, nests=BRACKETS, most=SMALL, floor=0.002),
    "conditions": Reader(_str(readers.of_condition), CONDITION, nests=BRACKETS, most=SMALL, floor=0.002),
    "globs": Reader(
        _str(readers.of_glob), GLOB, (("", "\n", ""), ("", "b\n", ""), ("", "\na/", "/c")), (("a/", "/b"), ("[", "]"))
    ),
    "config": Reader(_bytes(readers.of_config), CONFIG, CONFIG_FRAMES, (*BRACKETS, ("a§.", ""), ("[[", "]]")), _utf8),
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
        (*CONDITION, "\n", "a1 == b1\n", "a1 >= §\n", "a1 % § == 0\n", "z§ == 1\n"),
        nests=BRACKETS,
        prepared=_utf8,
    ),
    "formulas": Reader(_str(readers.of_formula), FORMULA, FORMULA_FRAMES, BRACKETS),
    "query": Reader(_str(readers.of_query), QUERY, (("", ""), ("", "\n", ""), ("x[0]\n", "")), BRACKETS),
    "names": Reader(_str(readers.of_names), NAME, (("", ""), ("a\n", ""), ("a\na\n", "\nb\n", "\nc")), BRACKETS),
    "messages": Reader(
        _bytes(readers.of_messages), MESSAGES, MESSAGES_FRAMES, (("[", "]"), ('{"a": ', "}")), readers.framed
    ),
}

"""Dims of ports are filled in; every other byte stays."""

from __future__ import annotations

import pytest

from shapeinfer import check
from shapeinfer.frontends.openvino.model import graph_of
from shapeinfer.frontends.openvino.read import load
from shapeinfer.frontends.openvino.write import annotated
from shapeinfer.infer.constraints.caller import Constraints
from shapeinfer.infer.result import infer_graph
from tests.ir import layer, net, parameter, result

RELU = (parameter("x", out="FP32 -1,8"), layer("y", "ReLU", "x", out="FP32 -1,8"), result("y"))


def written(model: bytes, **shapes: tuple[int, ...]) -> str:
    document = load(model)
    graph = graph_of(document, shapes=shapes)
    return annotated(document, graph, infer_graph(graph, Constraints(shapes=shapes)).scopes).decode()


def model(port: str) -> bytes:
    return net(*RELU).replace(b'<port id="1" precision="FP32"><dim>-1</dim><dim>8</dim></port>', port.encode())


def port_of(text: str) -> str:
    return text[text.index('<port id="1"') : text.index("</output></layer>", text.index('<port id="1"'))]


@pytest.mark.parametrize(
    ("port", "filled"),
    [
        ('<port id="1" precision="FP32"><dim>-1</dim><dim>8</dim></port>', "{0}<dim>2</dim><dim>8</dim></port>"),
        ('<port id="1" precision="FP32"/>', "{0}<dim>2</dim><dim>8</dim></port>"),
        ('<port id="1" precision="FP32" />', "{0}<dim>2</dim><dim>8</dim></port>"),
        ('<port id="1" precision="FP32"></port>', "{0}<dim>2</dim><dim>8</dim></port>"),
        ('<port id="1" precision="FP32"><dim>8</dim></port>', "{0}<dim>2</dim><dim>8</dim></port>"),
        (
            '<port id="1" precision="FP32"><rt_info/><dim> -1 </dim> <dim>8</dim></port>',
            "{0}<rt_info/><dim>2</dim> <dim>8</dim></port>",
        ),
    ],
)
def test_dims_are_filled_in(port: str, filled: str) -> None:
    assert port_of(written(model(port), x=(2, 8))) == filled.format('<port id="1" precision="FP32">')


def test_lines_are_kept() -> None:
    tag = '\n\t\t<port id="1" precision="FP32" names="a > b"'
    dims = "\n\t\t\t<dim>2</dim>\n\t\t\t<dim>8</dim>\n\t\t</port>\n"
    assert f"{tag}>{dims}" in written(model(f"{tag} />\n"), x=(2, 8))


def test_what_is_known_already_is_not_touched() -> None:
    port = b'<port id="0"><dim>-1</dim><dim>8</dim></port>'
    whole = net(*RELU).replace(b'<input><port id="0" precision="FP32"/></input>', b"<input>" + port + b"</input>")
    assert written(whole) == whole.decode()


@pytest.mark.parametrize(
    ("declared", "given", "text"),
    [
        ("?,8", (2, 8), "2,8"),
        ("2..4, 8", (3, 8), "3,8"),
        ("-1,8", (0, 8), "0,8"),
        ("...", (2, 8), "2,8"),
        ("?,?,8", (2, 8), "2,8"),
        ("2, 8", (2, 8), "2, 8"),
    ],
)
def test_what_is_given_stands_in_the_inputs_and_at_the_outputs(
    declared: str, given: tuple[int, ...], text: str
) -> None:
    ports = parameter("x", declared, out="FP32"), layer("y", "ReLU", "x", out="FP32"), result("y")
    whole = net(*ports)
    made = written(whole, x=given)
    assert f'<data shape="{text}"' in made
    assert made.count(f"<dim>{given[0]}</dim><dim>8</dim>") == 4
    assert [d.text for d in check(made.encode()).diagnostics] == []


def test_a_length_that_is_not_given_stays_as_it_is_declared() -> None:
    whole = net(parameter("x", "?, 2..4,8"), layer("y", "ReLU", "x", out="FP32"), result("y"))
    assert '<data shape="?, 2..4,8"' in written(whole)


def test_writing_twice_changes_nothing_more() -> None:
    once = written(model('<port id="1" precision="FP32"/>'), x=(2, 8))
    assert written(once.encode(), x=(2, 8)) == once


def test_a_file_that_is_not_utf_8_is_refused() -> None:
    text = model('<port id="1" precision="FP32"/>').decode()
    with pytest.raises(ValueError, match="UTF-16"):
        written(text.encode("utf-16"))

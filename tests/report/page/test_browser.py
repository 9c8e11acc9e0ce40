"""The page in a real browser, for who has one: Chromium by way of the extra ``browser``."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import onnx
import pytest

from shapeinfer import check
from shapeinfer.report import page as pages
from tests.models import checked
from tests.report.page.table import results
from tests.report.page.test_page import ARITHMETIC, hostile

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

ROOT = Path(__file__).parents[3]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SCREEN = {"width": 1280, "height": 800}
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Opened]:
    """Opens the page of a model; whatever the browser complains of fails the test."""
    complaints: list[str] = []
    contexts = []

    def open_(
        model: str | Path | onnx.ModelProto,
        scheme: str = "light",
        fragment: str = "",
        viewport: dict[str, int] | None = None,
    ) -> Any:
        report = check(model) if isinstance(model, Path) else checked(model)
        file = tmp_path / "page.html"
        file.write_text(pages.render("m.onnx", report, report.cost() if report.ok else None), encoding="utf-8")
        contexts.append(chromium.new_context(color_scheme=scheme, viewport=viewport or SCREEN))
        tab = contexts[-1].new_page()
        tab.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda e: complaints.append(str(e)))
        tab.on("request", lambda r: None if r.url.startswith("file:") else complaints.append(f"asked for {r.url}"))
        tab.goto(file.as_uri() + (f"#{fragment}" if fragment else ""))
        return tab

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


TWO = """g (float[N, 4] x) => (y) <float[4, 8] w = ["location": "w"], int64[2] s = {-1, 16}> {
    h = MatMul(x, w)
    y = Reshape(h, s)
}"""
NAMED = """g (float[N] x) => (y) { m = Abs(x) [second] h = Relu(m) ["a+b/c"] y = Neg(h) }"""
NESTED = """g (bool c, float[N, 4] x) => (y) <float[4, 4] w = ["location": "w"]> {
    r = Neg(x)
    y = If(c) <then_branch = t () => (a) { a = Relu(r) }, else_branch = e () => (b) { h = Abs(r) b = Mul(h, w) }>
}"""
FUNCTION = """<ir_version: 9, opset_import: ["" : 20, "lib" : 1]>
g (float[N] x) => (y) { y = lib.twice(x) }
<opset_import: ["" : 20], domain: "lib"> twice (t) => (r) { r = Relu(t) }"""
BODY = """g (bool c, float[N] x) => (y) {
    y = If(c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Abs(x) }>
}"""
BROKEN = ROOT / "examples" / "broken" / "unet_wrong_channels.onnx"
MODELS = [ROOT / "examples" / "models" / "bert.onnx", BROKEN]


@pytest.mark.parametrize(("model", "scheme"), [(MODELS[0], "light"), (MODELS[1], "dark")], ids=["light", "dark"])
def test_it_is_accessible(opened: Opened, model: Path, scheme: str) -> None:
    tab = opened(model, scheme)
    tab.fill("#query", "MatMul")
    for details in tab.query_selector_all("#findings details"):
        details.evaluate("d => { d.open = true; }")
    tab.evaluate("choosePart(folds.inside(folds.rootOf(graphOf(0)))[0])")
    tab.evaluate("document.getElementById('help').open = true")
    found = axe.Axe().run(tab)
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found.response["violations"]] == []


def test_sizes_are_put_into_every_shape(opened: Opened) -> None:
    tab = opened(TWO)
    tab.fill("#query", "reshape")
    assert tab.inner_text("#results") == "Reshape f32[N//2, 16]"
    tab.fill("#sizes input[type=number]", "6")
    assert tab.inner_text("#results") == "Reshape f32[3, 16]"
    assert tab.inner_text("#holds") == "These sizes satisfy all conditions."
    assert "192" in tab.inner_text("#cost")
    tab.fill("#sizes input[type=number]", "7")
    assert tab.inner_text("#holds") == "These sizes break 1 of 1 conditions."
    tab.click("#clear")
    assert tab.inner_text("#results") == "Reshape f32[N//2, 16]"


def test_sizes_that_only_small_ones_break_are_folded_until_they_do(opened: Opened) -> None:
    tab = opened("""g (float[A, 8, L] x) => (y) {
        p = MaxPool <kernel_shape = [4], strides = [4]> (x)
        s = Constant <value = int64[2] {0, -1}> () y = Reshape (p, s)
    }""")
    assert tab.inner_text("#contract summary") == "also requires A >= 1"
    assert not tab.evaluate("document.querySelector('#contract details').open")
    assert tab.inner_text("#smallest").startswith("Smallest sizes that run: ")
    tab.fill("#size-0", "0")
    tab.fill("#size-1", "8")
    assert tab.evaluate("document.querySelector('#contract details').open")
    assert "fails" in tab.inner_text("#contract details")


def test_other_nodes_of_a_cause_are_links_to_them(opened: Opened) -> None:
    tab = opened("g (float[N, 65] x, float[64, 8] w) => (y) { a = MatMul(x, w) b = MatMul(x, w) y = Add(a, b) }")
    tab.click("#findings details details summary")
    assert tab.inner_text("#findings details details summary") == "and at 1 more node"
    tab.click("#findings details details li button")
    assert "node 1" in tab.inner_text("#node")


def test_the_script_works_out_what_the_tests_do(opened: Opened) -> None:
    tab = opened(ROOT / "examples" / "models" / "sd_unet.onnx")
    data = json.loads(tab.text_content("#data"))
    for size in (1, 3, 8, 64):
        sizes = {name: size + i for i, (name, *_) in enumerate(data["symbols"])}
        found = tab.evaluate(
            """given => evaluate(data.table, new Map(Object.entries(given).map(([n, s]) => [n, BigInt(s)])))
                .map(r => typeof r === "bigint" ? String(r) : r)""",
            sizes,
        )
        expected = results(data["table"], sizes)
        assert found == [r if r is None or isinstance(r, bool) else str(r) for r in expected]


def test_search(opened: Opened) -> None:
    tab = opened(TWO)
    for where, words, found in [
        ("all", "matmul", ["MatMul f32[N, 8]"]),
        ("operator", "n, 8", []),
        ("shape", "[n, 8", ["MatMul f32[N, 8]"]),
        ("name", "y", ["Reshape f32[N//2, 16]"]),
        ("name", "w", ["MatMul f32[N, 8]"]),
        ("all", "reshape 16", ["Reshape f32[N//2, 16]"]),
    ]:
        tab.select_option("#where", where)
        tab.fill("#query", words)
        assert [b.inner_text() for b in tab.query_selector_all("#results button")] == found
        assert tab.inner_text("#found") == f"{len(found)} node{'' if len(found) == 1 else 's'}"


def test_search_by_module_and_by_line_of_the_program(opened: Opened) -> None:
    tab = opened(ROOT / "examples" / "source" / "model.onnx")
    data = json.loads(tab.text_content("#data"))
    for where, kept in (("module", data["modules"]), ("source", data["sources"])):
        tab.select_option("#where", where)
        tab.fill("#query", kept[-1])
        tab.click("#results button")
        assert kept[-1] in tab.inner_text("#node")


def test_nested_graphs_open_in_place_and_are_searched(opened: Opened) -> None:
    tab = opened(NESTED)
    inside = ["Abs", "Mul", "Relu", "a", "b", "else_branch", "r", "r", "then_branch"]
    assert boxes(tab) == sorted(["If", "Neg", "c", "x", "y", *inside])
    tab.click("#fold")
    assert boxes(tab) == ["If", "Neg", "c", "x", "y"]
    assert "then_branch: 1 node" in tab.evaluate("drawing.scene.boxes.find(b => b.node?.inside.length).rows.join()")
    tab.fill("#query", "abs")
    tab.click("#results button")
    assert tab.inner_text("#path").split("\n") == ["g", "If"]
    assert boxes(tab) == sorted(["If", "Neg", "c", "x", "y", *inside])
    # a weight of the graph around is written at its reader
    assert tab.evaluate("drawing.scene.boxes.find(b => b.title === 'Mul').rows") == ["B\u27e84\u00d74\u27e9"]
    tab.focus("#graph")
    for key in ("Backspace", "Backspace", "Enter"):
        tab.keyboard.press(key)
    assert boxes(tab) == ["If", "Neg", "c", "x", "y"]


def test_the_body_of_a_function_opens_in_place(opened: Opened) -> None:
    tab = opened(FUNCTION)
    assert boxes(tab) == ["Relu", "r", "t", "twice: body", "x", "y"]
    tab.evaluate("follow('value=r')")
    assert tab.inner_text("#path").split("\n") == ["g", "twice"]


def test_by_keyboard_alone(opened: Opened) -> None:
    tab = opened(BODY)
    tab.focus("#graph")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert tab.inner_text("#chosen-title") == "If"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert tab.text_content("#said") == "Relu, node 0: f32[N]"
    assert tab.inner_text("#path").split("\n") == ["g", "If"]
    tab.keyboard.press("Backspace")
    tab.keyboard.press("Backspace")
    assert tab.inner_text("#chosen-title") == "If"
    tab.keyboard.press("Enter")
    assert "Relu" not in boxes(tab)
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "query"
    tab.keyboard.type("if")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.textContent") == "If f32[N]"


# What is folded

LAYER = "a{i} = MatMul(v{i}, w) b{i} = Relu(a{i}) c{i} = Softmax(b{i}) v{j} = Add(v{i}, c{i}) "


def layers(count: int) -> str:
    lines = "".join(LAYER.format(i=i, j=i + 1) for i in range(count))
    return f"g (float[N, 4] x) => (y) <float[4, 4] w> {{ v0 = Abs(x) {lines} y = Neg(v{count}) }}".replace("w>", WEIGHT)


WEIGHT = 'w = ["location": "w"]>'


def boxes(tab: Any) -> list[str]:
    """What is drawn, without the marks of what can be opened."""
    titles = tab.evaluate("[...drawing.scene.byKey.values()].map(b => b.title.replace(/^[\u25b8\u25be] /, ''))")
    return sorted(titles)


def test_equal_layers_are_one_and_opening_shows_one_of_them(opened: Opened) -> None:
    tab = opened(layers(80))
    assert "block 1, 1 of 80 equal" in boxes(tab)
    assert boxes(tab).count("MatMul") == 1
    tab.evaluate("toggle([...folds.open][0])")
    assert boxes(tab) == ["Abs", "Neg", "block of 4 nodes \u00d780", "x", "y"]
    tab.evaluate("follow('value=c57')")
    assert "block 58, 58 of 80 equal" in boxes(tab)
    assert tab.inner_text("#chosen-title") == "Softmax"
    lines = tab.evaluate("drawing.scene.lines.map(l => [l.a.title ?? 'port', l.b.title ?? 'port'])")
    assert ["MatMul", "Relu"] in lines
    assert ["Add", "MatMul"] not in lines  # that leads to the next block
    tab.evaluate("choosePart(folds.around(graphOf(0), 100)[0])")
    tab.select_option("#block", "all")
    assert boxes(tab).count("4 nodes") == 80
    tab.click("#fold")
    assert boxes(tab) == ["Abs", "Neg", "block of 4 nodes \u00d780", "x", "y"]


def test_shape_arithmetic_is_hidden_unless_wanted(opened: Opened) -> None:
    tab = opened(ARITHMETIC)
    assert boxes(tab) == ["Relu", "Reshape", "x", "y"]
    assert tab.evaluate("drawing.scene.boxes.find(b => b.title === 'Reshape').rows") == ["shape {N, -1}"]
    tab.fill("#sizes input[type=number]", "6")
    assert tab.evaluate("drawing.scene.boxes.find(b => b.title === 'Reshape').rows") == ["shape {6, -1}"]
    tab.check("#all")
    assert boxes(tab) == ["Concat", "Gather", "Relu", "Reshape", "Shape", "x", "y"]
    tab.uncheck("#all")
    tab.evaluate("follow('value=t')")
    assert tab.is_checked("#all")
    assert tab.inner_text("#chosen-title") == "Concat"


def test_a_llama_of_32_layers_fits_a_screen(opened: Opened) -> None:
    """Its layers are folded, and their 64 caches are two inputs."""
    kinds = [f"float[B, P] past.{i}.{kind}" for i in range(32) for kind in ("key", "value")]
    given = ", ".join(f'float[B, P, 4] "{kind.split()[-1]}"' for kind in kinds)
    lines, made = [], []
    for i in range(32):
        for kind in ("key", "value"):
            lines.append(
                f'"{kind}{i}" = MatMul(v{i}, w) "now.{i}.{kind}" = Concat <axis = 1> ("past.{i}.{kind}", "{kind}{i}")'
            )
            made.append(f'"now.{i}.{kind}"')
        lines.append(
            f't{i} = Transpose <perm = [0, 2, 1]> ("now.{i}.key") q{i} = MatMul(v{i}, t{i}) s{i} = Softmax(q{i})'
        )
        lines.append(f'o{i} = MatMul(s{i}, "now.{i}.value") v{i + 1} = Add(v{i}, o{i})')
    head = f"g (float[B, S, 4] v0, {given}) => (y, {', '.join(made)}) <float[4, 4] {WEIGHT}"
    tab = opened(f"{head} {{ {' '.join(lines)} y = Neg(v32) }}", viewport={"width": 1440, "height": 900})
    ends = [title for title in boxes(tab) if "\u00d7" in title]
    assert ends == [f"{name}.0\u201331.{kind} \u00d732" for name in ("now", "past") for kind in ("key", "value")]
    assert tab.evaluate("drawing.fitting() >= READABLE && drawing.scale >= READABLE")
    assert len(boxes(tab)) < 30


# Links, and the drawing to take along


def test_a_link_to_a_node_or_a_value(opened: Opened) -> None:
    tab = opened(NAMED, fragment="node=second")
    assert tab.inner_text("#chosen-title") == 'Relu "second"'
    for fragment, title in [
        ("node=a+b%2Fc", 'Neg "a+b/c"'),
        ("value=h", 'Relu "second"'),
        ("value=x", "Input x"),
        ("at=0.2", 'Neg "a+b/c"'),
        ("at=0.9", "Not found"),
        ("node=nothing", "Not found"),
        ("node=%E0%A4%A", "Not found"),
    ]:
        tab.evaluate("follow", fragment)
        assert tab.inner_text("#chosen-title") == title


def test_what_is_chosen_has_an_address(opened: Opened) -> None:
    tab = opened(NAMED)
    for index, address in enumerate(["#value=m", "#node=second", "#node=a%2Bb%2Fc"]):
        tab.evaluate(f"goTo(graphOf(0), {index})")
        assert tab.evaluate("location.hash") == address
        assert tab.get_attribute("#node a", "href") == address
    tab.evaluate("location.hash = 'value=m'")
    tab.wait_for_function("document.getElementById('chosen-title').textContent === 'Abs'")
    tab.evaluate("postMessage({ show: 'node=second' }, '*')")  # from an editor around the page
    tab.wait_for_function("document.getElementById('chosen-title').textContent.startsWith('Relu')")


def test_what_is_seen_as_svg_and_on_paper(opened: Opened) -> None:
    tab = opened(hostile(), "dark")
    with tab.expect_download() as waiting:
        tab.click("#svg")
    assert waiting.value.suggested_filename == "m.onnx.svg"
    root = ElementTree.parse(waiting.value.path()).getroot()
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<b>op</b>" in " ".join(filter(None, texts))
    assert {element.tag.partition("}")[2] for element in root.iter()} == {"svg", "g", "rect", "path", "text"}
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.emulate_media(media="print")
    assert tab.is_visible("#printed svg")
    assert not tab.is_visible("#graph")
    assert tab.get_attribute("#printed rect", "fill") == "#f6f7f9"  # paper is light


def test_on_a_phone_the_findings_come_first(opened: Opened) -> None:
    tab = opened(BROKEN, viewport={"width": 390, "height": 844})
    tops = [tab.locator(part).bounding_box()["y"] for part in ("#findings", "#frame", "#query", "#contract")]
    assert tops == sorted(tops)
    assert tab.locator("#frame").bounding_box()["height"] > 400
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert [v["id"] for v in axe.Axe().run(tab).response["violations"]] == []


# The layout


def test_every_value_has_a_line_from_its_node_to_each_reader(opened: Opened) -> None:
    """Through the edges of the modules around them, where these are open, and from the box that stands for them."""
    tab = opened(ROOT / "examples" / "models" / "llama_kv.onnx")
    missing = """() => {
        const { scene } = drawing, graph = graphOf(0), out = [];
        const boxOf = (index) => [graph.node(index), ...folds.around(graph, index).reverse()]
            .map((what) => scene.boxOf(what)).find(Boolean);
        const boxes = [...scene.byKey.values()], end = (value, box) => `${value} ${boxes.indexOf(box)}`;
        const ends = (side) => new Set(scene.lines.flatMap((line) => line.values.map((v) => end(v, line[side]))));
        const from = ends("a"), to = ends("b");
        let count = 0;
        for (let reader = 0; reader < graph.count; reader++)
            for (const value of graph.reads(reader)) {
                const maker = value < 0 ? -1 : graph.maker[value];
                if (maker < 0 || graph.isWritten(value, folds.showsAll)) continue;
                if (!folds.showsAll && graph.records[reader][5]) continue;
                const [a, b] = [boxOf(maker), boxOf(reader)];
                if (a === b) continue;
                count++;
                if (!from.has(end(value, a)) || !to.has(end(value, b))) out.push([maker, reader]);
            }
        return [count, out];
    }"""
    for change in ("1", "folds.unfold(9999)", "folds.showsAll = true", "folds.fold()"):
        count, without = tab.evaluate(f"{change}; rebuild(null); ({missing})()")
        assert without == []
        assert count > 0 or change == "folds.fold()"


def test_lines_lead_down_and_boxes_do_not_meet(opened: Opened) -> None:
    tab = opened(TWO)
    random = Random(7)
    given = []
    for _ in range(40):
        count = random.randint(1, 60)
        sizes = [
            {"wide": random.randint(40, 200), "high": random.choice((30, 60)), "weight": 1, "end": 0}
            for _ in range(count)
        ]
        ends = [(random.randrange(max(0, b - 20), b), b) for b in range(1, count) for _ in range(random.randrange(3))]
        given.append([sizes, [{"a": a, "b": b, "from": 0, "to": 0} for a, b in ends]])
    for (sizes, lines), found in zip(
        given, tab.evaluate("all => all.map(([boxes, lines]) => layOut(boxes, lines))", given)
    ):
        for line, points in zip(lines, found["points"]):
            heights = [found["feet"][line["a"]], *(y for _, y in points), found["tops"][line["b"]]]
            assert heights == sorted(heights)
        for top in set(found["tops"]):
            row = sorted((found["middles"][i], size["wide"]) for i, size in enumerate(sizes) if found["tops"][i] == top)
            assert all(x + w / 2 < y - v / 2 for (x, w), (y, v) in pairwise(row))
        assert all(x - size["wide"] / 2 > -1e-6 for x, size in zip(found["middles"], sizes))
    chain = tab.evaluate("""layOut(Array.from({ length: 9 }, () => ({ wide: 50, high: 30, weight: 1, end: 0 })),
        Array.from({ length: 8 }, (_, i) => ({ a: i, b: i + 1, from: 0, to: 0 }))).middles""")
    assert set(chain) == {25}
    assert tab.evaluate("layOut([], []).high") == 0


def test_an_error_is_shown_at_once_with_its_chain(opened: Opened) -> None:
    tab = opened(BROKEN)
    assert tab.inner_text("#chosen-title") == 'Conv "/m/u.0/u.0.0/Conv"'
    assert tab.query_selector("#findings details").evaluate("d => d.open")
    chain = tab.evaluate("[...drawing.chain].map(value => drawing.chainGraph.name(value))")
    assert chain[0] == "/m/Concat_2_output_0"
    assert len(chain) > 1


def test_names_are_text(opened: Opened) -> None:
    tab = opened(hostile())
    tab.fill("#query", "op")
    tab.click("#results button")
    assert tab.title() == "m.onnx - shapeinfer"
    assert tab.query_selector("b, img") is None
    assert "<b>op</b>" in tab.inner_text("#chosen-title")


def test_a_large_model_draws_only_what_is_in_sight(opened: Opened) -> None:
    kinds = ["Relu", "Abs", "Neg", "Exp", "Sigmoid", "Tanh"]
    random = Random(3)
    lines = " ".join(f"v{i} = {random.choice(kinds)}(v{i - 1})" for i in range(1, 5000))
    tab = opened(f"g (float[N, 4] x) => (v4999) {{ v0 = Relu(x) {lines} }}")
    assert tab.evaluate("drawing.scene.byKey.size") < 400
    tab.click("#unfold")
    assert tab.evaluate("drawing.scene.boxes.length") > 500
    count = """() => new Promise(done => {
        let boxes = 0;
        const paint = drawing.paintBox;
        drawing.paintBox = function (...given) { boxes++; return paint.apply(this, given); };
        drawing.goToTop();
        requestAnimationFrame(() => requestAnimationFrame(() => { drawing.paintBox = paint; done(boxes); }));
    })"""
    assert 5 < tab.evaluate(count) < 50
    tab.focus("#graph")
    tab.keyboard.press("0")
    assert tab.evaluate("drawing.scale") < 0.05


def test_light_and_dark(opened: Opened) -> None:
    tab = opened(TWO, "dark")
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.click("#theme")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    assert tab.evaluate("drawing.colour.page") == "#f6f7f9"

"""The page in a real browser, for who has one: Chromium by way of the extra ``browser``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest

from shapeinfer import check
from shapeinfer.report import page as pages
from tests.models import checked
from tests.report.page.table import results
from tests.report.page.test_page import hostile

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

ROOT = Path(__file__).parents[3]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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

    def open_(model: str | Path | onnx.ModelProto, scheme: str = "light") -> Any:
        report = check(model) if isinstance(model, Path) else checked(model)
        file = tmp_path / "page.html"
        file.write_text(pages.render("m.onnx", report, report.cost() if report.ok else None), encoding="utf-8")
        contexts.append(chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800}))
        tab = contexts[-1].new_page()
        tab.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda e: complaints.append(str(e)))
        tab.on("request", lambda r: None if r.url.startswith("file:") else complaints.append(f"asked for {r.url}"))
        tab.goto(file.as_uri())
        return tab

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


TWO = """g (float[N, 4] x) => (y) <float[4, 8] w = ["location": "w"], int64[2] s = {-1, 16}> {
    h = MatMul(x, w)
    y = Reshape(h, s)
}"""
BODY = """g (bool c, float[N] x) => (y) {
    y = If(c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Abs(x) }>
}"""
BROKEN = ROOT / "examples" / "broken" / "unet_wrong_channels.onnx"
MODELS = [ROOT / "examples" / "models" / "bert.onnx", BROKEN]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("model", MODELS, ids=lambda p: p.stem)
def test_it_is_accessible(opened: Opened, model: Path, scheme: str) -> None:
    tab = opened(model, scheme)
    tab.fill("#query", "MatMul")
    for details in tab.query_selector_all("#findings details"):
        details.evaluate("d => { d.open = true; }")
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
    assert [v["id"] for v in axe.Axe().run(tab).response["violations"]] == []


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


@pytest.mark.parametrize(
    ("where", "words", "found"),
    [
        ("all", "matmul", ["MatMul f32[N, 8]"]),
        ("operator", "n, 8", []),
        ("shape", "[n, 8", ["MatMul f32[N, 8]"]),
        ("name", "y", ["Reshape f32[N//2, 16]"]),
        ("all", "reshape 16", ["Reshape f32[N//2, 16]"]),
    ],
)
def test_search(opened: Opened, where: str, words: str, found: list[str]) -> None:
    tab = opened(TWO)
    tab.select_option("#where", where)
    tab.fill("#query", words)
    assert [b.inner_text() for b in tab.query_selector_all("#results button")] == found
    assert tab.inner_text("#found") == f"{len(found)} node{'' if len(found) == 1 else 's'}"


def test_by_keyboard_alone(opened: Opened) -> None:
    tab = opened(BODY)
    tab.focus("#graph")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert tab.inner_text("#chosen-title") == "If"
    tab.keyboard.press("Enter")
    assert tab.inner_text("#path").split("\n") == ["g", "If_0.then_branch"]
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert tab.text_content("#said") == "Relu, node 0: f32[N]"
    tab.keyboard.press("Backspace")
    assert tab.inner_text("#path") == "g"
    assert tab.inner_text("#chosen-title") == "If"
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "query"
    tab.keyboard.type("if")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.textContent") == "If f32[N]"


def test_an_error_is_shown_at_once_with_its_chain(opened: Opened) -> None:
    tab = opened(BROKEN)
    assert tab.inner_text("#chosen-title") == 'Conv "/m/u.0/u.0.0/Conv"'
    assert tab.query_selector("#findings details").evaluate("d => d.open")
    chain = tab.evaluate("[...drawing.chain].map(value => graph().values[value][0])")
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
    lines = " ".join(f"v{i} = Relu(v{i - 1})" for i in range(1, 5000))
    tab = opened(f"g (float[N, 4] x) => (v4999) {{ v0 = Relu(x) {lines} }}")
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

"""A session in VS Code, as code-server serves it to a browser, set up as examples/editors/README.md says.

Installing code-server from the npm registry downloads programs from elsewhere, too. Without a way there, 4.100.3 runs
under Node 20 after ``npm install --ignore-scripts code-server@4.100.3``, the same without scripts in its ``lib/vscode``
and ``lib/vscode/extensions``, there ``npm rebuild node-pty @vscode/spdlog native-watchdog``, a ``rg`` of the system in
``node_modules/@vscode/ripgrep/bin``, and a module that exports nothing of use in the place of ``argon2``, which only
passwords need.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.editors.real.scene import EDITORS, NotInstalled, Scene, program

PORT = 8731
PATIENCE = 40_000
"""In milliseconds, as playwright has it."""
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SETTINGS = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "telemetry.telemetryLevel": "off",
    "editor.minimap.enabled": False,
    "shapeinfer.models": ["out/*.onnx"],
}


def play(scene: Scene) -> Iterator[str]:
    """Yield what was seen to work. Raises AssertionError for what was not."""
    server = program(
        "code-server", "CODE_SERVER", "npm install code-server, see https://coder.com/docs/code-server/npm"
    )
    browser = program("chromium", "CHROMIUM", "from the distribution")
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        raise NotInstalled("playwright is not installed: pip install playwright") from None
    _install(scene, server)
    yield "the extension is packaged and installed"
    with _served(scene, server) as address, sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=CHROMIUM)
        window = Window(chromium.new_page(viewport={"width": 1400, "height": 1400}), scene)
        try:
            window.page.goto(address)
            yield from _written(window)
            yield from _edited(window)
            yield from _binary(window)
            yield from _hostile(window)
            yield from _programs(window)
        except Error as error:
            window.shot("failed")
            raise AssertionError(f"{error}; see code-server-failed.png") from error
        finally:
            chromium.close()


class Window:
    """The window of VS Code."""

    def __init__(self, page: Any, scene: Scene) -> None:
        self.page = page
        self.scene = scene
        page.set_default_timeout(PATIENCE)

    def shot(self, name: str) -> None:
        """Write a picture of it."""
        self.page.screenshot(path=self.scene.picture(f"code-server-{name}.png"))

    def open(self, name: str) -> None:
        """Open a file from the explorer."""
        self.page.locator(f".explorer-folders-view .monaco-list-row[aria-label^='{name}']").dblclick()

    def run(self, command: str) -> None:
        """Run a command from the palette."""
        self.page.keyboard.press("F1")
        palette = self.page.locator(".quick-input-widget input.input")
        palette.fill(f">{command}")
        self.page.locator(".quick-input-list .monaco-list-row").filter(has_text=command).first.wait_for()
        self.page.keyboard.press("Enter")

    def shows(self, *texts: str, where: str = ".editor-instance .view-lines") -> None:
        """Wait until all texts are there. Raises playwright's Error if they never are."""
        for text in texts:
            self.page.wait_for_function(
                f"""() => [...document.querySelectorAll('{where}')]
                    .some(e => e.textContent.replace(/[\\s\\u200b-\\u200d]+/g, ' ').includes({json.dumps(text)}))"""
            )

    def lacks(self, text: str) -> None:
        """Wait until a text is in no editor. Raises playwright's Error if it stays."""
        self.page.wait_for_function(
            f"""() => ![...document.querySelectorAll('.editor-instance .view-lines')]
                .some(e => e.textContent.replace(/[\\s\\u200b-\\u200d]+/g, ' ').includes({json.dumps(text)}))"""
        )

    def marked(self, severity: str) -> None:
        """Wait until something is marked in the editor."""
        self.page.locator(f".squiggly-{severity}").first.wait_for()

    def webview(self) -> Any:
        """Return what the webview shows."""
        return self.page.frame_locator("iframe.webview.ready").last.frame_locator("iframe").locator("body")

    def find(self, text: str) -> None:
        """Put the cursor on a text."""
        self.run("View: Focus Active Editor Group")
        self.page.keyboard.press("Control+f")
        self.page.locator(".editor-instance .find-widget.visible textarea.input").first.fill(text)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Escape")

    def type(self, text: str) -> None:
        """Type as a person does."""
        self.page.keyboard.type(text, delay=30)


def _install(scene: Scene, server: str) -> None:
    """Package the extension and install it, as its README says."""
    folder = scene.home / "vscode"
    shutil.copytree(EDITORS / "vscode", folder, ignore=shutil.ignore_patterns("node_modules"))
    environment = {**os.environ, "npm_config_audit": "false"}
    for command in (["npm", "ci"], ["npm", "run", "package"]):
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise NotInstalled(f"{' '.join(command)} failed: {ran.stderr.strip()[-500:]}")
    command = [server, *_folders(scene), "--install-extension", str(folder / "shapeinfer.vsix")]
    subprocess.run(command, env=scene.environment, check=True, capture_output=True)
    settings = scene.home / "data" / "User" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    command = [scene.shapeinfer, "lsp"]
    settings.write_text(json.dumps({**SETTINGS, "shapeinfer.command": command}), encoding="utf-8")


def _folders(scene: Scene) -> list[str]:
    return ["--user-data-dir", str(scene.home / "data"), "--extensions-dir", str(scene.home / "extensions")]


@contextlib.contextmanager
def _served(scene: Scene, server: str) -> Iterator[str]:
    address = f"127.0.0.1:{PORT}"
    options = ["--auth", "none", "--bind-addr", address, "--disable-telemetry", "--disable-update-check"]
    with Path(scene.home / "log").open("wb") as log:
        command = [server, *_folders(scene), *options, str(scene.folder)]
        running = subprocess.Popen(command, env=scene.environment, stdout=log, stderr=log)
        try:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://{address}/healthz", timeout=1).close()
                    break
                time.sleep(0.3)
            yield f"http://{address}/?folder={scene.folder}"
        finally:
            running.terminate()
            running.wait(10)


def _written(window: Window) -> Iterator[str]:
    window.open("mlp.onnxtxt")
    window.shows("wide: f32[batch, seq, 256] = MatMul")
    yield "types beside values"
    window.marked("error")
    yield "an error at its operand"
    window.page.locator(".view-line span", has_text="MatMul").last.hover()
    window.shows("Matrix product", where=".monaco-hover")
    window.shot("text")
    yield "documentation of an operator"
    window.run("Problems: Focus on Problems View")
    window.shows("axis -1 of A is 256 but axis -2 of B is 128", where=".markers-panel")
    window.shot("problems")
    window.run("View: Toggle Panel Visibility")
    yield "the finding among the problems"


def _edited(window: Window) -> Iterator[str]:
    window.open("net.onnxtxt")
    window.shows("h: f32[N, 8] = MatMul")
    window.find("h = MatMul")
    window.page.keyboard.press("ArrowLeft")
    window.page.keyboard.press("F2")
    window.page.locator(".rename-box input").fill("hidden")
    window.page.keyboard.press("Enter")
    window.shows("hidden: f32[N, 8] = MatMul", "Relu (hidden)")
    yield "renaming"
    window.find("y = Relu")
    window.page.keyboard.press("Control+Shift+Enter")
    window.type("z = Soft")
    window.shows("Softmax", where=".suggest-widget")
    window.shot("completion")
    window.page.locator(".suggest-widget .monaco-list-row", has_text="Softmax").first.click()
    window.type("(hidden)")
    window.shows("z: f32[N, 8] = Softmax (hidden)")
    yield "completion of an operator, and the type of the new value"
    window.find("=> (y")
    window.page.keyboard.press("ArrowRight")
    window.page.keyboard.press("ArrowLeft")
    window.page.keyboard.press("Control+.")
    window.page.locator(".action-widget").wait_for()
    window.shot("actions")
    window.page.keyboard.press("Enter")
    window.shows("(float[N, 8] y)")
    yield "a type declared by an action"


def _binary(window: Window) -> Iterator[str]:
    window.open("patches.onnx")
    page = window.webview()
    page.locator("#graph").wait_for()
    page.get_by_text("Contract", exact=True).wait_for()
    window.shot("binary")
    yield "a binary model as a page"
    window.run("shapeinfer: Open the model as text")
    window.shows("grid: f32[batch, 64, height//16, width//16] = Conv")
    window.shot("binary-text")
    yield "and as text beside it, with types"
    with window.page.expect_download() as download:
        page.get_by_text("Save as SVG").click()
    assert download.value.suggested_filename.endswith(".svg"), download.value.suggested_filename
    yield "the page saves its picture"
    shutil.copy(window.scene.folder / "net.onnx", window.scene.folder / "patches.onnx")
    window.shows("renewed: f32[N, 3] = Relu")
    page.get_by_text("1 node").first.wait_for()
    yield "page and text are renewed when the file is written"
    window.run("View: Close All Editors")
    window.open("mlp.onnxtxt")
    window.run("shapeinfer: Open the model's page")
    window.webview().get_by_text("axis -1 of A is 256 but axis -2 of B is 128").first.wait_for()
    window.shot("text-page")
    yield "a text has a page, too"


def _hostile(window: Window) -> Iterator[str]:
    window.run("View: Close All Editors")
    window.open("hostile.onnx")
    window.webview().get_by_text("hostile.onnx").first.wait_for()
    window.webview().locator("#graph").wait_for()
    window.run("shapeinfer: Open the model as text")
    window.shows("Relu (")
    window.shot("hostile")
    titles = [frame.title() for frame in window.page.frames]
    assert not any("attacked" in title for title in titles), titles
    yield "names that are HTML, as names"


def _programs(window: Window) -> Iterator[str]:
    window.run("View: Close All Editors")
    window.scene.export("model.onnx")
    window.open("model.py")
    window.shows("scores = q @ k.transpose(-2, -1) # f32[batch, 4, seq, seq]")
    window.shows("hidden = self.first(x) # f32[batch, seq, 64] | f32[batch, seq, 96]")
    window.shot("program")
    yield "a model that was exported while VS Code ran: its shapes behind the lines of the program"
    window.find("self.position(positions")
    window.page.keyboard.press("ArrowRight")
    window.type(" + 64")
    window.lacks("64) # f32")
    window.shows("x = layer(x) # f32[batch, seq, 32]")
    window.page.keyboard.press("Control+s")
    window.shot("program-edited")
    yield "an edited line loses its hint, others keep theirs"
    window.scene.export("broken.onnx")
    window.shows("[batch, 4, 0, 8]")
    window.marked("warning")
    window.run("Problems: Focus on Problems View")
    window.shows("requires sizes 0 or 1", where=".markers-panel")
    window.shot("program-broken")
    yield "exported again: new hints, and the finding at its call"
    window.run("View: Toggle Panel Visibility")
    window.find(" + 64")
    window.page.keyboard.press("Delete")
    window.page.locator(".squiggly-warning").first.wait_for(state="detached")
    window.page.keyboard.press("Control+s")
    window.scene.export("model.onnx")
    window.shows("self.position(positions) # f32[batch, seq, 32]")
    yield "once the line is mended the finding is gone, and after the next export its hint is back"
    window.page.locator(".codelens-decoration a").last.click()
    window.webview().locator("#graph").wait_for()
    window.webview().locator("#chosen").wait_for()
    window.shot("program-page")
    yield "from a lens to the nodes on the page"

"""``python -m tests.report.page.picture``: take README's picture of the page, ``examples/report.png``, in Chromium."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from shapeinfer import check
from shapeinfer.report import page
from tests.report.page.test_browser import BROKEN, CHROMIUM, ROOT, SWITCHES

PICTURE = ROOT / "examples" / "report.png"


def take(to: Path) -> None:
    """Write the picture of a UNet with a wrong number of channels."""
    name = str(BROKEN.relative_to(ROOT))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        file = Path(folder) / "report.html"
        file.write_text(page.render(name, check(BROKEN), None), encoding="utf-8")
        browser = p.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.goto(file.as_uri())
        tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        tab.screenshot(path=to)
        browser.close()


if __name__ == "__main__":
    take(PICTURE)

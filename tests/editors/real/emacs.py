"""A session in Emacs, set up as examples/editors/README.md says."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator

from tests.editors.real.scene import EDITORS, Scene, program
from tests.editors.real.terminal import terminal

QUIET = "(setq inhibit-startup-screen t native-comp-deferred-compilation nil)\n"
META_X = "\x1bx"
SEARCH = "\x13"
COMPLETE = "\x1b\t"
END_OF_LINE = "\x05"
AGAIN = 6.0
"""Seconds after which Emacs has seen the last change of a file."""
QUIT = "\x07"


def play(scene: Scene) -> Iterator[str]:
    """Yield what was seen to work. Raises AssertionError for what was not."""
    emacs = program("emacs", "EMACS", "apt-get install emacs-nox elpa-eglot, or 29 and later")
    settings = scene.home / ".emacs.d" / "init.el"
    settings.parent.mkdir()
    settings.with_name("early-init.el").write_text(QUIET, encoding="utf-8")
    settings.write_text(f'(load "{EDITORS}/emacs/shapeinfer.el")\n', encoding="utf-8")
    (scene.folder / "shapeinfer.toml").touch()
    (scene.folder / ".git").mkdir()
    with terminal([emacs, "-nw", "mlp.onnxtxt"], scene.folder, scene.environment) as screen:
        screen.until("ONNX text")
        screen.until("eglot")
        yield "the server runs in the mode of the text"
        screen.type(f"{META_X}flymake-show-buffer-diagnostics\n")
        screen.until("axis -1 of A is 256")
        yield "findings in Flymake"
        screen.type(f"{META_X}delete-other-windows\n{SEARCH}MatMul (k\n\x1bb\x1bb")
        screen.until("Matrix product")
        screen.picture(scene.picture("emacs-text.svg"))
        yield "documentation of an operator in the echo area"
        screen.type(f"{META_X}beginning-of-buffer\n{SEARCH}wide\n{META_X}eglot-rename\n")
        screen.until("Rename")
        screen.type("\x01\x0bhidden\n")
        screen.until("hidden = MatMul", "Relu (hidden)")
        yield "renaming"
        screen.type(f"{SEARCH}y = \n{END_OF_LINE}\n    z = Softm{COMPLETE}")
        screen.until("z = Softmax")
        yield "completion"
        screen.type(f"{META_X}find-file\n\x01\x0b{scene.folder}/patches.onnx\n")
        screen.until("grid = Conv", "patches.onnx")
        screen.picture(scene.picture("emacs-binary.svg"))
        yield "a binary model as text"
        shutil.copy(scene.folder / "net.onnx", scene.folder / "patches.onnx")
        screen.until("renewed")
        yield "which is read again when the file is written"
        time.sleep(AGAIN)
        before = (scene.folder / "patches.onnx").read_bytes()
        screen.type("\x18\x11 \x18\x13")
        screen.until("cannot be saved")
        assert (scene.folder / "patches.onnx").read_bytes() == before, "the model was written"
        yield "and not saved in its place"

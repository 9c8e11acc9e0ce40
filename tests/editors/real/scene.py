"""What a session with a real editor needs: the editor, a folder with models, and where its pictures go."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import onnx
from attrs import frozen

ROOT = Path(__file__).parents[3]
EDITORS = ROOT / "examples" / "editors"
PROGRAMS = ROOT / "tests" / "data" / "programs"
HAND_WRITTEN = """<ir_version: 10, opset_import: ["" : 20]>
net (float[N, 64] x, float[64, 8] w) => (y)
{
    h = MatMul (x, w)
    y = Relu (h)
}
"""


ATTACK = "</script><img src=x onerror=\"document.title='attacked'\"><script>document.title='attacked'</script>"


def relu(read: str, computed: str, name: str) -> onnx.ModelProto:
    """Return a model of one node with these names."""
    float32 = onnx.TensorProto.FLOAT
    values = [onnx.helper.make_tensor_value_info(value, float32, ["N", 3]) for value in (read, computed)]
    node = onnx.helper.make_node("Relu", [read], [computed], name=name)
    graph = onnx.helper.make_graph([node], name, values[:1], values[1:])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)


class NotInstalled(Exception):
    """An editor, or what drives it, is not there."""


def program(name: str, variable: str, where: str) -> str:
    """Return the path of a program, which an environment variable may name. Raises NotInstalled."""
    found = shutil.which(os.environ.get(variable) or name)
    if found is None:
        raise NotInstalled(f"{name} is not installed: {where}, and name it in {variable} unless it is on the path")
    return found


@frozen
class Scene:
    """A folder with models and a home of its own."""

    folder: Path
    home: Path
    pictures: Path
    shapeinfer: str
    """The command."""

    def export(self, kept: str) -> None:
        """Export the program with the torch of the interpreter TORCH; without it, copy what was exported of it before.

        That is ``model.onnx``, or ``broken.onnx`` of the program edited.
        """
        torch, out = os.environ.get("TORCH"), self.folder / "out" / "model.onnx"
        if torch:
            export = [torch, str(PROGRAMS / "export.py"), str(self.folder / "model.py"), str(out)]
            subprocess.run(export, check=True, capture_output=True)
        else:
            shutil.copy(PROGRAMS / kept, out)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of an editor: nothing of the user's own configuration."""
        path = f"{Path(self.shapeinfer).parent}{os.pathsep}{os.environ['PATH']}"
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}

    def picture(self, name: str) -> Path:
        """Return where a picture goes."""
        return self.pictures / name


@contextmanager
def scene(pictures: Path) -> Iterator[Scene]:
    """Lay out a folder for one editor."""
    with tempfile.TemporaryDirectory(prefix="shapeinfer-editors-") as made:
        folder, home = Path(made) / "models", Path(made) / "home"
        home.mkdir()
        (folder / "out").mkdir(parents=True)
        shutil.copy(PROGRAMS / "model.py", folder)
        for model in (EDITORS / "mlp.onnxtxt", ROOT / "examples" / "models" / "patches.onnx"):
            shutil.copy(model, folder)
        hostile = relu(f"x{ATTACK}", f"y{ATTACK}", ATTACK)
        (folder / "hostile.onnx").write_bytes(hostile.SerializeToString())
        (folder / "net.onnx").write_bytes(relu("x", "renewed", "net").SerializeToString())
        (folder / "net.onnxtxt").write_text(HAND_WRITTEN, encoding="utf-8")
        pictures.mkdir(parents=True, exist_ok=True)
        shapeinfer = program("shapeinfer", "SHAPEINFER", "pip install -e '.[lsp]'")
        yield Scene(folder, home, pictures, shapeinfer)

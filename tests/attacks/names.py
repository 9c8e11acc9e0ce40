"""What things are called: files, and all that has a name in a model."""

from __future__ import annotations

from shapeinfer.report import FORMATS
from tests.attacks.scene import Ended, Scene, attack, joined
from tests.report.test_commands import HOSTILE, NAMED, model, obeyed

FILE_NAME = "a file name"
FILE = "a file"


def obeyed_lines(ended: Ended) -> bool:
    ours = ("::error file=", "::warning file=", "::notice file=")
    return any(obeyed(line) and not line.startswith(ours) for line in ended.lines)


@attack(FILE, "names in a model are commands of the server that runs the job")
def names_as_commands(scene: Scene) -> str:
    models = [scene.write(f"{i}.onnx", model(name)) for i, name in enumerate((*HOSTILE, *NAMED))]
    runs = [("check", "--notes", "--format", form, *models) for form in FORMATS]
    runs += [(command, path) for command in ("show", "contract", "cost") for path in models]
    return joined(*(" ".join(run) for run in runs if obeyed_lines(scene.run(*run))))


@attack(FILE_NAME, "it is a command of the server that runs the job")
def file_names_as_commands(scene: Scene) -> str:
    got = []
    models = [scene.model(f"{name}.onnx") for name in HOSTILE]
    got = [form for form in FORMATS if obeyed_lines(scene.run("check", "--format", form, *models))]
    got += [name for name in HOSTILE if obeyed_lines(scene.run("check", f"--x{name}", f"--x\n{name}"))]
    return joined(*got)


@attack(FILE_NAME, "it moves the cursor or forges lines of a report")
def file_names_on_a_terminal(scene: Scene) -> str:
    got = []
    for name in ("\x1b]0;x\x07.onnx", "a\nb: no errors.onnx", "\u202egnp.onnx"):
        runs = ([scene.model(name), f"none{name}"], [f"--{name}", "m"], ["--config", f"none{name}.toml", "m"])
        lines = [line for words in runs for line in scene.run("check", *words).lines]
        got.append(repr(name) if any(not line.isprintable() or line.startswith("b: ") for line in lines) else "")
    return joined(*got)

"""What a model's file may hold."""

from __future__ import annotations

import shlex
import sys

from shapeinfer.report import FORMATS
from tests.attacks.scene import ROOT, Scene, attack, joined
from tests.hostile.classes import KINDS
from tests.report.test_repeated import empty_nodes

FILE = "a file"
GIGABYTE = 1 << 30


WATCHED = """import os, sys
sys.path.append({root!r})
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pickle.", "os.remove",
             "os.rename", "os.mkdir", "os.link", "os.symlink", "os.chmod", "urllib.", "webbrowser.", "ftplib.")
def watch(event, args):
    if event.startswith(FORBIDDEN):
        print("WATCHED", event, file=sys.stderr)
    if event == "open" and isinstance(args[0], str):
        path, flags = os.path.abspath(args[0]), args[2]
        if flags & WRITES and path != os.devnull:
            print("WATCHED written", path, file=sys.stderr)
        elif path.startswith({work!r}) and not path.endswith(("/model.onnx", "/model.xml", "/model.bin")):
            print("WATCHED read", path, file=sys.stderr)
from shapeinfer.cli import main
sys.addaudithook(watch)
main()
"""
"""Runs a command and tells of all that no file may cause."""


@attack(FILE, "one of every hostile kind makes a command connect, start, write or read something else", quick=False)
def all_kinds_watched(scene: Scene) -> str:
    for index, kind in enumerate(KINDS):
        (scene.work / str(index)).mkdir()
        kind.make(scene.work / str(index))
    (scene.folder / "watched.py").write_text(WATCHED.format(root=str(ROOT), work=str(scene.work)), encoding="utf-8")
    scene.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    ended = scene.start(
        [sys.executable, str(scene.folder / "watched.py"), "check", "--format", "concise", "."], wait=300
    )
    assert "error[" in ended.out, "the kinds are found"
    return joined(ended.hung, *sorted({line for line in ended.err.splitlines() if line.startswith("WATCHED")}))


@attack(FILE, "a text or an XML of gigabytes, most of it holes", quick=False)
def text_of_holes(scene: Scene) -> str:
    got = []
    for name in ("m.onnxtxt", "m.xml"):
        scene.write(name, "<net ")
        with (scene.work / name).open("ab") as file:
            file.truncate(3 * GIGABYTE)
        got.append(scene.run("check", name).hung)
    return joined(*got)


@attack(FILE, "a line of hashes that a pattern may cut in many ways")
def line_of_hashes(scene: Scene) -> str:
    scene.write("m.onnxtxt", f"g (float[N] x) => (y) {{ y = Relu (x) {'#' * 60}\n}}")
    return scene.run("check", "m.onnxtxt").hung


@attack(FILE, "a quote that is opened over and over and never closed")
def quotes_without_end(scene: Scene) -> str:
    scene.write("m.onnxtxt", "g (float[N] x) => (y) {" + '"\\' * 80_000)
    return scene.run("check", "m.onnxtxt").hung


@attack(FILE, "empty nodes of two bytes each, each with a finding", quick=False)
def many_findings(scene: Scene) -> str:
    data = scene.write("m.onnx", empty_nodes(50_000))
    size = (scene.work / data).stat().st_size
    written = {form: len(scene.run("check", "--format", form, "m.onnx").out) for form in FORMATS}
    return joined(*(f"{n} characters of {form} for {size} bytes" for form, n in written.items() if n > 1 << 20))


@attack(FILE, "a short name that stands in every line of the output", quick=False)
def name_in_every_line(scene: Scene) -> str:
    import onnx

    helper = onnx.helper
    name = "N" * 100_000
    value = helper.make_tensor_value_info("x0", 1, [name])
    nodes = [helper.make_node("Relu", [f"x{i}"], [f"x{i + 1}"]) for i in range(2000)]
    scene.write("m.onnx", helper.make_model(helper.make_graph(nodes, "g", [value], [])).SerializeToString())
    got = []
    for command in (["show"], ["check", "--format", "json"]):
        ended = scene.run(*command, "m.onnx")
        got.append(ended.hung or (f"{len(ended.out)} characters of {command[0]}" if len(ended.out) > 70 << 20 else ""))
    return joined(*got)


@attack(FILE, "a name that stands in every type of one line of the output", quick=False)
def name_in_one_line(scene: Scene) -> str:
    import onnx

    helper = onnx.helper
    value = helper.make_tensor_value_info("x", 1, ["N" * 100_000, 20_000])
    node = helper.make_node("Split", ["x"], [f"y{i}" for i in range(20_000)], axis=1, num_outputs=20_000)
    model = helper.make_model(helper.make_graph([node], "g", [value], []), opset_imports=[helper.make_opsetid("", 18)])
    scene.write("m.onnx", model.SerializeToString())
    ended = scene.run("show", "m.onnx")
    return ended.hung or ("" if "N" * 100 in ended.out else "nothing is shown")


@attack(FILE, "standard input without an end", quick=False)
def endless_input(scene: Scene) -> str:
    script = scene.script("check", "--max-memory", "64", "-")
    return scene.start(["sh", "-c", f"head -c {3 * GIGABYTE // 2} /dev/zero | {shlex.join(script)}"]).hung

"""What a repository, or a pull request to one, may hold beside models."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import py_compile
import re
import subprocess
import sys
import time
from importlib.util import cache_from_source

from shapeinfer.config.discovery import nearest
from tests.attacks.scene import PATIENCE, ROOT, Ended, NotTried, Scene, attack, joined
from tests.command import BAD

REPOSITORY = "a repository"
PULL_REQUEST = "a pull request"
COMMANDS = (
    ["check"],
    ["show"],
    ["cost"],
    ["contract"],
    ["why"],
    ["diff", "m.onnx"],
    ["infer", "-o", "o.onnx"],
    ["fold", "-o", "o.onnx"],
    ["generalize", "-o", "o.onnx"],
    ["report", "-o", "o.html"],
)


def each_command(scene: Scene) -> str:
    """Run every command that reads a configuration, and say in which the payload ran."""
    scene.model()
    after = {"why": ["y[0]"]}
    ran = []
    for command in COMMANDS:
        scene.run(*command, "m.onnx", *after.get(command[0], []))
        ran.append(scene.ran(command[0]))
    found = joined(*ran)
    return f"Python ran in {found}" if found else ""


@attack(REPOSITORY, "its shapeinfer.toml names Python rules")
def rules_in_own_file(scene: Scene) -> str:
    scene.write("shapeinfer.toml", 'rules = ["evil.py"]')
    scene.write("evil.py", scene.payload)
    return each_command(scene)


@attack(REPOSITORY, "its pyproject.toml names Python rules")
def rules_in_project_file(scene: Scene) -> str:
    scene.write("pyproject.toml", '[tool.shapeinfer]\nrules = ["evil.py"]')
    scene.write("evil.py", scene.payload)
    return each_command(scene)


@attack(REPOSITORY, "a link named rules.toml leads to Python rules")
def rules_behind_a_link(scene: Scene) -> str:
    scene.write("shapeinfer.toml", 'rules = ["rules.toml"]')
    scene.write("evil.py", scene.payload)
    (scene.work / "rules.toml").symlink_to("evil.py")
    return each_command(scene)


def drawn(scene: Scene) -> Ended:
    """Draw the cost of a model where the attacker's files lie."""
    if importlib.util.find_spec("matplotlib") is None:
        raise NotTried("matplotlib is not installed")
    scene.model()
    return scene.run("cost", "m.onnx", "--plot", "N=1..4", "-o", "m.png")


@attack(REPOSITORY, "its matplotlibrc has TeX run on every text of a picture", quick=False)
def program_of_a_picture(scene: Scene) -> str:
    scene.write("matplotlibrc", "text.usetex: True\n")
    tools = scene.folder / "tools"
    tools.mkdir()
    (tools / "latex").write_text(f"#!/bin/sh\ntouch '{scene.folder / 'ran'}'\n")
    (tools / "latex").chmod(0o755)
    scene.environment["PATH"] = f"{tools}{os.pathsep}{os.environ['PATH']}"
    ended = drawn(scene)
    return joined(scene.ran("latex ran"), "" if ended.code == 0 else "no picture")


@attack(REPOSITORY, "its matplotlibrc is a pipe", quick=False)
def pipe_of_a_picture(scene: Scene) -> str:
    scene.pipe("matplotlibrc")
    return drawn(scene).hung


@attack(REPOSITORY, "its directories are nested as deep as a path can name")
def nested_directories(scene: Scene) -> str:
    places = [scene.work]
    while len(str(places[-1])) < (900 if sys.platform == "darwin" else 3900):
        places.append(places[-1] / "d")
        places[-1].mkdir()
    scene.model()
    model = (scene.work / "m.onnx").rename(places[-1] / "m.onnx")
    begun = time.monotonic()
    ended = scene.run("check", ".")
    nearest(places[-1])  # as an editor does that opens a file there
    slow = "" if time.monotonic() - begun < PATIENCE else "a search for a configuration that takes its time"
    model.unlink()
    for place in reversed(places[1:]):  # not all that removes folders is made for so many
        place.rmdir()
    return joined(ended.hung, slow, "" if ended.code == 0 else "the models are not checked")


@attack(REPOSITORY, "rules that were trusted are changed")
def rules_changed_after_trust(scene: Scene) -> str:
    scene.write("shapeinfer.toml", 'rules = ["mine.py"]')
    scene.write("mine.py", "")
    scene.run("trust", "mine.py")
    scene.write("mine.py", scene.payload)
    return each_command(scene)


@attack(REPOSITORY, "bytecode lies beside rules that were trusted")
def bytecode_beside_rules(scene: Scene) -> str:
    scene.write("shapeinfer.toml", 'rules = ["mine.py"]')
    scene.write("mine.py", "")
    evil = scene.work / scene.write("evil.py", scene.payload)
    cached = cache_from_source(str(scene.work / "mine.py"))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(evil), cached, dfile="mine.py", invalidation_mode=unchecked)
    scene.run("trust", "mine.py")
    return each_command(scene)


@attack(REPOSITORY, "it brings a list of trusted files for a relative XDG_CONFIG_HOME")
def own_list_of_trusted_files(scene: Scene) -> str:
    scene.write("shapeinfer.toml", 'rules = ["evil.py"]')
    scene.write("evil.py", scene.payload)
    scene.environment["XDG_CONFIG_HOME"] = str(scene.work / ".config")
    scene.run("trust", "evil.py")
    scene.environment["XDG_CONFIG_HOME"] = ".config"
    return each_command(scene)


@attack(REPOSITORY, "the command that is offered for rules runs another when it is copied")
def command_in_an_offer(scene: Scene) -> str:
    name = f"a;touch {scene.folder.name};.py"
    scene.write("shapeinfer.toml", f'rules = ["{name}"]')
    scene.write(name)
    offered = re.findall(r"shapeinfer trust (.*)", scene.run("check", scene.model()).err)
    for line in offered:
        subprocess.run(["sh", "-c", f": {line}"], cwd=scene.work, check=False)
    return "a command ran" if (scene.work / scene.folder.name).exists() else ""


@attack(REPOSITORY, "modules lie where --jobs starts its processes", quick=False)
def modules_where_processes_start(scene: Scene) -> str:
    for name in ("multiprocessing", "pickle", "onnx", "shapeinfer", "sitecustomize"):
        scene.write(f"{name}.py", scene.payload)
    scene.run("check", "--jobs", "2", scene.model("a.onnx"), scene.model("b.onnx"))
    return scene.ran("Python ran in another process")


@attack(REPOSITORY, "it looks like an installed package that brings rules", quick=False)
def package_in_the_working_directory(scene: Scene) -> str:
    scene.write("evil.egg-info/PKG-INFO", "Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    scene.write("evil.egg-info/entry_points.txt", "[shapeinfer.rules]\nevil = evil_rules\n")
    scene.write("evil_rules.py", scene.payload)
    # What has the working directory on its path, as python -m does, and a notebook.
    code = f"import sys; sys.path.append({str(ROOT)!r}); from shapeinfer import check; check('m.onnx')"
    scene.model()
    scene.start([sys.executable, "-c", code])
    return scene.ran("Python ran as a plugin")


@attack(REPOSITORY, "links of a directory to itself make ** exponential")
def links_in_a_circle(scene: Scene) -> str:
    scene.model("a/m.onnx")
    for name in "bcdefgh":
        (scene.work / name).symlink_to(".")
    return joined(*(scene.run("check", glob).hung for glob in ("**/*.onnx", "**/x/**/*.onnx", "*/" * 16 + "*.onnx")))


@attack(REPOSITORY, "a pipe is named as a model")
def pipe_as_a_model(scene: Scene) -> str:
    names = [scene.pipe(f"d/{name}") for name in ("x.xml", "x.onnx", "x.onnxtxt")]
    return joined(*(scene.run("check", path).hung for path in ["d", *names]))


@attack(REPOSITORY, "a device is named as a model")
def device_as_a_model(scene: Scene) -> str:
    for name in ("x.xml", "x.onnx", "x.onnxtxt"):
        (scene.work / name).symlink_to("/dev/zero")
    return joined(*(scene.run("check", path).hung for path in (".", "x.xml", "x.onnx", "x.onnxtxt")))


@attack(REPOSITORY, "a pipe is named as a configuration, as rules, a baseline or weights")
def pipe_as_another_file(scene: Scene) -> str:
    scene.model()
    scene.pipe("pipe.toml")
    scene.write("ir.xml", '<net version="11"><layers><layer id="0" type="Const"/></layers></net>')
    scene.pipe("ir.bin")
    got = [scene.run("check", option, "pipe.toml", "m.onnx").hung for option in ("--config", "--baseline", "--rules")]
    got.append(scene.run("check", "ir.xml").hung)
    scene.write("shapeinfer.toml", 'rules = ["pipe.toml"]')
    got.append(scene.run("check", "m.onnx").hung)
    (scene.work / "shapeinfer.toml").unlink()
    scene.pipe("shapeinfer.toml")
    return joined(*got, scene.run("check", "m.onnx").hung)


@attack(REPOSITORY, "a model of its is a pipe, and an editor opens it", quick=False)
def pipe_in_an_editor(scene: Scene) -> str:
    from lsprotocol import types as lsp

    from tests.editors.client import PATIENCE, session

    scene.pipe("x.onnx")

    async def play() -> None:
        async with session(scene.work) as client:
            item = lsp.TextDocumentItem(client.uri("x.onnx"), "binary", 1, "")
            client.lsp.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
            await client.open("net.onnxtxt", "")

    try:
        asyncio.run(asyncio.wait_for(play(), 2 * PATIENCE))
    except TimeoutError:
        return "the language server hangs"
    return ""


@attack(REPOSITORY, "its configuration names Python rules, and an editor opens a text without trust", quick=False)
def rules_in_an_editor(scene: Scene) -> str:
    from tests.editors.client import session

    scene.write("shapeinfer.toml", 'rules = ["evil.py"]')
    scene.write("evil.py", scene.payload)

    async def play(options: object) -> None:
        async with session(scene.work, options) as client:
            await client.open("net.onnxtxt", "")

    for options in (None, {"trusted": False}, {"trusted": "yes"}, {}):
        asyncio.run(play(options))
    return scene.ran("Python ran in the language server")


@attack(PULL_REQUEST, "it brings modules that the action's commands are named after", quick=False)
def modules_in_the_action(scene: Scene) -> str:
    action = (ROOT / ".github" / "actions" / "shapeinfer" / "action.yml").read_text(encoding="utf-8")
    started = re.findall(r"(?:python3|\$python\")((?: -\w+)* -m (\w+))", action)
    if not started:
        raise NotTried("the action starts no module")
    got = []
    for words, module in started:
        scene.write(f"{module}/__init__.py", scene.payload)
        scene.write(f"{module}/__main__.py", scene.payload)
        scene.start([sys.executable, *words.split(), "--help"])
        got.append(scene.ran(f"{module}/ of the pull request ran"))
    return joined(*got)


def handed_over(scene: Scene) -> Ended:
    """Run shapeinfer on all files of the pull request as the hook does: entry, arguments, names."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    arguments = re.findall(r"^  args: \[(.*)\]", hook, re.MULTILINE)
    names = sorted(path.name for path in scene.work.iterdir() if path.name.endswith(".onnx"))
    return scene.run("check", *(word for words in arguments for word in words.split(", ")), *names)


@attack(PULL_REQUEST, "a model is named --config=c.onnx, and the hook hands it over")
def option_in_the_hook(scene: Scene) -> str:
    scene.write("--config=c.onnx", "")
    scene.write("c.onnx", 'rules = ["evil.py"]')
    scene.write("evil.py", scene.payload)
    handed_over(scene)
    return scene.ran("Python ran")


@attack(PULL_REQUEST, "a model is named --write-baseline=w.onnx, and the hook hands it over")
def overwritten_by_the_hook(scene: Scene) -> str:
    scene.write("--write-baseline=w.onnx", "")
    before = (scene.work / scene.model("w.onnx", BAD)).read_bytes()
    handed_over(scene)
    return "a file was overwritten" if (scene.work / "w.onnx").read_bytes() != before else ""


@attack(PULL_REQUEST, "models are named as options, and a script hands them over without a mark")
def option_in_a_script(scene: Scene) -> str:
    """``git ls-files | xargs shapeinfer check``, as it should not be written."""
    got = []
    for name in ("--config=c.onnx", "--baseline=b.onnx", "--write-baseline=w.onnx", "--exclude=*.onnx", "--isolated"):
        bad = scene.model("bad.onnx", BAD)
        scene.write(name)
        ended = scene.run("check", name, bad, ".")
        got.append(f"{name} was an option" if ended.out else "")
        got.append(scene.ran(f"{name} ran Python"))
        (scene.work / name).unlink()
    return joined(*got)


@attack(PULL_REQUEST, "it deletes a model named --write-baseline=m.onnx, which a list of changes still names")
def option_of_a_deleted_file(scene: Scene) -> str:
    before = (scene.work / scene.model(text=BAD)).read_bytes()
    for words in (["--write-baseline=m.onnx"], ["--write-baseline", "m.onnx"], ["-om.onnx"]):
        scene.run("check", *words, "m.onnx")
    return "a model was overwritten" if (scene.work / "m.onnx").read_bytes() != before else ""


@attack(REPOSITORY, "a model is a link to a file of secrets, which a message quotes")
def link_to_a_secret(scene: Scene) -> str:
    got = []
    for secret in ("user:{}", "{}", "KEY = {}", "{}: KEY", '"{}', '{{"KEY": "{}"}}', "<{}>", "# keys\n{}=1", "x {} y"):
        (scene.folder / "secret").write_text(secret.format("hunter2"), encoding="utf-8")
        for name in ("m.onnxtxt", "m.onnx", "m.xml"):
            (scene.work / name).unlink(missing_ok=True)
            (scene.work / name).symlink_to("../secret")
            ended = scene.run("check", name)
            assert ended.code not in (0, None), "it is no model"
            got.append(f"{secret} in {name}" if "hunter2" in ended.out + ended.err else "")
    return joined(*got)

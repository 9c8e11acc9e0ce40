"""What somebody's folder does to an editor that opens it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic, SourceLine
from shapeinfer.editors.completion import completions
from shapeinfer.editors.exported import by_source
from shapeinfer.editors.hover import hover
from shapeinfer.text import check_text
from tests.attacks.scene import Scene, attack, joined

FILE = "a file"
PEER = "the peer of the language server"

MARKUP = "x` ``` [run](command:evil) ![](https://evil.example/p.png) <img src=x>"
"""A name that is a link, a picture and HTML, once it has left the code that it is shown as."""
NAMED = f"""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
net (float["{MARKUP}", 4] "{MARKUP}1", float["{MARKUP}"] "{MARKUP}H") => ("{MARKUP}3")
<int64[2] "{MARKUP}s" = {{-1, 6}}, int64[1] "{MARKUP}f" = {{-1}}> {{
    "{MARKUP}2" = my.F <k = 1> ("{MARKUP}1")
    "{MARKUP}3" = Reshape ("{MARKUP}1", "{MARKUP}s")
    "{MARKUP}4" = Reshape ("{MARKUP}1", "{MARKUP}f")
    "{MARKUP}5" = Concat <axis = 0> ("{MARKUP}4", "{MARKUP}H")
    "{MARKUP}6" = Shape ("{MARKUP}1")
}}
<domain: "my"> F <k> ("{MARKUP}a") => ("{MARKUP}b") {{ "{MARKUP}b" = Relu ("{MARKUP}a") }}"""
_CODE = re.compile(r"```onnxtxt\n[^\n`]*\n```|`[^\n`]+`")


@attack(FILE, "names in a model are Markdown that runs commands of the editor and loads pictures")
def names_as_markdown(_scene: Scene) -> str:
    written = check_text(NAMED)
    told = {found.markdown for at in range(0, len(NAMED), 3) if (found := hover(written, at)) is not None}
    told |= {offer.markdown for at in range(0, len(NAMED), 9) for offer in completions(written, at).found}
    assert sum("command:evil" in text for text in told) > 9, "names are shown"
    return joined(*(repr(text) for text in told if "evil" in _CODE.sub("", text)))


def shown_at(name: str, workspace: list[Path], beside: Path) -> list[Path]:
    """The files in which a fault is shown whose stack trace names a file."""
    code = codes.RANK_MISMATCH
    return [*by_source([Diagnostic(code, code.severity, "m", source=SourceLine(name, 1))], workspace, beside)]


@attack(FILE, "its stack traces name files outside the workspace, which get its messages in the editor")
def stack_traces_elsewhere(scene: Scene) -> str:
    outside = scene.folder / "secret.py"
    outside.write_text("", encoding="utf-8")
    (scene.work / "link.py").symlink_to(outside)
    (scene.work / "up").symlink_to(scene.folder)
    own = scene.work / scene.write("src/net.py")
    named = [str(outside), "../secret.py", "src/../../secret.py", "link.py", "up/secret.py", "/etc/hosts", "a\0b"]
    named += ["n" * 9999, f"{scene.work}/../secret.py"]
    assert shown_at("src/net.py", [scene.work], scene.folder) == [own], "a file of the workspace is found"
    assert shown_at(str(own), [], scene.work) == [own], "without a workspace, one beside the model"
    elsewhere = [(name, places) for name in named for places in ([scene.work], [])]
    got = [name for name, places in elsewhere if shown_at(name, places, scene.folder if places else scene.work)]
    return joined(*got, *map(str, shown_at("secret.py", [scene.work], scene.folder)))


@attack(FILE, "its stack traces name a server, to which Windows says who the user is")
def stack_traces_on_a_server(scene: Scene) -> str:
    named = [
        "//host/share/net.py",
        "\\\\host\\share\\net.py",
        "/\\host/share/net.py",
        "\\\\?\\UNC\\host\\share\\net.py",
    ]
    for name in named:
        scene.write(name.lstrip("/\\"))
        scene.write(name.lstrip("/"))
    return joined(*(name for name in named if shown_at(name, [scene.work, Path("/")], scene.work)))


@attack(PEER, "it announces a message that no memory holds", quick=False)
def endless_message(scene: Scene) -> str:
    params: dict[str, object] = {"capabilities": {}, "processId": None, "rootUri": None}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    start = b"Content-Length: %d\r\n\r\n%s" % (len(asked), asked)
    got = []
    for length in (b"99999999999", b"9" * 5000):
        ended = scene.run("lsp", stdin=b"Content-Length: %s\r\n\r\n" % length)
        got.append(ended.hung or ("" if ended.err.count("\n") == 1 and "skipped" in ended.err else ended.err))
    large = b"Content-Length: 300000000\r\n\r\n" + b" " * 300_000_000
    return joined(*got, "" if "capabilities" in scene.run("lsp", stdin=large + start).out else "the session is over")

"""What somebody's folder does to an editor that opens it."""

from __future__ import annotations

import re

from shapeinfer.editors.completion import completions
from shapeinfer.editors.hover import hover
from shapeinfer.text import check_text
from tests.attacks.scene import Scene, attack, joined

FILE = "a file"

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
    told |= {offer.markdown for at in range(0, len(NAMED), 9) for offer in completions(written, at)}
    assert sum("command:evil" in text for text in told) > 9, "names are told"
    return joined(*(repr(text) for text in told if "evil" in _CODE.sub("", text)))

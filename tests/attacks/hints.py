"""What a model says of the program that it was exported from."""

from __future__ import annotations

from shapeinfer.frontends.onnx.trace import OPERATION, TRACE
from tests.attacks.scene import Scene, attack, joined
from tests.models import floats, made, node

FILE = "a file"


def hinted_model(*frames: tuple[str, int, str], count: int = 1) -> bytes:
    """A model whose nodes have a stack with these frames: file, line and text."""
    stack = "\n".join(f'  File "{file}", line {line}, in forward\n    {code}' for file, line, code in frames)
    nodes = []
    for i in range(count):
        one = node("Relu", "x" if not i else f"relu_{i - 1}", f"relu_{i}")
        target = "[num_users=1] = call_function[target=torch.ops.aten.relu.default]"
        read = one.input[0]
        one.metadata_props.add(key=TRACE, value=stack)
        one.metadata_props.add(key=OPERATION, value=f"%relu_{i} : {target}(args = (%{read},), kwargs = {{}})")
        nodes.append(one)
    data: bytes = made(nodes, [floats("x", "n")], [f"relu_{count - 1}"]).SerializeToString()
    return data


PROGRAM = "class Net:\n    def forward(self, x):\n        return x.relu()\n"
LINE = "return x.relu()"


@attack(FILE, "its stack traces write to the terminal that shows hints")
def stack_traces_on_a_terminal(scene: Scene) -> str:
    scene.write("net.py", PROGRAM)
    got = []
    for name in ("\x1b]0;x\x07/net.py", "a\rb/net.py", "\u202e/net.py", "::error file=x::/net.py", "/\x1b[2Jother.py"):
        path = scene.write("m.onnx", hinted_model((name, 3, LINE)))
        lines = scene.run("hints", "net.py", "--model", path).lines
        got.append(repr(name) if any(not line.isprintable() or line.startswith("::") for line in lines) else "")
    return joined(*got)


@attack(FILE, "its stack traces make hints read a file")
def stack_traces_that_read(scene: Scene) -> str:
    scene.write("net.py", PROGRAM)
    scene.write("secret.py", PROGRAM.replace("x.relu()", "x.relu()  # secret"))
    paths = (
        f"../{scene.work.name}/secret.py",
        "secret.py",
        str(scene.work / "secret.py"),
        scene.pipe("pipe.py"),
        "/dev/zero",
    )
    models = [scene.write(f"{i}.onnx", hinted_model((path, 3, LINE))) for i, path in enumerate(paths)]
    runs = [scene.run("hints", "net.py", "--model", path) for path in models]
    return joined(*(r.hung or ("it was read" if "# secret" in r.out + r.err else "") for r in runs))


@attack(FILE, "its stack traces forge hints at lines that they are not of")
def forged_lines(scene: Scene) -> str:
    scene.write("net.py", PROGRAM)
    lines = [(4, LINE), (999_999_999, LINE), (2, LINE), (3, "return x"), (3, ""), (1, "class Net:")]
    models = [scene.write(f"{i}.onnx", hinted_model(("net.py", *line))) for i, line in enumerate(lines)]
    got = [scene.run("hints", "net.py", "--model", path).out for path in models]
    return joined(*(f"line {line}" for (line, _), out in zip(lines, got) if "# f32" in out))


@attack(FILE, "its stack traces are huge", quick=False)
def huge_stack_traces(scene: Scene) -> str:
    scene.write("net.py", PROGRAM)
    deep = hinted_model(*[("net.py", 3, LINE)] * 1_000_000)
    wide = hinted_model(*[("net.py", 3, LINE)] * 60, count=3_000)
    long = hinted_model(("a" * 10_000_000 + "/net.py", 3, LINE), ("net.py", 3, "x" * 10_000_000))
    got = []
    for name, model in (("deep", deep), ("wide", wide), ("long", long)):
        ended = scene.run("hints", "net.py", "--model", scene.write(f"{name}.onnx", model))
        got.append(f"{name}: {ended.hung}" if ended.hung else "")
    return joined(*got)

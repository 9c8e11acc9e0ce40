"""Shapes behind the lines of the program that a model was exported from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest

from shapeinfer import check
from shapeinfer.frontends.onnx.trace import CLASSES, OPERATION, SCOPES, TRACE
from shapeinfer.report.source_hints import NoHints, render, source_hints
from tests.command import GOOD, Shell
from tests.models import floats, made, node

FOLDER = Path(__file__).parents[2] / "examples" / "source"
SOURCE, MODEL = FOLDER / "model.py", FOLDER / "model.onnx"


def hinted(source: str, model: str | onnx.ModelProto = str(MODEL), path: str = "/here/model.py") -> dict[str, str]:
    """The hints by the text of their lines."""
    found = source_hints(check(model), path, source.encode())
    return {found.lines[hint.line - 1].strip(): hint.text for hint in found.hints}


class TestExported:
    """On a transformer that torch exported."""

    TEXT = SOURCE.read_text(encoding="utf-8")

    def test_a_line_has_the_type_of_what_it_computes(self) -> None:
        hints = hinted(self.TEXT)
        assert hints["scores = (q @ k.transpose(-2, -1)) / 2.0"] == "f32[batch, 4, seq, seq]"
        assert hints["return self.out(mixed.reshape(batch, seq, width))"] == "f32[batch, seq, 16]"
        assert hints["best = logits.argmax(dim=-1)"] == "i64[batch]"

    def test_a_line_with_several_results_has_each(self) -> None:
        assert hinted(self.TEXT)["q, k, v = self.qkv(x).chunk(3, dim=-1)"] == ", ".join(["f32[batch, seq, 16]"] * 3)

    def test_a_line_that_runs_several_times_has_what_differs(self) -> None:
        hints = hinted(self.TEXT)
        assert hints["hidden = self.up(x)"] == "f32[batch, seq, 64] | f32[batch, seq, 32]"
        assert hints["x = block(x)"] == "f32[batch, seq, 16]"

    def test_it_stands_behind_the_last_line_of_a_statement(self) -> None:
        assert hinted(self.TEXT)[")"] == "f32[batch, seq, 16]"

    def test_a_line_whose_last_operation_was_fused_has_what_its_text_says(self) -> None:
        hints = hinted(self.TEXT)
        assert hints["v = v.view(batch, seq, self.heads, -1).transpose(1, 2)"] == "f32[batch, 4, seq, 4]"
        assert hints["k = k.view(batch, seq, self.heads, -1).transpose(1, 2)"] == "f32[batch, 4, seq, 4]"

    def test_a_line_that_computes_no_tensor_has_none(self) -> None:
        hints = hinted(self.TEXT)
        assert not {"batch, seq, width = x.shape", "self.heads = heads"} & hints.keys()

    def test_a_tuple_has_what_it_is_made_of(self) -> None:
        assert hinted(self.TEXT)["return logits, best"] == "f32[batch, 10], i64[batch]"

    def test_a_line_that_changed_has_none(self) -> None:
        before, after = "pooled = x.mean(dim=1)", "pooled = x.amax(dim=1)"
        found = source_hints(check(str(MODEL)), "model.py", self.TEXT.replace(before, after).encode())
        assert [found.lines[line - 1].strip() for line in found.changed] == [after]
        hints = hinted(self.TEXT)
        unsure = "x = block(x)", "return logits, best"  # how often it runs, and what it returns, may have changed too
        kept = {line: hints[line] for line in hints if line not in (before, *unsure)}
        assert hinted(self.TEXT.replace(before, after)) == kept

    def test_lines_that_moved_keep_theirs(self) -> None:
        assert hinted(f'"""Moved."""\n\n{self.TEXT}') == hinted(self.TEXT)
        added = self.TEXT.replace("        pooled =", "        x = x * 1\n        pooled =")
        found, before = hinted(added), hinted(self.TEXT)
        assert found.items() <= before.items()
        # In the function that was edited only what the recorded lines show by themselves is certain.
        assert before.keys() - found.keys() == {"x = block(x)", "return logits, best"}

    def test_a_program_of_which_little_is_left_is_another(self) -> None:
        with pytest.raises(NoHints, match="most of the lines that it was exported from are not there"):
            hinted("class Net:\n    def forward(self, tokens):\n        return self.embed(tokens)\n")

    def test_the_indentation_of_a_line_may_change(self) -> None:
        assert len(hinted(self.TEXT.replace("    ", "\t"))) == len(hinted(self.TEXT))

    @pytest.mark.parametrize("newline", ["\r\n", "\r"])
    def test_lines_end_as_they_do(self, newline: str) -> None:
        assert hinted(self.TEXT.replace("\n", newline)) == hinted(self.TEXT)


def step(
    name: str,
    op: str,
    inputs: str,
    *lines: tuple[int, str],
    readers: int = 1,
    reads: str = "",
    module: str = "",
    file: str = "/ci/net.py",
    functions: Sequence[str] = (),
) -> onnx.NodeProto:
    """A node as torch exports one: an operation of a module of the class Net, with the lines of its stack."""
    found = node(op, inputs, name)
    within = functions or ["forward"] * len(lines)
    stack = "\n".join(f'  File "{file}", line {line}, in {f}\n    {code}' for (line, code), f in zip(lines, within))
    operands = ", ".join(f"%{i}" for i in (reads or inputs).split())
    printed = f"[num_users={readers}] = call_function[target=torch.ops.aten.{op.lower()}.default](args = ({operands},)"
    for key, value in {
        TRACE: stack,
        OPERATION: f"%{name} : {printed}, kwargs = {{}})",
        SCOPES: f"['{module}', '{name}']",
        CLASSES: "['net.Net', 'aten']",
    }.items():
        found.metadata_props.add(key=key, value=value)
    return found


def model(*nodes: onnx.NodeProto, outputs: str = "") -> onnx.ModelProto:
    return made([*nodes], [floats("x", "n", 4)], outputs.split() or [nodes[-1].output[0]])


NET = "class Net:\n    def forward(self, x):\n"


def net(*lines: str) -> str:
    """A program whose statements start at line 3."""
    return NET + "".join(f"        {line}\n" for line in lines)


class TestStatements:
    """Which result is a statement's value."""

    def test_it_is_the_one_that_another_statement_reads(self) -> None:
        a, b = (3, "y = f(x)"), (4, "return y.abs()")
        exported = model(step("neg", "Neg", "x", a), step("relu", "Relu", "neg", a), step("abs", "Abs", "relu", b))
        assert hinted(net(a[1], b[1]), exported, "net.py") == {"y = f(x)": "f32[n, 4]", "return y.abs()": "f32[n, 4]"}

    def test_of_several_none_is(self) -> None:
        a, b = (3, "y = f(x)"), (4, "return y + g(y)")
        exported = model(
            step("neg", "Neg", "x", a, readers=2), step("relu", "Relu", "neg", a), step("add", "Add", "neg relu", b)
        )
        assert hinted(net(a[1], b[1]), exported, "net.py") == {b[1]: "f32[n, 4]"}

    @pytest.mark.parametrize(("line", "known"), [("y = x.relu()", True), ("y = x.relu().view(4)", False)])
    def test_where_its_reader_was_removed_it_is_what_the_line_does_last(self, line: str, known: bool) -> None:
        a, b = (3, line), (4, "return y.abs()")
        exported = model(step("relu", "Relu", "x", a), step("abs", "Abs", "relu", b, reads="view"))
        assert (line in hinted(net(line, b[1]), exported, "net.py")) == known

    def test_an_operation_that_comes_twice_on_a_line_is_not_known_to_be_the_last(self) -> None:
        a, b = (3, "y = x.relu().view(k).relu()"), (4, "return -f(y)")
        exported = model(step("relu", "Relu", "x", a), step("neg", "Neg", "relu", b, reads="f"))
        assert a[1] not in hinted(net(a[1], b[1]), exported, "net.py")

    def test_a_loop_over_one_operation_has_none(self) -> None:
        line = (4, "x = f(x)")
        exported = model(step("neg", "Neg", "x", line), step("neg_1", "Neg", "neg", line))
        assert hinted(net("for _ in range(2):", "    x = f(x)"), exported, "net.py") == {}

    def test_a_function_that_returns_several_has_each(self) -> None:
        inner, outer = (6, "h = x.neg()"), (3, "y = f(x)")
        neg = step("neg", "Neg", "x", outer, inner, functions=("forward", "f"))
        exported = model(neg, step("abs", "Abs", "neg", (4, "return y.abs()")))
        source = net("y = f(x)", "return y.abs()") + "def f(x):\n    h = x.neg()\n    "
        assert "y = f(x)" in hinted(f"{source}return h\n", exported, "net.py")
        assert hinted(f"{source}return h, None\n", exported, "net.py")["y = f(x)"] == "f32[n, 4], None"
        assert hinted(f"{source}return h, g(h)\n", exported, "net.py")["y = f(x)"] == "f32[n, 4], ?"
        assert hinted(f"{source}out = (h,)\n    return out\n", exported, "net.py")["y = f(x)"] == "f32[n, 4]"
        assert "y = f(x)" not in hinted(f"{source}return Out(h)\n", exported, "net.py")

    def test_a_line_of_which_nothing_is_left_in_another_instance_has_none(self) -> None:
        a, b = (3, "y = cut(x)"), (4, "return y.abs().neg()")
        exported = model(
            step("neg", "Neg", "x", a, module="one"),
            step("abs", "Abs", "neg", b, module="one"),
            step("abs_1", "Abs", "abs", b, module="two"),
        )
        assert a[1] not in hinted(net(a[1], b[1]), exported, "net.py")

    @pytest.mark.parametrize("line", ["y = Output(x.neg())", "y = dict(a=x.neg())", "self.log(x.neg())"])
    def test_a_value_that_is_no_tensor_has_none(self, line: str) -> None:
        exported = model(step("neg", "Neg", "x", (3, line)), step("abs", "Abs", "neg", (4, "return y.abs()")))
        assert hinted(net(line, "return y.abs()"), exported, "net.py") == {"return y.abs()": "f32[n, 4]"}

    def test_a_result_behind_very_many_readers_is_not_followed_to_the_end(self) -> None:
        a = (3, "y = f(x)")
        copies = [node("Identity", "neg", f"c{i}") for i in range(1500)]
        exported = model(step("neg", "Neg", "x", a, readers=2), *copies, step("abs", "Abs", "neg", a), outputs="abs")
        assert hinted(net(a[1]), exported, "net.py") == {}

    def test_a_stack_that_is_too_deep_for_a_program_is_not_read(self) -> None:
        line = (3, "return x.neg()")
        exported = [model(step("neg", "Neg", "x", *[(99, "call()")] * deep, line)) for deep in (60, 80)]
        assert hinted(net(line[1]), exported[0], "net.py") == {line[1]: "f32[n, 4]"}
        with pytest.raises(NoHints):
            hinted(net(line[1]), exported[1], "net.py")


class TestFollowed:
    """What the text of a program tells where nothing was recorded."""

    def hints(self, source: str, *steps: onnx.NodeProto) -> dict[str, str]:
        return hinted(source, model(*steps), "net.py")

    def test_a_variable_that_is_assigned_again_is_the_same_tensor(self) -> None:
        source = net("y = x.abs()", "kept = y", "return kept.neg()")
        steps = step("abs", "Abs", "x", (3, "y = x.abs()")), step("neg", "Neg", "abs", (5, "return kept.neg()"))
        assert self.hints(source, *steps)["kept = y"] == "f32[n, 4]"

    def test_a_function_without_lines_of_its_own_takes_the_operations_in_order(self) -> None:
        call = (3, "return f(x)")
        source = f"{net('return f(x)')}def f(x):\n    y = x.abs()\n    z = y.neg()\n    return z\n"
        hints = self.hints(source, step("abs", "Abs", "x", call), step("neg", "Neg", "abs", call))
        assert {"y = x.abs()", "z = y.neg()", "return z"} <= hints.keys()

    def test_an_operation_that_reads_another_tensor_is_not_the_one_that_the_text_calls(self) -> None:
        call = (3, "return f(x)")
        source = f"{net('return f(x)')}def f(x):\n    y = x.softmax(0)\n    z = y.cos().softmax(0)\n    return z\n"
        hints = self.hints(source, step("softmax_1", "Softmax", "x", call, reads="cos"))
        assert "y = x.softmax(0)" not in hints

    @pytest.mark.parametrize(
        ("line", "hint"),
        [
            ("y = x.transpose(0, 1)", "f32[4, n]"),
            ("y = x.transpose(-1, 0)", "f32[4, n]"),
            ("y = x.permute(1, 0)", "f32[4, n]"),
            ("y = x.unsqueeze(-1)", "f32[n, 4, 1]"),
            ("y = x[None, :, 0]", "f32[1, n]"),
            ("y = x[..., None, 1]", "f32[n, 1]"),
            ("y = x.contiguous()", "f32[n, 4]"),
            ("y = F.dropout(x, 0.5, training=self.training)", "f32[n, 4]"),
            ("y = x.float()", "f32[n, 4]"),
            ("y = x.to(torch.int64)", "i64[n, 4]"),
            ("y = x.new_zeros(2, 3)", "f32[2, 3]"),
            ("y = x.mT", "f32[4, n]"),
            ("y = x * 1.0", "f32[n, 4]"),
            ("y = (x, None)", "f32[n, 4], None"),
            ("y = [z for z in (x, x)]", "f32[n, 4], f32[n, 4]"),
            ("y = x.transpose(0, self.axis)", None),
            ("y = x[:, : self.count]", None),
            ("y = x.to(self.dtype)", None),
            ("y = x * self.scale", None),
            ("y = x.view(4, -1)", None),
            ("y = helper(x)", None),
            ("y = x.squeeze(0)", None),
        ],
    )
    def test_what_moves_casts_or_keeps_a_tensor_needs_no_operation(self, line: str, hint: str | None) -> None:
        before = "x = x.abs()"
        steps = step("abs", "Abs", "x", (3, before)), step("neg", "Neg", "abs", (5, "return f(y).neg()"), reads="f")
        assert self.hints(net(before, line, "return f(y).neg()"), *steps).get(line) == hint

    def test_a_function_that_changed_is_not_followed(self) -> None:
        lines = ["x = x.exp()", "x = x.log()", "x = x.t()", "x = x.t()", "kept = x", "return x.abs()"]
        named = {"exp": "Exp", "log": "Log", "t": "Transpose", "t_1": "Transpose", "abs": "Abs"}
        steps = [
            step(name, named[name], read, (3 + i, lines[i]))
            for i, name, read in zip((0, 1, 2, 3, 5), named, ("x", *named))
        ]
        assert self.hints(net(*lines), *steps)["kept = x"] == "f32[n, 4]"
        assert "kept = x" not in self.hints(net(*lines[:3], *lines[2:]), *steps)

    def test_a_function_without_lines_is_not_followed_in_a_file_that_changed(self) -> None:
        call, last = (3, "y = f(x)"), (4, "return y.neg()")
        source = f"{net(call[1], last[1])}def f(x):\n    z = x.softmax(0)\n    return z\n"
        steps = step("softmax", "Softmax", "x", call), step("neg", "Neg", "softmax", last)
        assert self.hints(source, *steps)["z = x.softmax(0)"] == "f32[n, 4]"
        changed = self.hints(source.replace("y.neg()", "y.abs()"), *steps)
        assert changed == {call[1]: "f32[n, 4]"}

    def test_a_list_has_what_was_appended_to_it(self) -> None:
        lines = [
            "y = x.abs()",
            "found = []",
            "for z in (x, y):",
            "    found.append(z)",
            "all = found",
            "return y.neg()",
        ]
        a, b = (3, lines[0]), (8, lines[5])
        hints = self.hints(net(*lines), step("abs", "Abs", "x", a), step("neg", "Neg", "abs", b))
        assert hints["all = found"] == "f32[n, 4], f32[n, 4]"

    @pytest.mark.parametrize(
        "change", ["change(found)", "found.reverse()", "del found[0]", "while f(): found.append(x)"]
    )
    def test_a_list_that_something_unknown_may_have_changed_has_none(self, change: str) -> None:
        lines = ["y = x.abs()", "found = [y]", change, "all = found", "return y.neg()"]
        a, b = (3, lines[0]), (7, lines[4])
        hints = self.hints(net(*lines), step("abs", "Abs", "x", a), step("neg", "Neg", "abs", b))
        assert "all = found" not in hints

    def test_a_branch_counts_if_a_line_of_it_was_recorded(self) -> None:
        lines = ["if self.flag:", "    y = x.abs()", "else:", "    y = x", "z = y", "return z.neg()"]
        steps = [step("abs", "Abs", "x", (4, lines[1].strip())), step("neg", "Neg", "abs", (8, lines[5]))]
        assert self.hints(net(*lines), *steps)["z = y"] == "f32[n, 4]"
        assert "z = y" not in self.hints(net(*lines), step("neg", "Neg", "x", (8, lines[5]), reads="view"))

    def test_what_was_exported_complex_is_shown_so(self) -> None:
        lines = ["y = torch.view_as_complex(x)", "return y.abs()"]
        pairs = made(
            [
                step("view_as_complex", "Identity", "x", (3, lines[0])),
                step("abs", "Abs", "view_as_complex", (4, lines[1])),
            ],
            [floats("x", "n", 2)],
            ["abs"],
        )
        operation = next(p for p in pairs.graph.node[0].metadata_props if p.key == OPERATION)
        operation.value = operation.value.replace("aten.identity", "aten.view_as_complex")
        assert hinted(net(*lines), pairs, "net.py")[lines[0]] == "c64[n]"


class TestFiles:
    """Which recorded file is the one that is shown."""

    LINE = (3, "return -x")

    def hints(self, path: str, *recorded: str) -> dict[str, str]:
        steps = [step(f"neg_{i}", "Neg", "x", self.LINE, file=file) for i, file in enumerate(recorded)]
        outputs = " ".join(s.output[0] for s in steps)
        return hinted(net("return -x"), model(*steps, outputs=outputs), path)

    @pytest.mark.parametrize(
        ("path", "recorded"),
        [
            ("/home/me/src/net.py", "/ci/build/src/net.py"),
            ("/home/me/src/net.py", "src/net.py"),
            ("/home/me/src/net.py", "./net.py"),
            ("/home/me/net.py", "C:\\\\work\\\\net.py"),
            ("C:\\work\\net.py", "/ci/net.py"),
            ("/home/lib/site-packages/timm/net.py", "/ci/site-packages/timm/net.py"),
        ],
    )
    def test_it_is_the_one_whose_path_ends_alike(self, path: str, recorded: str) -> None:
        assert self.hints(path, recorded) == {"return -x": "f32[n, 4]"}

    def test_the_longest_end_counts(self) -> None:
        assert self.hints("/home/b/net.py", "/ci/a/net.py", "/ci/b/net.py") == {"return -x": "f32[n, 4]"}

    @pytest.mark.parametrize(
        ("path", "recorded", "message"),
        [
            ("/home/net.py", ["/ci/other.py"], "it was exported from /ci/other.py"),
            ("/home/net.py", ["src/net.py"], "it was exported from src/net.py"),
            ("/home/net.py", ["/a/net.py", "/b/net.py"], "several files of that name: /a/net.py, /b/net.py"),
            ("/home/net.py", ["<string>"], "it records no lines of Python"),
            ("/home/net.py", ["/ci/site-packages/timm/net.py"], "it records no lines of Python"),
        ],
    )
    def test_without_one_there_are_no_hints(self, path: str, recorded: list[str], message: str) -> None:
        with pytest.raises(NoHints, match=message):
            self.hints(path, *recorded)


def test_a_finding_stands_at_a_line_of_which_the_number_alone_is_recorded() -> None:
    traced = node("Add", "x y")
    traced.doc_string = "/venv/site-packages/torch/nn/modules/module.py(1789): _call_impl\n/ci/net.py(3): forward\n"
    broken = check(made([traced], [floats("x", 2), floats("y", 3)]))
    found = source_hints(broken, "net.py", net("return x + y").encode())
    assert ([line for line, _ in found.findings], found.hints, found.changed) == ([3], (), ())
    beyond = source_hints(broken, "net.py", b"x = 1\n")
    assert (beyond.findings, beyond.changed) == ((), (3,))


class TestScripts:
    """Functions of onnxscript, whose values are named after variables."""

    FUNCTION = """@script()
def attend(q, k):
    kt = op.Transpose(k, perm=[1, 0])
    scores = q @ kt
    scores2 = (scores * 2.0)
    low, high = op.Split(scores2)
    return op.Relu(low)
"""
    MODEL = """<ir_version: 8, opset_import: ["": 20]>
attend (float[m, 8] q, float[n, 8] k) => (float[a, b] return_val) {
    kt = Transpose <perm = [1, 0]> (k)
    scores = MatMul (q, kt)
    const = Constant <value = float {2}> ()
    scores2 = Mul (scores, const)
    low, high = Split <num_outputs = 2> (scores2)
    return_val = Relu (low)
}"""

    def hints(self, source: str) -> dict[str, str]:
        return hinted(source, onnx.parser.parse_model(self.MODEL), "attention.py")

    def test_a_statement_has_the_type_of_its_variable(self) -> None:
        hints = self.hints(self.FUNCTION)
        assert hints["kt = op.Transpose(k, perm=[1, 0])"] == "f32[8, n]"
        assert hints["scores = q @ kt"] == "f32[m, n]"
        assert hints["scores2 = (scores * 2.0)"] == "f32[m, n]"
        assert hints["low, high = op.Split(scores2)"] == "f32[(m + 1)//2, n], f32[m//2, n]"
        assert hints["return op.Relu(low)"] == "f32[(m + 1)//2, n]"

    @pytest.mark.parametrize(
        ("before", "after"),
        [("q @ kt", "q @ k"), ("q @ kt", "q + kt"), ("scores = q", "other = q"), ("scores2 =", "scores =")],
    )
    def test_one_that_changed_has_none(self, before: str, after: str) -> None:
        changed = self.FUNCTION.replace(before, after)
        lines = {line.strip() for line in changed.split("\n") if after in line}
        assert not lines & self.hints(changed).keys()
        assert "kt = op.Transpose(k, perm=[1, 0])" in self.hints(changed)

    @pytest.mark.parametrize(
        ("before", "after"), [("@script()", "@other"), ("attend(", "attends("), ("(q, k)", "(k, q)")]
    )
    def test_another_function_has_none(self, before: str, after: str) -> None:
        with pytest.raises(NoHints):
            self.hints(self.FUNCTION.replace(before, after))


class TestCommand:
    def run(self, shell: Shell, *args: str, source: str = SOURCE.read_text(encoding="utf-8")) -> tuple[int, str, str]:
        (shell.folder / "model.py").write_text(source, encoding="utf-8")
        ended = shell("hints", "model.py", "--model", *args)
        return ended.code, ended.out, ended.err

    def test_it_prints_the_whole_source(self, shell: Shell) -> None:
        code, out, err = self.run(shell, str(MODEL))
        assert (code, err) == (0, "")
        assert [line.partition("  # ")[0].rstrip() for line in out.splitlines()] == SOURCE.read_text().splitlines()

    def test_sizes_may_be_given(self, shell: Shell) -> None:
        _, out, _ = self.run(shell, str(MODEL), "--bind", "batch=3", "--bind", "seq=5")
        assert "pooled = x.mean(dim=1)                                  # f32[3, 16]\n" in out

    def test_json_has_every_run(self, shell: Shell) -> None:
        _, out, _ = self.run(shell, str(MODEL), "--format", "json")
        (found,) = [h for h in json.loads(out)["hints"] if "|" in h["text"]]
        assert [(r["module"], [v["type"] for v in r["values"]]) for r in found["runs"]] == [
            ("blocks.0", ["f32[batch, seq, 64]"]),
            ("blocks.1", ["f32[batch, seq, 32]"]),
        ]

    def test_it_says_which_lines_changed(self, shell: Shell) -> None:
        text = SOURCE.read_text(encoding="utf-8")
        line = text.splitlines().index("        pooled = x.mean(dim=1)") + 1
        _, _, err = self.run(shell, str(MODEL), source=text.replace("x.mean(", "x.amax("))
        assert err.startswith(f"model.py changed since {MODEL} was exported, at line {line}; export")

    def test_a_finding_follows_its_line(self, shell: Shell) -> None:
        broken = onnx.load(MODEL)
        (bias,) = [t for t in broken.graph.initializer if t.name == "blocks.1.attention.out.bias"]
        bias.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(bias)[:7], bias.name))
        onnx.save(broken, shell.folder / "broken.onnx")
        code, out, err = self.run(shell, "broken.onnx")
        lines = [line.strip() for line in out.splitlines()]
        below = lines[next(i for i, text in enumerate(lines) if text.startswith("return self.out(")) + 1]
        assert below.startswith("# error[not-broadcastable]: ")
        assert below.endswith(", in blocks.1.attention.out")
        assert (code, err) == (1, "")

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("x = (\n", "model.py:1 is not Python: '(' was never closed"),
            ("x = 1\n  y = 2\n", "model.py:2 is not Python: unexpected indent"),
            ("\0", "model.py is not Python"),
            (f"x = {'(' * 500}{')' * 500}\n", "is not Python: "),
            ("# coding: of-no-kind\n", "is not Python: "),
        ],
    )
    def test_what_is_no_python_is_refused(self, shell: Shell, source: str, message: str) -> None:
        code, out, err = self.run(shell, str(MODEL), source=source)
        assert (code, out) == (2, "")
        assert message in err

    def test_a_model_that_records_nothing_says_how_to_export_it(self, shell: Shell) -> None:
        shell.save("plain.onnx", GOOD)
        code, out, err = self.run(shell, "plain.onnx")
        assert (code, out) == (2, "")
        assert err == (
            "Error: plain.onnx has no hints for model.py: it records no lines of Python; "
            "export it with torch.onnx.export(..., dynamo=True)\n"
        )

    def test_a_source_or_a_model_that_is_not_there_is_named(self, shell: Shell) -> None:
        assert "cannot read none.py: No such file" in shell("hints", "none.py", "--model", str(MODEL)).err
        assert "cannot read .: Is a directory" in shell("hints", ".", "--model", str(MODEL)).err
        code, out, err = self.run(shell, "none.onnx")
        assert (code, out) == (2, "")
        assert "error[unreadable]: no such file" in err

    def test_control_characters_do_not_reach_the_terminal(self, shell: Shell) -> None:
        _, out, _ = self.run(shell, str(MODEL), source=SOURCE.read_text(encoding="utf-8") + "# \x1b[2J\n")
        assert out.endswith("# \\x1b[2J\n")


def test_a_hint_starts_where_those_of_shorter_lines_do() -> None:
    found = source_hints(check(str(MODEL)), "model.py", SOURCE.read_bytes())
    starts = {line.index("  # ") for line in render(found) if "  # " in line}
    assert len(starts) == 1

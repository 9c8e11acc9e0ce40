"""What an editor helps to write: where names lead, completion, and changes on offer."""

from __future__ import annotations

import pytest

from shapeinfer import check
from shapeinfer.editors.actions import actions
from shapeinfer.editors.completion import MOST, completions
from shapeinfer.editors.mentions import definition, occurrences, references
from shapeinfer.editors.positions import Positions
from shapeinfer.editors.problems import problems
from shapeinfer.text import check_text
from tests.editors.texts import marked

NESTED = """\
net (bool c, float[N] x) => (float[N] y)
{
    h = Relu (x)
    y = If (c) <
        then_branch = yes () => (h1) { h1 = Tanh (h) },
        else_branch = no () => (b) { h = Tanh (x) b = Relu (h) }
    >
}
<domain: "my"> F (x) => (h) { h = Relu (x) }
"""


IGNORED = '"shapeinfer.ignore.y": "a", "shapeinfer.ignore": ""'


def places(text: str, mark: str) -> str:
    """The text with a mark put at one place."""
    assert text.count(mark.replace("|", "")) == 1
    return text.replace(mark.replace("|", ""), mark)


class TestNames:
    @pytest.mark.parametrize(
        ("mark", "makes", "count"),
        [
            ("Tanh (|h)", "h = Relu (x)\n", 2),
            ("b = Relu (|h)", "h = Tanh (x)", 2),
            ("h1 = Tanh (h)|", "h = Relu (x)\n", 2),
            ("=> (|h1)", "h1 = Tanh", 2),
            ("(|x) => (h)", "x) => (h)", 2),
        ],
    )
    def test_a_name_means_the_value_of_the_innermost_graph_that_has_it(self, mark: str, makes: str, count: int) -> None:
        written, at = marked(
            places(NESTED, mark.rstrip("|") if mark.endswith("|") else mark)
            if "|" in mark[:-1]
            else places(NESTED, "h1 = Tanh (|h)")
        )
        (made,) = definition(written, at)
        assert written.text[made.start :].startswith(makes)
        assert len(references(written, at)) == count

    def test_references_may_leave_out_the_definition(self) -> None:
        written, at = marked(places(NESTED, "    |h = Relu"))
        assert len(references(written, at)) == len(references(written, at, with_definition=False)) + 1

    def test_what_nothing_makes_leads_nowhere(self) -> None:
        assert definition(*marked("net () => () { y = Relu (|gone) }")) == []

    def test_a_dim_is_renamed_everywhere(self) -> None:
        written, at = marked(places(NESTED, "float[|N] x"))
        assert [written.text[start:end] for start, end in occurrences(written, at)] == ["N", "N"]

    def test_a_quoted_name_is_renamed_with_its_quotes(self) -> None:
        written, at = marked('net (float[N] "odd |name") => () { y = Relu ("odd name") }')
        assert [written.text[start:end] for start, end in occurrences(written, at)] == ['"odd name"', '"odd name"']


def offered(text: str) -> list[str]:
    return [o.label for o in completions(*marked(text)).found]


class TestCompletion:
    @pytest.mark.parametrize(
        "statement",
        ["y = |", "y = Re|", "y, z = |", "[n] y = Sof|", 'a = Relu (x)\n"odd y" = |', "y = |\n z = Relu (x)"],
    )
    def test_operators_follow_the_mark(self, statement: str) -> None:
        found = offered(f"net (float[N] x) => (float[N] y) {{ {statement} }}")
        assert ("Relu" in found, "Softmax" in found) == ("Sof" not in statement, "Re|" not in statement)
        assert "my.F" not in found

    def test_functions_of_the_model_are_operators(self) -> None:
        found = offered('net () => () { y = | }\n<domain: "my", opset_import: ["" : 20]> F (x) => (y) { y = Relu (x) }')
        assert "my.F" in found

    @pytest.mark.parametrize("statement", ["y = Conv <|", "y = Conv <group = 1, |", "y = Conv <group = 1, |> (x)",
                                           "y = Conv (x) <|", "y = Conv <pads = [1, 1], gr|"])  # fmt: skip
    def test_attributes_that_are_not_given_yet(self, statement: str) -> None:
        found = offered(f"net (float[N] x) => (float[N] y) {{ {statement} }}")
        assert ("dilations" in found) == ("gr|" not in statement)
        assert ("group" in found) is ("group" not in statement)

    @pytest.mark.parametrize(
        "statement", ["y = Relu (|", "y = Add (x, |", "y = Concat <axis = 0> (|", "y = Add (|, x)"]
    )
    def test_values_that_are_made_before(self, statement: str) -> None:
        found = offered(
            f"net (float[N] x) => (float[N] y) <int64 k = {{1}}> {{ h = Relu (x)\n {statement}\n late = Relu (h) }}"
        )
        assert found == ["h", "x", "k"]

    def test_values_come_with_their_types_and_quotes(self) -> None:
        found = completions(*marked('net (float[N] "odd x") => () { y = Relu (| }')).found
        assert [(o.label, o.detail, o.inserted) for o in found] == [("odd x", "f32[N]", '"odd x"')]

    def test_values_of_the_graphs_around(self) -> None:
        text = "net (bool c, float[N] x) => () { h = Relu (x) y = If (c) <then_branch = t () => (a) { a = Tanh (| }> }"
        assert {"h", "x"} <= set(offered(text))

    def test_types_and_dims_and_keys(self) -> None:
        assert "float" in offered("net (fl|) => () {}")
        assert offered("net (float[N, M] x, float[|] y) => () {}") == ["N", "M"]
        assert "opset_import" in offered("<ir_version: 10, |> net () => () {}")

    @pytest.mark.parametrize(
        "text", ["net () => () { y = Relu (x) # = |\n}", "net () => () { y = Cast <to = |1> (x) }"]
    )
    def test_nothing_in_a_comment_or_where_a_value_is_expected(self, text: str) -> None:
        assert offered(text) == []


class TestOffers:
    def test_what_begins_with_the_word_comes_first_and_what_has_its_letters_follows(self) -> None:
        found = offered("net (float[N] x) => (y) { y = soft| }")
        assert found[:3] == ["Softmax", "SoftmaxCrossEntropyLoss", "Softplus"]
        assert "Abs" not in found
        assert offered("net (float[N] x) => (y) { y = rsh| }")[0] == "Reshape"

    def test_the_word_is_replaced_wherever_it_starts(self) -> None:
        written, at = marked("net (float[N] x) => (y) { y = my.fu| }")
        assert written.text[completions(written, at).start : at] == "my.fu"

    def test_of_many_some_are_offered_and_more_when_more_is_typed(self) -> None:
        nodes = "".join(f" v{i} = Relu (x)\n" for i in range(2 * MOST))
        few = completions(*marked(f"net (float[N] x) => (y) {{ {nodes} y = Relu (v| }}"))
        assert (len(few.found), few.are_all) == (MOST, False)
        one = completions(*marked(f"net (float[N] x) => (y) {{ {nodes} y = Relu (v399| }}"))
        assert ([o.label for o in one.found], one.are_all) == (["v399"], True)


def applied(text: str, title: str) -> str:
    """The text after the action of a title, which is offered at its mark."""
    written, at = marked(text)
    found = {a.title: a.edit for a in actions(written, at, at, problems(written))}
    assert title in found, list(found)
    edit = found[title]
    return written.text[: edit.start] + edit.text + written.text[edit.end :]


class TestActions:
    @pytest.mark.parametrize(
        ("text", "title", "result"),
        [
            ("net (float[N, 64] x) => (|y) { y = Relu (x) }", "Declare y: float[N, 64]", "=> (float[N, 64] y) {"),
            ("net (float[N] x) => (float[3] |y) { y = Relu (x) }", "Declare y: float[N]", "=> (float[N] y) {"),
            ("net (float[N] x) => () { |h = Concat <axis = 0> (x, x) }", 'Declare h: float["2*N"]',
             '() <float["2*N"] h>\n{'),
            ("net (float[N] x) => () <> { |h = Relu (x) }", "Declare h: float[N]", "<float[N] h> {"),
            ("net (float[N] x) => () <int64 k = {1}> { |h = Relu (x) }", "Declare h: float[N]",
             "<int64 k = {1}, float[N] h>"),
            ("net (float[N] x) => () { |h = NonZero (x) }", "Declare h: int64[1, ?]", "<int64[1, ?] h>"),
            ('net (float[N] x) => () { |"a/b" = Relu (x) }', 'Declare "a/b": float[N]', '<float[N] "a/b">'),
        ],
    )  # fmt: skip
    def test_a_type_that_was_inferred_is_declared(self, text: str, title: str, result: str) -> None:
        after = applied(text, title)
        assert result in after
        assert check_text(after).model.faults == ()

    def test_a_type_that_is_declared_is_not_offered(self) -> None:
        written, at = marked("net (float[N] x) => (float[N] |y) { y = Relu (x) }")
        assert actions(written, at, at, []) == []

    @pytest.mark.parametrize("title", ["Ignore not-broadcastable of y", "Ignore not-broadcastable in this model"])
    @pytest.mark.parametrize(
        "header",
        [
            '<ir_version: 10, opset_import: ["" : 20]>',
            '<ir_version: 10, opset_import: ["" : 20], metadata_props: []>',
            '<ir_version: 10, metadata_props: ["k": "v"], opset_import: ["" : 20]>',
            f'<ir_version: 10, metadata_props: [{IGNORED}], opset_import: ["" : 20]>',
        ],
    )
    def test_a_code_is_ignored(self, header: str, title: str) -> None:
        text = f"{header}\nnet (float[2] x, float[3] u) => (y) {{ y = A|dd (x, u) }}"
        after = applied(text, title)
        report = check(after.encode())
        assert [d.code.name for d in report.diagnostics] == []
        assert [d.code.name for d in report.suppressed] == ["not-broadcastable"]

    @pytest.mark.parametrize(
        ("statement", "title", "result"),
        [
            ("y = G|emm (x, w)", "Set transB = 1", "y = Gemm <transB = 1> (x, w)"),
            ("y = G|emm <transB = 0, alpha = 2.0> (x, w)", "Set transB = 1",
             "y = Gemm <transB = 1, alpha = 2.0> (x, w)"),
            ("y = G|emm (x, w) <alpha = 2.0>", "Set transB = 1", "y = Gemm (x, w) <alpha = 2.0, transB = 1>"),
            ("t = Transpose <perm = [0, 1]> (w)\n y = Mat|Mul (x, t)",
             'Set perm = [1, 0] of Transpose "t"', "t = Transpose <perm = [1, 0]> (w)"),
            ('h = Relu (x) ["/m"] y = M|atMul (h, w)', "Read B transposed (perm = [1, 0])",
             ' w_transpose = Transpose <perm = [1, 0]> (w) ["/m"] y = MatMul (h, w_transpose)'),
            ("y = M|atMul (x, w)", "Read B transposed (perm = [1, 0])",
             "\n w_transpose = Transpose <perm = [1, 0]> (w)\n y = MatMul (x, w_transpose)"),
        ],
    )  # fmt: skip
    def test_what_would_fit_is_written(self, statement: str, title: str, result: str) -> None:
        after = applied(f"net (float[N, 64] x, float[10, 64] w) => (y) {{ # \U0001f600\n {statement} }}", title)
        assert result in after
        assert check_text(after).report.ok

    def test_an_operand_is_cast_under_a_name_that_nothing_has(self) -> None:
        after = applied(
            "net (float[N] x, float[N] k_cast) => (y) <int64[1] k = {1}> { y = A|dd (x, k) }", "Read B cast to float32"
        )
        assert "{ k_cast_ = Cast <to = 1> (k) y = Add (x, k_cast_) }" in after
        assert check_text(after).report.ok

    @pytest.mark.parametrize(
        ("opset", "result"),
        [
            (12, " b_unsqueeze = Unsqueeze <axes = [1, 2]> (b)\n y = Add (x, b_unsqueeze)"),
            (
                13,
                " b_unsqueeze_axes = Constant <value_ints = [1, 2]> ()\n b_unsqueeze = Unsqueeze (b, b_unsqueeze_axes)",
            ),
        ],
    )
    def test_an_operand_gets_axes_as_its_opset_gives_them(self, opset: int, result: str) -> None:
        header = f'<ir_version: 8, opset_import: ["" : {opset}]>\n'
        text = f"{header}net (float[N, 5, 8, 8] x, float[5] b) => (y) {{\n y = A|dd (x, b) }}"
        after = applied(text, "Read B with Unsqueeze axes = [1, 2]")
        assert result in after
        assert check_text(after).report.ok

    @pytest.mark.parametrize("statement", ["y = M|atMul (w, w)", "y = com.microsoft.FusedMat|Mul (x, w)"])
    def test_an_operand_that_is_read_twice_or_by_another_domain_is_left(self, statement: str) -> None:
        written, at = marked(f"net (float[N, 64] x, float[10, 64] w) => (y) {{ {statement} }}")
        assert not any(a.title.startswith("Read") for a in actions(written, at, at, problems(written)))

    def test_a_fix_is_offered_first_and_preferred(self) -> None:
        written, at = marked("net (float[N, 64] x, float[10, 64] w) => (y) { y = G|emm (x, w) }")
        offered = actions(written, at, at, problems(written))
        assert [a.is_preferred for a in offered] == [True, *[False] * (len(offered) - 1)]

    def test_a_value_that_a_function_takes_from_its_call_is_left(self) -> None:
        written, at = marked(
            "net (float[N, 64] x, float[10, 64] w) => (y) { y = my.F <t = 0> (x, w) }\n"
            '<domain: "my", opset_import: ["" : 20]> F <t> (a, b) => (c) { c = G|emm <transB: int = @t> (a, b) }'
        )
        assert not any(a.is_preferred for a in actions(written, at, at, problems(written)))

    def test_a_syntax_error_cannot_be_ignored(self) -> None:
        written, at = marked("net () => () { y = |Relu x }")
        assert not any("Ignore" in a.title for a in actions(written, at, at, problems(written)))


class TestPositions:
    TEXT = "ab\r\ncd\n\n\U0001f600e\u0301x"

    @pytest.mark.parametrize(
        ("encoding", "columns"), [("utf-8", [0, 4, 5, 7]), ("utf-16", [0, 2, 3, 4]), ("utf-32", [0, 1, 2, 3])]
    )
    def test_columns_are_counted_in_the_units_agreed_on(self, encoding: str, columns: list[int]) -> None:
        positions = Positions(self.TEXT, encoding)  # type: ignore[arg-type]
        start = self.TEXT.rindex("\n") + 1
        assert [tuple(positions.of(start + i)) for i in range(4)] == [(3, c) for c in columns]
        assert [positions.at(3, c) for c in columns] == [start + i for i in range(4)]

    def test_there_and_back(self) -> None:
        positions = Positions(self.TEXT)
        inside = [i for i in range(len(self.TEXT) + 1) if self.TEXT[i - 1 : i + 1] != "\r\n"]
        assert [positions.at(*positions.of(i)) for i in inside] == inside

    @pytest.mark.parametrize(("line", "character", "at"), [(0, 9, 2), (1, 9, 6), (2, 5, 7), (9, 0, 12)])
    def test_what_lies_beyond_is_the_end(self, line: int, character: int, at: int) -> None:
        assert Positions(self.TEXT).at(line, character) == at

"""A report as a value: its text, its formats, what it counts, and the model that it gives back."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import get_args

import onnx
import pytest
from attrs import evolve

import shapeinfer
from shapeinfer import (
    CODES,
    Contract,
    Diagnostic,
    ModelError,
    Session,
    Severity,
    check,
    diff,
    explain,
    infer_shapes,
    render,
    symbols,
)
from shapeinfer.diagnostics.codes import BUDGET_EXCEEDED
from shapeinfer.report import FORMATS, FormatName
from tests.command import BAD, GOOD, Shell
from tests.ir import layer, net, saved
from tests.models import checked, parsed

WARNS = "g (float[N, M] x, float[K] b) => (float[N, M] y) { c = Add(x, b) y = Relu(c) }"


class TestText:
    @pytest.mark.parametrize("source", [GOOD, BAD], ids=["good", "bad"])
    def test_it_is_what_the_command_prints(self, source: str, shell: Shell) -> None:
        shell.save("m.onnx", source)
        printed = shell("check", "m.onnx").out
        assert f"{check('m.onnx')}\n" == printed
        assert render(check("m.onnx")) == printed

    def test_a_model_without_a_path_is_called_model(self) -> None:
        assert str(checked(WARNS)).splitlines()[-1].startswith("model: no errors")

    def test_what_it_has_is_one_short_line_each(self) -> None:
        report = checked("g (float[N, 3] x, float[K, M] z) => (y) { y = MatMul (x, z) }")
        (requirement,) = report.contract
        assert repr(report.contract) == "<Contract: K == 3>"
        assert repr(requirement) == "<Requirement: K == 3, by MatMul (node 0)>"
        assert repr(requirement.asked) == "Condition(K == 3)"
        assert repr(report.cost()).startswith("<Cost parameters=0 multiply_adds=Dim(3*M*N) peak_bytes=Dim(")
        (fault,) = checked("g (float[2] x, float[3] z) => (y) { y = Add (x, z) }").errors
        assert repr(fault) == (
            "<Diagnostic: error[not-broadcastable]: axis 0 is 2 in A and 3 in B; "
            "they must be equal or one of them must be 1, at Add (node 0)>"
        )
        assert repr(fault.node) == "<NodeRef: Add (node 0)>"
        assert repr(fault.operands[0]) == "<Operand: A  x  f32[2]  2: axis 0 of input x>"
        assert repr(fault.code) == "<Code: not-broadcastable>"
        assert repr(diff(report, report)) == "<Difference: no breaking changes>"
        assert repr(report.contract[:0]) == "()"
        assert repr(Contract([requirement] * 5)) == "<Contract: K == 3, K == 3, K == 3, and 2 more>"
        assert len(repr(sum(symbols(" ".join(f"size_{i}" for i in range(50)))))) == 206

    def test_what_is_no_report_and_no_code_is_refused_in_words(self) -> None:
        for given in (3, {"m": 3}):
            with pytest.raises(TypeError, match=r"render\(\) takes a Report or a mapping .*, not int"):
                render(given)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"explain\(\) takes a code such as 'not-broadcastable', not int"):
            explain(3)  # type: ignore[arg-type]

    def test_its_repr_is_one_line(self) -> None:
        report = check(parsed(WARNS))
        assert repr(report) == "<Report path=None errors=0 warnings=1 values=4>"
        assert repr(check("no\nsuch.onnx")) == r"<Report path='no\nsuch.onnx' errors=1 warnings=0 values=0>"


class TestRender:
    def test_the_formats_are_those_of_the_command(self) -> None:
        assert list(get_args(FormatName)) == list(FORMATS)

    @pytest.mark.parametrize("form", get_args(FormatName))
    def test_each_is_what_the_command_prints(self, form: FormatName, shell: Shell) -> None:
        shell.save("good.onnx", GOOD)
        shell.save("bad.onnx", BAD)
        assert render(check("bad.onnx"), form) == shell("check", "--format", form, "bad.onnx").out
        several = {name: check(name) for name in ("good.onnx", "bad.onnx")}
        printed = shell("check", "--format", form, *several).out
        assert printed.startswith(render(several, form))  # the command says in text how many there were

    def test_one_report_under_a_name_is_one_of_several(self) -> None:
        whole = json.loads(render({"here": checked(WARNS)}, "json"))
        assert list(whole["files"]) == ["here"]
        assert json.loads(render({}, "json")) == {"files": {}}

    def test_notes_and_all_sizes_are_options(self) -> None:
        report = checked("g (float[N, 4] x) => (float[N, 4] y) { y = Relu(x) idle = Neg(x) }")
        assert "1 note (--notes)" in render(report)
        assert "note[unused-node]" in render(report, notes=True)
        pooled = checked("g (float[N, 3, H] x) => (float[] y) { y = MaxPool<kernel_shape = [1]>(x) }")
        assert "requires" in render(pooled)
        assert "runs only where\n  H >= 1" in render(pooled, all_sizes=True)

    def test_an_unknown_format_is_refused_with_the_known_ones(self) -> None:
        with pytest.raises(ValueError, match="unknown format 'xml'; known: text, concise, json"):
            render(checked(WARNS), "xml")  # type: ignore[arg-type]


def test_findings_are_given_by_severity() -> None:
    report = checked("g (float[N] x, float[3] w) => (float[3] y) { y = Add(x, w) u = my.Unheard(x) z = MatMul(w, v) }")
    assert {d.severity for d in report.errors} == {Severity.ERROR}
    assert {d.severity for d in report.warnings} == {Severity.WARNING}
    assert [d.code.name for d in report.errors] == ["undefined-value"]
    assert "unknown-operator" in [d.code.name for d in report.warnings]


class TestToModel:
    """The model with the types of all values."""

    MODEL = "g (float[N, 3] x) => (float[] y) { h = Relu(x) y = Concat<axis = 0>(h, h) }"

    def given(self, kind: str, tmp_path: Path) -> str | bytes | onnx.ModelProto:
        model = parsed(self.MODEL)
        if kind == "proto":
            return model
        path = tmp_path / "m.onnx"
        path.write_bytes(model.SerializeToString())
        return str(path) if kind == "path" else path.read_bytes()

    @pytest.mark.parametrize("kind", ["path", "bytes", "proto"])
    def test_it_is_that_of_infer_shapes(self, kind: str, tmp_path: Path) -> None:
        given = self.given(kind, tmp_path)
        report = check(given)
        assert report.to_model() == infer_shapes(given)
        assert [v.name for v in report.to_model().graph.value_info] == ["h"]
        assert report.to_model(output_dims="both") == infer_shapes(given, output_dims="both")

    def test_it_has_the_sizes_that_the_check_was_given(self) -> None:
        report = check(parsed(self.MODEL), bind={"N": 4})
        (y,) = report.to_model().graph.output
        assert [d.dim_value for d in y.type.tensor_type.shape.dim] == [8, 3]

    def test_the_model_given_stays_as_it_is(self) -> None:
        model = parsed(self.MODEL)
        before = model.SerializeToString()
        check(model).to_model()
        assert model.SerializeToString() == before

    def test_the_weights_come_along(self, tmp_path: Path) -> None:
        model = parsed("g (float[N, 64] x) => (float[] y) { y = MatMul(x, w) }")
        weights = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [64, 64], bytes(4 * 64 * 64), raw=True)
        model.graph.initializer.append(weights)
        onnx.save(model, tmp_path / "m.onnx")
        assert check(tmp_path / "m.onnx").to_model().graph.initializer == [weights]

    def test_a_broken_model_is_filled_in_as_far_as_it_goes(self) -> None:
        model = parsed("g (float[N, 3] x, float[4, 5] w) => (float[] y) { h = Relu(x) y = MatMul(h, w) }")
        report = check(model)
        assert not report.ok
        assert report.to_model() == infer_shapes(model)

    def test_a_model_that_changed_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "m.onnx"
        onnx.save(parsed(self.MODEL), path)
        report = check(path)
        onnx.save(parsed(self.MODEL.replace("axis = 0", "axis = 1")), path)
        with pytest.raises(ValueError, match=r"m\.onnx or a rule changed since the check; check it again"):
            report.to_model()

    def test_a_check_that_a_limit_ended_may_have_known_less(self) -> None:
        model = parsed(self.MODEL)
        ended = Diagnostic(BUDGET_EXCEEDED, Severity.WARNING, "inference took more than 1 seconds")
        report = evolve(check(model), values={}, diagnostics=(ended,))
        assert report.to_model() == infer_shapes(model)

    def test_what_is_no_model_is_refused_as_in_infer_shapes(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="not-a-model"):
            check(b"\xff\xff").to_model()
        with pytest.raises(ModelError, match="this is an OpenVINO IR, not an ONNX model"):
            check(saved(tmp_path, net(layer("x", "Parameter", out="FP32 2", shape="2", element_type="f32")))).to_model()

    def test_without_the_model_it_says_what_to_do(self) -> None:
        report = check(parsed(self.MODEL))
        for light in (report.light(), pickle.loads(pickle.dumps(report))):
            with pytest.raises(ValueError, match="this report has no model to fill in; check the model again"):
                light.to_model()

    def test_that_of_a_session_is_the_model_after_its_edits(self) -> None:
        session = Session(parsed(self.MODEL))
        session.edit(0, 1, [onnx.helper.make_node("Neg", ["x"], ["h"])])
        assert [n.op_type for n in session.report.to_model().graph.node] == ["Neg", "Concat"]


class TestNames:
    """What the package offers about itself."""

    def test_the_version_is_that_of_the_installed_package(self, shell: Shell) -> None:
        assert shell("--version").out == f"shapeinfer {shapeinfer.__version__}\n"

    @pytest.mark.parametrize("code", ["dim-mismatch", CODES["dim-mismatch"]], ids=["name", "code"])
    def test_explain_returns_the_page_of_the_command(self, code: str, shell: Shell) -> None:
        assert explain(code) == shell("explain", "dim-mismatch").out

    def test_an_unknown_code_is_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown code dim-mismtach; did you mean dim-mismatch"):
            explain("dim-mismtach")

    def test_every_code_has_its_severity_and_text(self) -> None:
        assert [name for name, code in CODES.items() if not (name == code.name and code.title.endswith("."))] == []
        assert {code.severity for code in CODES.values()} == set(Severity)

    def test_the_codes_cannot_be_changed(self) -> None:
        with pytest.raises(TypeError):
            CODES["mine"] = CODES["cycle"]  # type: ignore[index]

"""The command ``contract --format`` and the function behind it; and real models, whose runs every format allows."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from attrs import evolve

from shapeinfer import Report, check, render_contract
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report.contract_formats import CONTRACT_FORMATS
from tests.command import BAD, Shell
from tests.conftest import Runs
from tests.ir import net, parameter, result, saved
from tests.models import HEADER, parsed
from tests.report.contract_formats.modules import dynamic_shapes, guard, module, refusal
from tests.report.contract_formats.protobuf import config
from tests.report.contract_formats.test_names import hostile
from tests.report.contract_formats.test_python import PATCHES
from tests.report.contract_formats.test_tensorrt import profile
from tests.report.test_commands import HOSTILE, obeyed

RELU = "g (float[n, 3] x) => (y) { y = Relu (x) }"
NEEDS_RANK = "g (float[] x) => (y) { y = Relu (x) }"


@pytest.mark.parametrize("form", CONTRACT_FORMATS)
def test_the_command_writes_what_the_function_returns(form: Any, shell: Shell) -> None:
    ended = shell("contract", "--format", form, "--range", "height=32..64", shell.save("m.onnx", HEADER + PATCHES))
    report = check(parsed(PATCHES), ranges={"height": (32, 64)})
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == render_contract(report, form, name="m.onnx")


def test_max_size_reaches_the_formats_that_need_one(shell: Shell) -> None:
    path = shell.save("m.onnx", HEADER + PATCHES)
    assert "max_batch_size: 32\n" in shell("contract", "--format", "triton", "--max-size", "32", path).out
    assert "--maxShapes=image:96x3x96x96" in shell("contract", "--format", "tensorrt", "--max-size", "96", path).out


def test_standard_input_is_called_model(shell: Shell) -> None:
    ended = shell("contract", "--format", "python", "-", stdin=parsed(RELU).SerializeToString())
    assert module(ended.out)["MODEL"] == "model"


def test_a_model_with_errors_has_findings_and_no_contract(shell: Shell) -> None:
    ended = shell("contract", "--format", "python", shell.save("m.onnx", BAD))
    assert (ended.code, ended.out) == (1, "")
    assert "error[not-broadcastable]" in ended.err


def test_what_a_format_cannot_express_is_bad_usage(shell: Shell) -> None:
    ended = shell("contract", "--format", "tensorrt", shell.save("m.onnx", HEADER + NEEDS_RANK))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "Error: the contract of m.onnx cannot be written as tensorrt: input x can have no profile: its rank is "
        "unknown; give its shape with --shape\n"
    )


@pytest.mark.parametrize("form", CONTRACT_FORMATS)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_in_a_model_is_obeyed_by_a_server(form: Any, name: str, shell: Shell) -> None:
    (shell.folder / "m.onnx").write_bytes(hostile(name).SerializeToString())
    ended = shell("contract", "--format", form, "m.onnx")
    assert ended.code == (2 if form == "tensorrt" and "##" in name else 0)
    assert [line for line in (ended.out + ended.err).splitlines() if obeyed(line)] == []
    if form == "python":
        assert list(module(ended.out)["INPUTS"]) == [f"{name}a", f"{name}b"]
    elif form == "json-schema":
        assert json.loads(ended.out)["required"] == [f"{name}a", f"{name}b"]
    elif form == "triton":
        assert [value["name"] for value in config(ended.out)["input"]] == [f"{name}a", f"{name}b"]


def test_a_contract_is_written_whole_or_not_at_all(shell: Shell) -> None:
    ended = shell("contract", "--format", "python", "--max-output", "0.001", shell.save("m.onnx", HEADER + PATCHES))
    assert (ended.code, ended.out) == (3, "")
    assert "the contract of m.onnx was not written: it has more than 0.001 megabytes" in ended.err


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"^'yaml' is not a format of contracts; known ones: python, json-schema, "):
        render_contract(check(parsed(RELU)), "yaml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^max_size is 0; it must be at least 1$"):
        render_contract(check(parsed(RELU)), "triton", max_size=0)
    with pytest.raises(TypeError, match=r"^render_contract\(\) takes a report, which check\(\) returns, not Contract$"):
        render_contract(check(parsed(RELU)).contract, "triton")  # type: ignore[arg-type]


def test_a_report_without_a_contract_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a model with errors has no contract; the first is: axis 1 is 64 in A and"):
        render_contract(check(parsed(BAD)), "python")
    with pytest.raises(ValueError, match=r"^this report holds no nodes; check the model again in this process$"):
        render_contract(check(parsed(RELU)).light(), "python")


def test_what_was_not_found_in_time_is_named() -> None:
    code = codes.BUDGET_EXCEEDED
    found = check(parsed(PATCHES))
    report = evolve(found, diagnostics=(Diagnostic(code, code.severity, "too long"),))
    (said,) = module(render_contract(report, "python"))["UNCHECKED"]
    assert said == "conditions that were not found: the check of the model exceeded its limits"
    with pytest.raises(ValueError, match=r"^the check of the model exceeded its limits; raise max_seconds or max_mem"):
        render_contract(check(parsed(PATCHES), max_seconds=1e-9), "python")


def test_a_model_that_took_too_long_ends_with_exit_code_3(shell: Shell) -> None:
    ended = shell("contract", "--format", "python", "--max-seconds", "1e-9", shell.save("m.onnx", HEADER + RELU))
    assert (ended.code, ended.out) == (3, "")
    assert "budget-exceeded" in ended.err


def test_every_size_that_ran_is_accepted(
    corpus_report: Report, corpus_runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_inputs = guard(corpus_report)
    schema = jsonschema.Draft202012Validator(json.loads(render_contract(corpus_report, "json-schema")))
    has_inputs = any(binding["inputs"] for binding in corpus_runs)
    profiles = profile(render_contract(corpus_report, "tensorrt") or "a=").values() if has_inputs else ()
    for binding in corpus_runs:
        inputs = binding["inputs"]
        assert refusal(check_inputs, inputs) == "", binding["symbols"]
        assert schema.is_valid(inputs), binding["symbols"]
        for shapes in profiles if inputs else ():
            assert refusal(check_inputs, {**inputs, **shapes}) == "", shapes
    dims = dynamic_shapes(render_contract(corpus_report, "torch-export"), monkeypatch)
    assert list(dims) == list(corpus_report.graph.inputs if corpus_report.graph else ())
    try:
        found = config(render_contract(corpus_report, "triton"))
    except ValueError as error:
        assert "seq(map(" in str(error)  # noqa: PT017 - scikit-learn's class probabilities
    else:
        assert [value["name"] for value in found["input"]] == list(dims)


def test_an_ir_is_written_with_the_names_of_its_tensors_and_for_its_own_backend(shell: Shell) -> None:
    ids, x = parameter("ids", "2..6,8", names="input_ids"), parameter("x", "4")
    report = check(saved(shell.folder, net(ids, x, result("ids"))))
    assert [n for n in range(9) if not refusal(guard(report), {"input_ids": (n, 8), "x": (4,)})] == [2, 3, 4, 5, 6]
    assert list(module(render_contract(report, "python"))["INPUTS"]) == ["input_ids", "x"]
    assert config(render_contract(report, "triton"))["backend"] == "openvino"

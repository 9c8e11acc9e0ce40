"""The commands on OpenVINO IRs, as a shell runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Shell
from tests.ir import layer, net, parameter, result, saved

ADDED = net(
    parameter("ids", "?,8", names="input_ids"),
    parameter("mask", "?,8"),
    layer("sum", "Add", "ids", "mask", out="FP32 -1,8", auto_broadcast="none"),
    result("sum"),
)
"""The first dims must agree."""
PDPD = net(
    parameter("a", "2,4"),
    parameter("b", "1,1,1"),
    layer("sum", "Add", "a", "b", out="FP32 2,4", auto_broadcast="pdpd", auto_broadcast__auto_broadcast_axis=1),
    result("sum"),
)
"""OpenVINO does not pass over the last axes of b, as its specification says."""


@pytest.fixture
def model(shell: Shell) -> Path:
    return saved(shell.folder, ADDED)


def test_check_says_under_which_sizes_it_runs(shell: Shell, model: Path) -> None:
    ended = shell("check", "model.xml")
    assert (ended.code, ended.err) == (0, "")
    assert "ids.0 == mask.0" in ended.out


def test_check_shows_the_line(shell: Shell, model: Path) -> None:
    ended = shell("check", "model.xml", "--shape", "input_ids=2,8", "--shape", "mask=3,8")
    assert ended.code == 1
    assert 'model.xml:5: Add "sum"' in ended.out


def test_a_directory_is_searched_for_irs_too(shell: Shell, model: Path) -> None:
    (shell.folder / "pom.xml").write_text("<project/>")
    ended = shell("check", ".")
    assert ended.code == 0
    assert "model.xml: no errors" in ended.out
    assert "pom.xml" not in ended.out


def test_an_ir_may_come_from_standard_input(shell: Shell, model: Path) -> None:
    assert shell("check", "-", stdin=ADDED).code == 0


def test_show_contract_and_why_read_irs(shell: Shell, model: Path) -> None:
    assert '"sum:0" = openvino.Add <auto_broadcast = "none">' in shell("show", "model.xml").out
    assert "ids.0 == mask.0" in shell("contract", "model.xml").out
    assert "axis 0 of sum:0 is ids.0" in shell("why", "model.xml", "sum:0[0]").out


def test_infer_writes_the_ports(shell: Shell, model: Path) -> None:
    ended = shell("infer", "model.xml", "-o", "out.xml", "--shape", "ids=2,8", "--shape", "mask=2,8")
    assert ended.code == 0
    assert ended.err == "warning: out.xml reads its constants from out.bin; copy model.bin to it\n"
    assert ended.out == ""
    port = b'<port id="2" precision="FP32"><dim>%d</dim><dim>8</dim></port>'
    assert port % 2 in (shell.folder / "out.xml").read_bytes()
    assert port % -1 in model.read_bytes()


def test_infer_writes_nothing_where_there_is_no_model(shell: Shell) -> None:
    (shell.folder / "bad.xml").write_bytes(ADDED[:100])
    assert shell("infer", "bad.xml", "-o", "out.xml").code == 2
    assert not (shell.folder / "out.xml").exists()


@pytest.mark.parametrize(("profile", "code"), [("spec", 0), ("openvino", 1)])
def test_a_profile_says_whose_word_counts(shell: Shell, profile: str, code: int) -> None:
    saved(shell.folder, PDPD)
    assert shell("check", "model.xml", "--profile", profile).code == code


def test_an_unknown_profile_is_refused(shell: Shell, model: Path) -> None:
    assert shell("check", "model.xml", "--profile", "mine").code == 2

"""Einsum: every label has one length, the output names those that stay."""

from __future__ import annotations

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize("version", [12, 28])
@pytest.mark.parametrize(
    ("equation", "inputs", "out"),
    [
        ("ij,jk->ik", ["[I, J]", "[J, K]"], "[I, K]"),
        ("bhid,bhjd->bhij", ["[B, H, I, D]", "[B, H, J, D]"], "[B, H, I, J]"),
        ("ij->ji", ["[I, J]"], "[J, I]"),
        ("ij->i", ["[I, J]"], "[I]"),
        ("ij->", ["[I, J]"], "[]"),
        ("i,j->ij", ["[I]", "[J]"], "[I, J]"),
        ("i,,->i", ["[I]", "[]", "[]"], "[I]"),
        ("->", ["[]"], "[]"),
        ("a,b,c,d->dcba", ["[1]", "[2]", "[3]", "[4]"], "[4, 3, 2, 1]"),
    ],
)
def test_the_output_names_what_stays(version: int, equation: str, inputs: list[str], out: str) -> None:
    assert infer("Einsum", *(f"f32{i}" for i in inputs), equation=equation, version=version) == f"f32{out}"


@pytest.mark.parametrize(
    ("equation", "inputs", "out"),
    [
        ("ij,jk", ["[I, J]", "[J, K]"], "[I, K]"),
        ("ba", ["[B, A]"], "[A, B]"),
        ("bA", ["[B, A]"], "[A, B]"),
        ("ii", ["[I, I]"], "[]"),
        ("...b,b", ["[X, Y, B]", "[B]"], "[X, Y]"),
        ("b...a", ["[B, X, A]"], "[X, A, B]"),
    ],
)
def test_without_an_arrow_labels_that_occur_once_stay_in_order(equation: str, inputs: list[str], out: str) -> None:
    assert infer("Einsum", *(f"f32{i}" for i in inputs), equation=equation) == f"f32{out}"


@pytest.mark.parametrize(
    ("equation", "inputs", "out"),
    [
        ("...ij,...jk->...ik", ["[X, Y, I, J]", "[X, Y, J, K]"], "[X, Y, I, K]"),
        ("...ij,...jk->...ik", ["[X, 1, I, J]", "[1, Y, J, K]"], "[X, Y, I, K]"),
        ("...ij,jk->...ik", ["[X, Y, I, J]", "[J, K]"], "[X, Y, I, K]"),
        ("i...->...i", ["[I, X, Y]"], "[X, Y, I]"),
        ("...->...", ["[]"], "[]"),
        ("i...->i", ["[I]"], "[I]"),
        ("i->...i", ["[I]"], "[I]"),
    ],
)
def test_an_ellipsis_stands_for_axes_that_broadcast(equation: str, inputs: list[str], out: str) -> None:
    assert infer("Einsum", *(f"f32{i}" for i in inputs), equation=equation) == f"f32{out}"


def test_upper_and_lower_case_differ_and_spaces_do_not_count() -> None:
    assert infer("Einsum", "f32[X, Y]", "f32[Y, Z]", equation=" i I , I j - > i j ") == "f32[X, Z]"
    assert infer("Einsum", "f32[X, Y]", equation=". . .i -> i ...") == "f32[Y, X]"


def test_a_label_twice_on_one_operand_is_its_diagonal() -> None:
    assert infer("Einsum", "f32[N, N]", equation="ii->i") == "f32[N]"
    assert infer("Einsum", "f32[N, 3]", equation="ii->i") == "f32[3]"
    assert fault("Einsum", "f32[1, 3]", equation="ii->i") == "dim-mismatch"


def test_a_length_of_1_broadcasts_under_its_label() -> None:
    assert infer("Einsum", "f32[I, 1]", "f32[J, K]", equation="ij,jk->ijk") == "f32[I, J, K]"
    assert infer("Einsum", "f32[N, 3]", "f32[M]", equation="ij,i->i") == "f32[broadcast(M, N)]"
    assert infer("Einsum", "f32[0, 3]", "f32[1]", equation="ij,i->i") == "f32[0]"


@pytest.mark.parametrize(
    ("inputs", "equation", "out"),
    [
        (["f32[...]", "f32[J, K]"], "ij,jk->ik", "f32[Einsum_0, K]"),
        (["f32[...]", "f32[3, K]"], "ij,jk->ijk", "f32[Einsum_0, 3, K]"),
        (["f32[...]", "f32[X, J, K]"], "...ij,...jk->...ik", "f32[Einsum_0, Einsum_1, K]"),
        (["f32[...]"], "...i->i...", "f32[...]"),
        (["f32[...]"], "...i->i", "f32[Einsum_0]"),
        (["?[I, J]"], "ij->j", "?[J]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_the_inputs(inputs: list[str], equation: str, out: str) -> None:
    assert infer("Einsum", *inputs, equation=equation) == out


@pytest.mark.parametrize(
    ("equation", "inputs", "code"),
    [
        ("ij,jk->ik", ["[2, 3]", "[4, 5]"], "dim-mismatch"),
        ("ij,jk->ik", ["[2, 0]", "[3, 4]"], "dim-mismatch"),
        ("...i,...i->...", ["[2, 3]", "[4, 3]"], "dim-mismatch"),
        ("ijk->ij", ["[2, 3]"], "invalid-equation"),
        ("i->i", ["[2, 3]"], "invalid-equation"),
        ("ij...->ij...", ["[2]"], "invalid-equation"),
        ("ij,jk->ik", ["[2, 3]"], "invalid-equation"),
        ("ij->ij", ["[2, 3]", "[2, 3]"], "invalid-equation"),
        ("ij->ik", ["[2, 3]"], "invalid-equation"),
        ("ij->ii", ["[2, 3]"], "invalid-equation"),
        ("ij->i->j", ["[2, 3]"], "invalid-equation"),
        ("i.j->ij", ["[2, 3]"], "invalid-equation"),
        ("...i...->i", ["[2, 3]"], "invalid-equation"),
        ("i1->i", ["[2, 3]"], "invalid-equation"),
        ("i...->i", ["[2, 3]"], "invalid-equation"),
        ("ij,jk->ik,", ["[2, 3]", "[3, 4]"], "invalid-equation"),
        ("...i,...i->...", ["[2, 3]", "[2, 2, 3]"], "invalid-equation"),
    ],
)
def test_what_is_wrong_with_an_equation_or_its_operands(equation: str, inputs: list[str], code: str) -> None:
    assert fault("Einsum", *(f"f32{i}" for i in inputs), equation=equation) == code


def test_what_the_lengths_of_a_label_need() -> None:
    assert asks("Einsum", "f32[I, K]", "f32[64, J]", equation="ik,kj->ij") == ["dim-mismatch: K == 64 or K == 1"]
    assert asks("Einsum", "f32[N, M]", equation="ii->i") == ["dim-mismatch: N == M"]
    assert asks("Einsum", "f32[I, K]", "f32[K, J]", equation="ik,kj->ij") == []


@pytest.mark.parametrize(
    ("equation", "inputs"),
    [
        ("bij,bjk->bik", ["f32[N, 2, M]", "f32[N, M, 3]"]),
        ("...ij,...jk", ["f32[N, 2, M]", "f32[1, M, 3]"]),
        ("ij->j", ["f32[N, M]"]),
        ("ij,j", ["f32[N, M]", "f32[1]"]),
        ("ii->i", ["f32[M, M]"]),
    ],
)
def test_it_agrees_with_a_run(equation: str, inputs: list[str]) -> None:
    bindings = [{"N": 0, "M": 1}, {"N": 1, "M": 1}, {"N": 3, "M": 2}]
    agrees_with_a_run("Einsum", *inputs, equation=equation, bindings=bindings)

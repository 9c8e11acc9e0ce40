"""TfIdfVectorizer: one count for each index."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer

POOL: dict[str, Any] = {
    "mode": "TF",
    "min_gram_length": 1,
    "max_gram_length": 2,
    "max_skip_count": 0,
    "ngram_counts": [0, 2],
    "ngram_indexes": [0, 1, 6],
    "pool_int64s": [2, 3, 5, 4],
}


@pytest.mark.parametrize(
    ("given", "out"),
    [("i64[C]", "f32[7]"), ("i64[N, C]", "f32[N, 7]"), ("str[0]", "f32[7]"), ("i64[...]", "f32[...]")],
)
def test_each_row_is_counted(given: str, out: str) -> None:
    assert infer("TfIdfVectorizer", given, **POOL) == out


@pytest.mark.parametrize(
    ("given", "code"),
    [("i64[]", "rank-mismatch"), ("i64[2, 2, 5]", "rank-mismatch"), ("i64[0, 5]", "too-few-elements")],
)
def test_what_has_no_rows(given: str, code: str) -> None:
    assert fault("TfIdfVectorizer", given, **POOL) == code


def test_indices_are_of_the_output() -> None:
    assert fault("TfIdfVectorizer", "i64[5]", **(POOL | {"ngram_indexes": [0, -1]})) == "invalid-attribute"


@pytest.mark.parametrize("given", ["i64[C]", "i64[N, C]"])
def test_it_agrees_with_a_run(given: str) -> None:
    agrees_with_a_run("TfIdfVectorizer", given, bindings=[{"N": 1, "C": 1}, {"N": 3, "C": 5}], **POOL)

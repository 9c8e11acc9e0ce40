"""Strings: normalized, joined, matched, split and cut into tokens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer

TOKENS: Any = {"mark": 0, "mincharnum": 1, "pad_value": "#"}


@pytest.mark.parametrize(
    ("given", "stopwords", "output"),
    [
        ("str[3]", [], "str[3]"),
        ("str[1, N]", [], "str[1, N]"),
        ("str[3]", ["a"], "str[StringNormalizer_0]"),
        ("str[1, N]", ["a"], "str[1, StringNormalizer_0]"),
        ("str[1]", ["a"], "str[1]"),
        ("str[M, N]", [], "str[1, N]"),
        ("str[...]", [], "str[...]"),
    ],
)
def test_normalizing_drops_stop_words(given: str, stopwords: list[str], output: str) -> None:
    attributes: Any = {"stopwords": stopwords} if stopwords else {}
    assert infer("StringNormalizer", given, **attributes) == output


@pytest.mark.parametrize(
    ("given", "code"), [("str[2, 3]", "dim-mismatch"), ("str[]", "rank-mismatch"), ("str[0]", "too-few-elements")]
)
def test_normalizing_takes_one_row(given: str, code: str) -> None:
    assert fault("StringNormalizer", given) == code


@pytest.mark.parametrize("given", ["str[N]", "str[1, N]"])
def test_normalizing_agrees_with_a_run(given: str) -> None:
    agrees_with_a_run("StringNormalizer", given, bindings=[{"N": 1}, {"N": 3}], is_case_sensitive=1)


def test_joining_broadcasts() -> None:
    assert infer("StringConcat", "str[N, 1]", "str[3]") == "str[N, 3]"
    assert fault("StringConcat", "str[2]", "str[3]") == "not-broadcastable"
    agrees_with_a_run("StringConcat", "str[N, 1]", "str[M]", bindings=[{"N": 2, "M": 3}, {"N": 0, "M": 1}])


def test_matching_keeps_the_shape() -> None:
    assert infer("RegexFullMatch", "str[N]", pattern="a") == "bool[N]"
    agrees_with_a_run("RegexFullMatch", "str[N, 2]", pattern="a", bindings=[{"N": 2}, {"N": 0}])
    assert fault("RegexFullMatch", "str[N]") == "missing-attribute"


@pytest.mark.parametrize(
    ("sensitive", "stopwords", "output"),
    [
        (1, ["Mon"], "str[2]"),
        (0, ["mon"], "str[1]"),
        (1, ["mon"], "str[2]"),
        (1, ["Mon", "mon", "Tue"], "str[1]"),
        (0, ["Mon", "Tue"], "str[1]"),
    ],
)
def test_known_words_are_counted(sensitive: int, stopwords: list[str], output: str) -> None:
    given = "str[3]{Mon, mon, Tue}"
    assert infer("StringNormalizer", given, stopwords=stopwords, is_case_sensitive=sensitive) == output
    if sensitive:
        agrees_with_a_run("StringNormalizer", given, stopwords=stopwords, is_case_sensitive=1, bindings=[{}])


@pytest.mark.parametrize(
    ("words", "attributes"),
    [
        ("a.com, b.c.d, d", {"delimiter": "."}),
        ("a.com, b.c.d, d", {"delimiter": ".", "maxsplit": 1}),
        ("a  b, b c d, d", {}),
        ("a..b, b, d", {"delimiter": "."}),
    ],
)
def test_known_strings_are_split(words: str, attributes: dict[str, Any]) -> None:
    agrees_with_a_run("StringSplit", f"str[3]{{{words}}}", outputs=2, bindings=[{}], **attributes)
    agrees_with_a_run("StringSplit", "str[0, 2]", outputs=2, bindings=[{}], **attributes)


def test_splitting_adds_an_axis() -> None:
    assert infer("StringSplit", "str[N, 2]", outputs=2) == ["str[N, 2, StringSplit_0]", "i64[N, 2]"]
    assert infer("StringSplit", "str[...]", outputs=2) == ["str[...]", "i64[...]"]
    assert infer("StringSplit", "str[N]", maxsplit=0, outputs=2) == ["str[N, StringSplit_0]", "i64[N]"]


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ("str[3]", "str[3, Tokenizer_0]"),
        ("str[N, C]", "str[N, C, Tokenizer_0]"),
        ("str[0]", "str[0]"),
        ("str[0, 2]", "str[0, 0]"),
        ("str[2, 0]", "str[2, 0]"),
        ("str[...]", "str[...]"),
    ],
)
def test_tokens_have_an_axis_unless_there_are_no_strings(given: str, output: str) -> None:
    assert infer("Tokenizer", given, domain="com.microsoft", **TOKENS) == output


@pytest.mark.parametrize("given", ["str[0]", "str[0, 2]", "str[2, 0]"])
def test_tokens_of_no_strings_agree_with_a_run(given: str) -> None:
    agrees_with_a_run("Tokenizer", given, domain="com.microsoft", bindings=[{}], separators=[" "], **TOKENS)


def test_tokens_are_of_one_or_two_axes() -> None:
    assert fault("Tokenizer", "str[1, 2, 3]", domain="com.microsoft", **TOKENS) == "rank-mismatch"


def test_words_are_embedded_by_filters() -> None:
    weights = "f32[8, 1, 3, 5]", "f32[8]", "f32[11, 5]"
    assert infer("WordConvEmbedding", "i32[W, 6]", *weights, domain="com.microsoft") == "f32[W, 8]"
    sizes: Any = {"char_embedding_size": 5, "conv_window_size": 3, "embedding_size": 8}
    agrees_with_a_run(
        "WordConvEmbedding", "i32[W, 6]", *weights, domain="com.microsoft", bindings=[{"W": 4}, {"W": 1}], **sizes
    )

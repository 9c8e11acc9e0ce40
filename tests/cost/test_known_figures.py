"""Well-known models against the figures that are told of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from shapeinfer import Cost, check
from shapeinfer.dims import evaluate
from tests.cost.resnet50 import resnet50
from tests.models import checked

SHAPE_CONSTANTS = 5000
"""Exported models hold a few integers that steer shapes, which count among the parameters."""


def test_resnet_50() -> None:
    cost = checked(resnet50()).cost(bind={"N": 1})
    statistics = 2 * 26_560  # the running mean and variance of each channel, which frameworks do not count
    assert cost.parameters == 25_557_032 + statistics
    assert cost.multiply_adds == 4_089_184_256


@cache
def counted(corpus: Path, name: str) -> Cost:
    return check(corpus / "speed" / f"{name}.onnx").cost()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("bert_large.dynamo18.dynamic", 335_141_888),
        ("gpt2_xl_kv.dynamo18.dynamic", 1_557_611_200 + 50_257 * 1600),  # the head is stored, too
        ("llama3_8b_kv.dynamo18.dynamic", 8_030_261_248),
        ("mixtral_8x7b.dynamo18.dynamic", 46_702_792_704),
        ("sd15_unet.dynamo18.dynamic", 859_520_964),
        ("t5_large.dynamo18.dynamic", 737_668_096 + 2 * 32_128 * 1024),
    ],
)
def test_parameters(corpus: Path, name: str, parameters: int) -> None:
    found = counted(corpus, name).parameters
    assert isinstance(found, int)
    assert parameters <= found < parameters + SHAPE_CONSTANTS


@pytest.mark.parametrize(
    ("name", "sizes", "expected"),
    [
        # Each layer has 12 matrices of the width squared; attention meets all pairs of positions, twice.
        (
            "bert_large.dynamo18.dynamic",
            {"batch": 1, "seq": 512},
            512 * 24 * 12 * 1024**2 + 24 * 2 * 512**2 * 1024 + 1024**2,
        ),
        # All parameters but the embedding's and the norms', and attention as above.
        (
            "llama3_8b_kv.dynamo18.dynamic",
            {"batch": 1, "seq": 1, "past": 0},
            8_030_261_248 - 128_256 * 4096 - 65 * 4096 + 32 * 2 * 4096,
        ),
        # torchvision's figure; the last layer of this export has 2 classes in place of 1000.
        ("resnet152.dynamo18.dynamic", {"batch": 1, "height": 224, "width": 224}, 11_513_626_624 - 2048 * 998),
    ],
)
def test_multiply_adds(corpus: Path, name: str, sizes: dict[str, int], expected: int) -> None:
    found = counted(corpus, name).multiply_adds
    assert found is not None
    assert evaluate(found, sizes) == expected

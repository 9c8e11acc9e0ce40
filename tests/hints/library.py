"""Programs of the library transformers, small and with random weights; no part of it is kept here.

ViT computes a mask of all ones when it is exported and none otherwise, so its line 376 differs.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def _text(kind: str, **more: Any) -> SimpleNamespace:
    import torch
    import transformers

    small = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}

    def net() -> Any:
        config = getattr(transformers, f"{kind}Config")(**small, vocab_size=100, **more)
        return getattr(transformers, f"{kind}Model")(config)

    def inputs(batch: int, seq: int) -> tuple[Any, ...]:
        return torch.randint(0, 100, (batch, seq)), torch.ones(batch, seq, dtype=torch.int64)

    named = {0: "batch", 1: "seq"}
    sizes = ({"batch": 2, "seq": 8}, {"batch": 3, "seq": 11})
    return SimpleNamespace(net=net, inputs=inputs, SIZES=sizes, DYNAMIC=(named, named))


def bert() -> SimpleNamespace:
    return _text("Bert")


def llama() -> SimpleNamespace:
    return _text("Llama", num_key_value_heads=2, use_cache=False)


def vit_of_transformers() -> SimpleNamespace:
    import torch
    import transformers

    small = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}

    def net() -> Any:
        return transformers.ViTModel(transformers.ViTConfig(**small, image_size=32, patch_size=8))

    def inputs(batch: int) -> tuple[Any, ...]:
        return (torch.randn(batch, 3, 32, 32),)

    return SimpleNamespace(net=net, inputs=inputs, SIZES=({"batch": 2}, {"batch": 3}), DYNAMIC=({0: "batch"},))

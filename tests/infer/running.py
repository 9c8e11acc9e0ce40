"""Run models in onnxruntime, as they are and in one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime

Array = np.ndarray[Any, Any]


def session(model: onnx.ModelProto, *, optimized: bool = False) -> Any:
    """A session that changes nothing about the model, or one that optimizes it as the runtime does if nobody asks.

    The first packs no constants either: packed ones take another kernel, which may give other last bits.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.disable_prepacking", "1")
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])

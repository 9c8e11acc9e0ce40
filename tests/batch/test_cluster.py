"""The same on Dask's distributed: a cluster inside this process, and the example that starts one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shapeinfer import check_many
from tests.models import faults

distributed = pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]


@pytest.mark.filterwarnings("ignore")
def test_models_are_checked_on_a_cluster() -> None:
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    with distributed.Client(**options) as client, client.get_executor(pure=False) as executor:
        found = {Path(path).name: report for path, report in check_many([ROOT / "examples"], executor=executor)}
    assert faults(found["unet_wrong_channels.onnx"]) == ["error channel-mismatch @ 68"]
    assert [name for name, report in found.items() if report.ok] == [
        "bert.onnx",
        "llama_kv.onnx",
        "patches.onnx",
        "resnet.onnx",
        "sd_unet.onnx",
        "unet.onnx",
        "model.onnx",
    ]


def test_the_example_runs() -> None:
    command = [sys.executable, "examples/cluster.py", "examples/models/unet.onnx", "examples/broken"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    *errors, last = ended.stdout.splitlines()
    assert errors[0].startswith("examples/broken/unet_wrong_channels.onnx: error[channel-mismatch]: X has 48 channels")
    assert last == "2 models, 1 with errors"
    assert ended.returncode == 1

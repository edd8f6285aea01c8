"""Old names of TensorFlow, NumPy and Python, and what the legacy runtime keeps quiet about."""

from __future__ import annotations

import json
import logging
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tfmigrate_runtime.tf1_shim import quiet
from tfmigrate_runtime.tf1_shim.modules import imp

PROGRAM = Path(__file__).parent / "old_names_program.py"


@pytest.fixture(scope="module")
def ran() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(PROGRAM)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert result.returncode == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def said(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_numpy_has_its_old_names(said: dict[str, Any]) -> None:
    assert said["numpy"] == {
        "array": [[0.0, 9.0, 2.0], [3.0, 4.0, 7.0]],
        "bytes": True,
        "ptp": [3.0, 5.0, 5.0],
        "types": True,
        "scalars": True,
        "values": [math.inf, -math.inf, 0.0, 3],
        # What NumPy 1.18.5 gives, which TensorFlow 1.15 runs with.
        "functions": [
            6,
            [2, 6],
            [False, True],
            True,
            False,
            3.0,
            [[1, 1], [2, 3]],
            "float64",
            4.0,
        ],
        "common": ["float32", "float64", "float64"],
        "sctypes": [True, "float32"],
    }


def test_python_has_its_old_names(said: dict[str, Any]) -> None:
    assert said["python"] == {
        "collections": True,
        "getargspec": [["a", "b"], "c", "d", [1]],
        "gcd": [-4, 4, 0],
        "clock": True,
        "alive": True,
        "base64": "abc",
        "coroutine": True,
        "interval": None,
        "assertions": [1, 0],
    }


def test_layers_whose_ops_are_counted_are_called_as_before(said: dict[str, Any]) -> None:
    inputs = [["self", "inputs"], None, None]
    state = [["self", "inputs", "state"], None, None]
    assert said["calls"] == [inputs, inputs, inputs, state, state]


def test_recurrent_layers_name_their_weights_as_before(said: dict[str, Any]) -> None:
    """As TensorFlow 1.15.5 ran the same function; Keras 2.4 and later open a scope for a cell."""
    weights = ("kernel", "recurrent_kernel", "bias")
    layers = [
        "lstm/{}",
        "bidirectional/forward_both/{}",
        "bidirectional/backward_both/{}",
        "rnn/{}",
    ]
    layers += ["rnn/{}_1", "conv_lst_m2d/{}"]
    assert said["recurrent"] == [name.format(weight) for name in layers for weight in weights]


def test_multi_gpu_model_trains_as_the_model_alone(said: dict[str, Any]) -> None:
    (alone, parallel), devices = said["gpus"]
    flat = [
        (a, b)
        for one, two in zip(alone[:2], parallel[:2], strict=True)
        for a, b in zip(flattened(one), flattened(two), strict=True)
    ]
    assert len(flat) == 3 + 1 + 10
    for one, two in flat:  # float32: the gradient is summed in two parts
        assert one == pytest.approx(two, rel=1e-5, abs=1e-6)
    assert alone[2] == parallel[2] == ["out"]
    assert devices == ["", "/device:GPU:1"]  # "": constants


def flattened(values: Any) -> list[float]:
    return [v for part in values for v in flattened(part)] if isinstance(values, list) else [values]


def test_what_is_missing_says_so(said: dict[str, Any]) -> None:
    errors = said["errors"]
    for name in ("keras.utils.HDF5Matrix", "keras.wrappers", "data.experimental.StatsAggregator"):
        assert errors[name].startswith(f"tf.{name} is not emulated by the legacy runtime")
    assert "has no attribute 'nothing'" in errors["keras.nothing"]
    assert errors["getargspec"].startswith("Function has keyword-only parameters")
    # Texts of TensorFlow 1.15's multi_gpu_utils.py.
    assert errors["one GPU"] == (
        "For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. "
        "Received: `gpus=1`"
    )
    assert errors["no GPUs"].startswith(
        "To call `multi_gpu_model` with `gpus=[0, 3]`, we expect the following devices to be "
        "available: ['/cpu:0', '/gpu:0', '/gpu:3']. However this machine only has: ['/cpu:0'"
    )
    assert said["devices"][0] == "/job:localhost/replica:0/task:0/device:CPU:0"


def test_nothing_is_said_that_1_15_did_not_say(ran: subprocess.CompletedProcess[str]) -> None:
    assert "disable_resource_variables" not in ran.stderr
    assert "UserWarning" not in ran.stderr


def test_images_are_cut_and_flipped_as_they_were(said: dict[str, Any]) -> None:
    assert said["images"] == [[6, 10], [3, 3]]


def test_only_warnings_of_tensorflow_itself_are_silenced() -> None:
    logger = logging.Logger("tensorflow")
    heard: list[str] = []
    logger.addFilter(quiet.is_of_the_program)
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.warning("From %s: _colocate_with (from ops) is deprecated", "x.py")
    logger.warning("From %s: to_float (from math_ops) is deprecated", "x.py")
    logger.info("_colocate_with (from the program)")
    assert heard == [
        "From x.py: to_float (from math_ops) is deprecated",
        "_colocate_with (from the program)",
    ]


def test_imp_loads_a_file_as_python_3_7_did(tmp_path: Path) -> None:
    source = tmp_path / "settings.txt"
    source.write_text("value = __name__\n")
    try:
        module = imp.load_source("settings_of_a_test", str(source))
        assert module.value == "settings_of_a_test"
        assert sys.modules["settings_of_a_test"] is module
    finally:
        sys.modules.pop("settings_of_a_test", None)
    assert imp.new_module("other").__name__ == "other"
    assert "other" not in sys.modules

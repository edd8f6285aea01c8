"""Input functions made of queues feed the runtime's Estimator as they did TensorFlow 1.15's."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import queue_input_cases
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator

_RECORDED = Path(__file__).with_name("queue_inputs_of_tensorflow_1_15.json")
_REFERENCE = os.environ.get("TFMIGRATE_REFERENCE_PYTHON")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("queues")
    queue_input_cases.write_files(tf, path)
    return path


def _recorded(name: str) -> Any:
    expected = json.loads(_RECORDED.read_text())[name]
    # float32 sums of another TensorFlow, over six steps.
    return {key: pytest.approx(value, abs=1e-5) for key, value in expected.items()}


@pytest.mark.parametrize("name", queue_input_cases.NAMES)
def test_they_feed_one_device(name: str, folder: Path) -> None:
    assert queue_input_cases.computed(tf, estimator, name, folder) == _recorded(name)


@pytest.mark.parametrize("name", ["records", "joined"])
def test_they_feed_replicas_that_split_a_batch(name: str, folder: Path) -> None:
    strategy = tf.distribute.MirroredStrategy(
        ["/cpu:0", "/cpu:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
    )
    config = estimator.RunConfig(
        train_distribute=strategy, eval_distribute=strategy, global_batch=True
    )
    assert queue_input_cases.computed(tf, estimator, name, folder, config) == _recorded(name)


@pytest.mark.reference
@pytest.mark.skipif(not _REFERENCE, reason="TFMIGRATE_REFERENCE_PYTHON is not set")
def test_recorded_numbers_are_those_of_tensorflow_1_15(tmp_path: Path) -> None:
    path = tmp_path / "recorded.json"
    subprocess.run([str(_REFERENCE), queue_input_cases.__file__, str(path)], check=True)
    for name, found in json.loads(path.read_text()).items():
        assert found == _recorded(name)

"""Every construct computes on one device and on two replicas what TensorFlow 1.15 computed.

The traces are of scripts/record/record_constructs.py.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import construct_library
import construct_programs
import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator, layers, slim
from tfmigrate_runtime.verify.recorder import record

# Two devices to make a strategy of, on any machine: TensorFlow sees one CPU device by default.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

TRACES = Path(__file__).parent / "traces"

# Twelve float32 steps with the kernels of another version, and with sums in another order.
TOLERANCE = 1e-5
# N updates in any order have one mean only to first order (semantics.md, 1.11).
MOVING_AVERAGES = 5e-3
# AdagradDA computes a weight anew from sums over all steps, by differences of close numbers.
LOOSE = {"optimizer_adagrad_da": 5e-5}


@pytest.fixture(scope="module", autouse=True)
def pinned_randomness() -> Iterator[None]:
    """Draws initial values as the recording did."""
    from tensorflow.python.data.experimental.ops import shuffle_ops
    from tensorflow.python.framework import random_seed
    from tf_keras.src import backend

    patched = [
        (random_seed, "get_seed"),
        (shuffle_ops, "_ShuffleAndRepeatDataset"),
        (backend.RandomGenerator, "_set_rng_type"),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name in patched]
    state = np.random.get_state()
    record.PinnedRandomness(record.import_tensorflow()[1]).install()
    yield
    np.random.set_state(state)
    for owner, name, value in before:
        setattr(owner, name, value)


def run(name: str, replicas: int, folder: Path) -> dict[str, Any]:
    strategy = None
    if replicas > 1:
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])

    def make_estimator(model_fn: Any, model_dir: str) -> Any:
        config = estimator.RunConfig(
            train_distribute=strategy, eval_distribute=strategy, global_batch=True
        )
        return estimator.Estimator(model_fn, model_dir, config)

    library = construct_library.Library(
        estimator=estimator,
        wrap=lambda optimizer: optimizer,
        slim=slim,
        layers=layers,
        folder=str(folder),
    )
    arrays: dict[str, Any] = construct_library.run(
        library,
        make_estimator,
        construct_programs.CONSTRUCTS[name],
        construct_programs.INPUTS.get(name),
        name in construct_programs.EVALUATED,
    )
    return arrays


def differences(name: str, replicas: int, folder: Path) -> dict[str, float]:
    """Returns the largest relative difference of every array, by its name."""
    towers = 1 if name in construct_programs.ONE_TOWER_IS_THE_MEASURE else replicas
    arrays = run(name, replicas, folder)
    found = {}
    with np.load(TRACES / f"{name}-{towers}.npz", allow_pickle=False) as expected:
        assert set(expected) == set(arrays)
        for key in expected:
            assert arrays[key].shape == expected[key].shape, key
            scale = np.maximum(1.0, np.abs(expected[key]))
            found[key] = float(np.max(np.abs(arrays[key] - expected[key]) / scale))
    return found


def tolerance(name: str, keys: Collection[str], key: str, replicas: int) -> float:
    """Returns the tolerance of an array of a construct."""
    averages = any("/moving_" in other for other in keys)
    by_averages = "/moving_" in key or (averages and key.startswith("metric/"))
    return MOVING_AVERAGES if replicas > 1 and by_averages else LOOSE.get(name, TOLERANCE)


@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("name", construct_programs.CONSTRUCTS)
def test_computes_what_tensorflow_1_computed(name: str, replicas: int, tmp_path: Path) -> None:
    found = differences(name, replicas, tmp_path)
    print(name, replicas, max(found.values()), file=sys.stderr)
    wrong = {key: d for key, d in found.items() if not d <= tolerance(name, found, key, replicas)}
    assert not wrong

"""Which variables of a model get which values of a checkpoint, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from original_checkpoints import write_graph

from tfmigrate_runtime.checkpoint import tensors
from tfmigrate_runtime.checkpoint.paired import PairedProgram
from tfmigrate_runtime.checkpoint.targets import KerasModel
from tfmigrate_runtime.checkpoint.tensors import Checkpoint
from tfmigrate_runtime.verify.map_file import Entry, Layout, RefusedError

Values = dict[str, Any]
SGD = keras.optimizers.SGD


def model_of(optimizer: Any, *names: str, units: int = 3) -> keras.Model:
    inputs = net = keras.Input((3,))
    for name in names:
        net = keras.layers.Dense(units, use_bias=False, name=name)(net)
    model = keras.Model(inputs, net)
    model.compile(optimizer, "mse")
    return model


def checkpoint(folder: Path, values: Values, trainable: tuple[str, ...]) -> Checkpoint:
    path = folder / "model.ckpt-7"
    values = {**values, "global_step": np.int64(7)}
    tensors.write(str(path), values)
    forms = [{"name": name, "trainable": name in trainable} for name in values]
    write_graph(path, forms)
    return Checkpoint(str(folder))


def kernel(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, 3)).astype(np.float32)


def paired(
    model: Any, found: Checkpoint, given: Any = None, in_order: bool = False
) -> PairedProgram:
    target = KerasModel(model)
    options = given or {}, "map.json", in_order
    return PairedProgram(target.program(), target.holds, found, *options)


TWO = {"a/dense/kernel": kernel(1), "b/dense/kernel": kernel(2)}


def test_variables_with_ambiguous_names_are_named(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, TWO, tuple(TWO))
    model = model_of(SGD(0.1), "dense", "dense_1")
    with pytest.raises(RefusedError) as refused:
        paired(model, found)
    assert str(refused.value) == (
        "a/dense/kernel, b/dense/kernel of the checkpoint may be any of dense/kernel, "
        "dense_1/kernel of the model: they have the same shape, and their names are ambiguous. "
        "Pass --map FILE, JSON such as "
        '{"a/dense/kernel": "dense/kernel"}, or --in-order if the program creates them in the same '
        "order"
    )


def test_the_order_of_creation_is_taken_on_request(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, TWO, tuple(TWO))
    model = model_of(SGD(0.1), "dense", "dense_1")
    paired(model, found, in_order=True).load()
    for variable, value in zip(model.trainable_variables, TWO.values(), strict=True):
        np.testing.assert_array_equal(variable.numpy(), value)
    assert int(model.optimizer.iterations.numpy()) == 7


def test_a_map_tells_them_apart(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, TWO, tuple(TWO))
    model = model_of(SGD(0.1), "dense", "dense_1")
    given = {
        "a/dense/kernel": Entry("dense_1/kernel", Layout()),
        "b/dense/kernel": Entry("dense/kernel", Layout()),
    }
    paired(model, found, given).load()
    first, second = TWO.values()
    np.testing.assert_array_equal(model.layers[1].kernel.numpy(), second)
    np.testing.assert_array_equal(model.layers[2].kernel.numpy(), first)


def test_momentum_of_keras_has_the_learning_rate(tmp_path: Path) -> None:
    values = {"dense/kernel": kernel(1), "dense/kernel/Momentum": kernel(2)}
    found = checkpoint(tmp_path, values, ("dense/kernel",))
    model = model_of(SGD(0.125, momentum=0.9), "dense")
    whole = paired(model, found)
    whole.load()
    np.testing.assert_array_equal(model.optimizer.momentums[0].numpy(), kernel(2) * -0.125)
    np.testing.assert_array_equal(whole.values()["dense/kernel/Momentum"], kernel(2))


def test_momentum_with_a_changing_learning_rate_is_refused(tmp_path: Path) -> None:
    values = {"dense/kernel": kernel(1), "dense/kernel/Momentum": kernel(2)}
    found = checkpoint(tmp_path, values, ("dense/kernel",))
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    with pytest.raises(RefusedError, match="learning rates of past steps"):
        paired(model_of(SGD(rate, momentum=0.9), "dense"), found).load()


def adam_checkpoint(folder: Path, power: float) -> Checkpoint:
    values = {
        "dense/kernel": kernel(1),
        "beta1_power": np.float32(0.9**8),
        "beta2_power": np.float32(power),
        "dense/kernel/Adam": kernel(2),
        "dense/kernel/Adam_1": kernel(3),
    }
    return checkpoint(folder, values, ("dense/kernel",))


def test_slots_of_adam_are_told_apart_by_their_order(tmp_path: Path) -> None:
    model = model_of(keras.optimizers.Adam(0.1), "dense")
    whole = paired(model, adam_checkpoint(tmp_path, 0.999**8))
    whole.load()
    names = {v.path.rpartition("_")[2]: v.numpy() for v in model.optimizer.variables}
    np.testing.assert_array_equal(names["momentum"], kernel(2))
    np.testing.assert_array_equal(names["velocity"], kernel(3))
    assert whole.values()["beta1_power"] == pytest.approx(0.9**8, rel=1e-6)


def test_a_power_of_another_step_is_refused(tmp_path: Path) -> None:
    model = model_of(keras.optimizers.Adam(0.1), "dense")
    with pytest.raises(RefusedError, match="beta2_power is that of step 3, but global_step is 7"):
        paired(model, adam_checkpoint(tmp_path, 0.999**4)).load()


def test_a_slot_that_the_checkpoint_lacks_is_refused(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, {"dense/kernel": kernel(1)}, ("dense/kernel",))
    with pytest.raises(RefusedError, match=r"no counterpart of adam_?.*/dense_kernel_momentum"):
        paired(model_of(keras.optimizers.Adam(0.1), "dense"), found)


def test_a_variable_that_the_model_lacks_is_refused(tmp_path: Path) -> None:
    values = {"dense/kernel": kernel(1), "other/kernel": np.zeros([2], np.float32)}
    found = checkpoint(tmp_path, values, tuple(values))
    model = model_of(SGD(0.1), "dense")
    with pytest.raises(RefusedError, match="the model has no counterpart of other/kernel"):
        paired(model, found)
    paired(model, found, {"other/kernel": Entry(None, Layout())}).load()


def test_averages_that_the_model_lacks_are_kept_on_the_way_back(tmp_path: Path) -> None:
    average = "dense/kernel/ExponentialMovingAverage"
    values = {"dense/kernel": kernel(1), average: kernel(2)}
    found = checkpoint(tmp_path, values, ("dense/kernel",))
    whole = paired(model_of(SGD(0.1), "dense"), found)
    assert whole.left_out == [average]
    np.testing.assert_array_equal(whole.values()[average], kernel(2))


def test_other_shapes_are_refused(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, {"dense/kernel": kernel(1)}, ("dense/kernel",))
    with pytest.raises(RefusedError, match="no counterpart of dense/kernel of the model"):
        paired(model_of(SGD(0.1), "dense", units=4), found)


def test_a_checkpoint_without_its_list_of_variables_is_refused(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, TWO, tuple(TWO))
    Path(f"{found.path}.meta").unlink()
    with pytest.raises(RefusedError, match="It lists the variables"):
        Checkpoint(str(tmp_path))


def test_a_folder_without_a_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"no checkpoint"):
        Checkpoint(str(tmp_path))

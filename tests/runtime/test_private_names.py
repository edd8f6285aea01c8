"""The private names of TensorFlow in the tables of ``replicas`` and ``devices`` are there."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from runtime_support import two_cpus

from tfmigrate_runtime.compat import moving_averages
from tfmigrate_runtime.estimator import devices, replicas


def test_names_of_strategies() -> None:
    strategy = two_cpus()
    assert hasattr(strategy, "_scale_loss_for_estimator_enabled")
    # Without a choice of its own a strategy reduces by its collective operations.
    assert strategy.extended._cross_device_ops is strategy.extended._collective_ops
    devices.prepare(strategy)
    assert isinstance(strategy.extended._cross_device_ops, tf.distribute.ReductionToOneDevice)


class _Gpus:
    """Physical GPUs, of which each is split into some logical ones, for ``tf.config``."""

    def __init__(self, *parts: int) -> None:
        self.parts = parts

    def list_physical_devices(self, kind: str) -> list[int]:
        return list(range(len(self.parts))) if kind == "GPU" else []

    def list_logical_devices(self, kind: str) -> list[int]:
        return list(range(sum(self.parts)))

    def get_logical_device_configuration(self, gpu: int) -> Any:
        limit = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
        return [limit] * self.parts[gpu] if self.parts[gpu] > 1 else None

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("list_physical_devices", "list_logical_devices"):
            monkeypatch.setattr(tf.config, name, getattr(self, name))
        name = "get_logical_device_configuration"
        monkeypatch.setattr(tf.config, name, getattr(self, name))


@pytest.mark.parametrize(
    "parts, devices_of_replicas, nccl",
    [
        ((1, 1), ["GPU:0", "GPU:1"], True),
        ((2,), ["GPU:0", "GPU:1"], False),
        ((2, 2), ["GPU:0", "GPU:1", "GPU:2"], False),
        ((2, 2), ["GPU:1", "GPU:2"], True),
        ((1,), ["GPU:0", "CPU:0"], False),
    ],
)
def test_the_reduction_suits_the_gpus(
    monkeypatch: pytest.MonkeyPatch,
    parts: tuple[int, ...],
    devices_of_replicas: list[str],
    nccl: bool,
) -> None:
    class Extended:
        worker_devices = tuple(f"/device:{name}" for name in devices_of_replicas)
        _collective_ops = _cross_device_ops = object()

    class Strategy:
        extended = Extended()
        num_replicas_in_sync = len(devices_of_replicas)

    _Gpus(*parts).use(monkeypatch)
    strategy = Strategy()
    devices.prepare(strategy)
    kind = tf.distribute.NcclAllReduce if nccl else tf.distribute.ReductionToOneDevice
    assert type(strategy.extended._cross_device_ops) is kind


def test_sessions_know_how_gpus_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    def limits(given: Any = None) -> list[list[float]]:
        config = devices.session_config(given, [None])
        devices_of = config.gpu_options.experimental.virtual_devices
        return [list(of_one.memory_limit_mb) for of_one in devices_of]

    _Gpus(1, 1).use(monkeypatch)
    assert limits() == []
    _Gpus(1, 2).use(monkeypatch)
    assert limits() == [[], [1024, 1024]]
    given = tf.ConfigProto()
    given.gpu_options.experimental.virtual_devices.add(memory_limit_mb=[7])
    assert limits(given) == [[7]], "what the program says is kept"


def test_a_reduction_that_was_chosen_is_kept() -> None:
    chosen = tf.distribute.HierarchicalCopyAllReduce()
    strategy = tf.distribute.MirroredStrategy(
        ["/device:CPU:0", "/device:CPU:1"], cross_device_ops=chosen
    )
    devices.prepare(strategy)
    assert strategy.extended._cross_device_ops is chosen


def test_sessions_have_a_device_for_every_replica_where_the_reduction_needs_it() -> None:
    default = two_cpus()
    devices.prepare(default)
    chosen = tf.distribute.MirroredStrategy(
        ["/device:CPU:0", "/device:CPU:1"],
        cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(),
    )
    devices.prepare(chosen)

    def count(given: Any, strategy: Any) -> int:
        return int(devices.session_config(given, [None, strategy]).device_count["CPU"])

    assert (count(None, default), count(None, chosen)) == (1, 2)
    # Without soft placement the second replica's operations could not be run on the first device.
    assert count(tf.ConfigProto(), default) == 2
    assert count(tf.ConfigProto(device_count={"CPU": 4}), chosen) == 4


def test_losses_note_their_reduction_and_optimizers_that_they_scaled_one() -> None:
    plain = tf.Graph()
    assert plain._last_loss_reduction is None
    assert plain._is_loss_scaled_by_optimizer is False
    with plain.as_default():
        tf.losses.mean_squared_error(tf.zeros([2]), tf.ones([2]), reduction="weighted_sum")
    assert plain._last_loss_reduction == tf.losses.Reduction.SUM
    fixed = replicas.ReplicaGraph(tf.losses.Reduction.MEAN)
    with fixed.as_default():
        tf.losses.mean_squared_error(tf.zeros([2]), tf.ones([2]), reduction="weighted_sum")
    assert fixed._last_loss_reduction == tf.losses.Reduction.MEAN


def test_names_of_layers_and_hooks(tmp_path: Any) -> None:
    layer = tf.layers.BatchNormalization
    before = layer._assign_moving_average
    with moving_averages.moving_averages_of_towers(2):
        assert layer._assign_moving_average is not before
    assert layer._assign_moving_average is before
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
    assert hook._listeners == []


def test_names_of_savers_optimizers_and_graphs() -> None:
    assert callable(tf.train.Optimizer._distributed_apply)
    assert callable(tf.Graph._colocate_with_for_gradient)
    with tf.Graph().as_default():
        with two_cpus().scope():
            variable = tf.get_variable("v", [2])
        (saveable,) = variable._gather_saveables_for_checkpoint().values()
        assert saveable("other").name == "other"
        assert tf.train.Saver([variable], max_to_keep=1)._var_list == [variable]

"""tfmigrate_runtime.distribute: names and numbers of tf.contrib.distribute.

The numbers are those of TensorFlow 1.15.5, of ``distribute_dataset``, ``call_for_each_tower`` and
``reduce`` with a VariableAggregation those of 1.12.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import runtime_support  # noqa: F401 - it gives the process its two CPUs
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import distribute, estimator

FLOAT32 = 1e-6  # one operation or two on numbers near 1
CPUS = ["/cpu:0", "/cpu:1"]


def two_cpus() -> Any:
    return tf.ConfigProto(device_count={"CPU": 2})


def batches() -> Any:
    return tf.data.Dataset.range(12).batch(2)


@pytest.fixture
def strategy() -> Iterator[Any]:
    with tf.Graph().as_default():
        made = distribute.MirroredStrategy(CPUS)
        with made.scope():
            yield made


def loss_of(variable: Any, x: Any) -> Any:
    return variable * tf.reduce_mean(tf.cast(x, tf.float32))


def test_each_replica_gets_a_batch_of_its_own(strategy: Any) -> None:
    iterator = strategy.make_dataset_iterator(batches())
    variable = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def step(x: Any) -> Any:
        loss = loss_of(variable, x)
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return tf.identity(loss), tf.identity(x)

    losses, seen = strategy.experimental_run(step, iterator)
    mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses)
    parts = strategy.unwrap(seen)
    with tf.Session(config=two_cpus()) as session:
        session.run(iterator.initialize())
        session.run(tf.global_variables_initializer())
        first, second = (session.run([mean, parts]) for _ in range(2))
        end = session.run(variable)
    assert [list(part) for part in (*first[1], *second[1])] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert first[0] == pytest.approx(0.0, abs=FLOAT32)
    assert second[0] == pytest.approx(-1.65, abs=FLOAT32)
    assert end == pytest.approx(-1.4, abs=FLOAT32)


def test_a_monitor_makes_steps_of_several_iterations(strategy: Any) -> None:
    variable = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    step = distribute.StandardSingleLossStep(
        batches,
        lambda context, x: loss_of(variable, x),
        tf.train.GradientDescentOptimizer(0.1),
        strategy,
        iterations_per_step=2,
    )
    with tf.Session(config=two_cpus()) as session:
        monitor = distribute.Monitor(step, session)
        monitor.run_steps(1)
        assert session.run(variable) == pytest.approx(-1.4, abs=FLOAT32)
        monitor.run_steps()  # ends with the input
        assert np.isfinite(session.run(variable))


def test_methods_of_tensorflow_1_12(strategy: Any) -> None:
    batch = strategy.distribute_dataset(batches).make_one_shot_iterator().get_next()
    whole = strategy.call_for_each_tower(lambda x: x + 0, batch, run_concurrently=False)
    floats = strategy.call_for_each_tower(lambda x: tf.to_float(x), batch)
    total = strategy.reduce(tf.VariableAggregation.SUM, whole, "/cpu:0")
    mean = strategy.reduce(tf.VariableAggregation.MEAN, floats, destinations="/cpu:0")
    first = strategy.reduce(tf.VariableAggregation.ONLY_FIRST_REPLICA, whole, "/cpu:0")
    fetched = [strategy.unwrap(value) for value in (whole, total, mean, first)]
    with tf.Session(config=two_cpus()) as session:
        one = session.run(fetched)
        two = session.run(fetched[:2])
    assert [x.tolist() for x in one[0]] == [[0, 1], [2, 3]]
    assert one[1][0].tolist() == [2, 4]
    assert one[2][0].tolist() == [1, 2]
    assert one[3][0].tolist() == [0, 1]
    assert [x.tolist() for x in two[0]] == [[4, 5], [6, 7]]
    assert two[1][0].tolist() == [10, 12]
    assert strategy.num_towers == 2
    assert not strategy.is_single_tower
    assert len(strategy.worker_devices) == len(strategy.parameter_devices) == 2
    assert strategy.initialize() == strategy.finalize() == []


def test_an_initializable_iterator_and_experimental_run_v2(strategy: Any) -> None:
    iterator = strategy.distribute_dataset(batches).make_initializable_iterator()
    doubled = strategy.experimental_run_v2(lambda x: 2 * x, args=(iterator.get_next(),))
    with tf.Session(config=two_cpus()) as session:
        session.run(iterator.initializer)
        assert [x.tolist() for x in session.run(strategy.unwrap(doubled))] == [[0, 2], [4, 6]]


def test_contexts(strategy: Any) -> None:
    assert distribute.get_cross_tower_context() is strategy
    assert distribute.has_distribution_strategy()

    def in_replica() -> Any:
        context = distribute.get_tower_context()
        distribute.require_tower_context(context)
        assert distribute.get_cross_replica_context() is None
        return tf.constant(0)

    strategy.call_for_each_tower(in_replica)
    with pytest.raises(RuntimeError, match="replica context"):
        distribute.require_replica_context(object())


def test_devices_of_strategies() -> None:
    for arguments in ({"num_gpus": 0}, {"num_gpus_per_worker": 0}, {"devices": ["/cpu:0"]}):
        made = distribute.MirroredStrategy(**arguments)  # type: ignore[arg-type]
        assert [d[-5:] for d in made.extended.worker_devices] == ["CPU:0"]
    assert distribute.OneDeviceStrategy("/cpu:0").worker_devices[0].endswith("CPU:0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_gpus": 1, "num_gpus_per_worker": 1}, "num_gpus_per_worker"),
        ({"num_gpus": 1, "devices": ["/cpu:0"]}, "one of `devices`"),
        ({"num_gpus": 99}, r"GPU:98, but TensorFlow finds \d+ GPU"),
        (
            {"cross_device_ops": tf.distribute.ReductionToOneDevice()}
            | {"cross_tower_ops": tf.distribute.ReductionToOneDevice()},
            "pass one of them",
        ),
    ],
)
def test_what_contradicts_itself(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        distribute.MirroredStrategy(**arguments)


def test_reductions() -> None:
    nccl = distribute.AllReduceCrossTowerOps("nccl", num_packs=2)
    assert isinstance(nccl, tf.distribute.NcclAllReduce)
    copied = distribute.AllReduceCrossDeviceOps("hierarchical_copy", 1, 10, 10)
    assert isinstance(copied, tf.distribute.HierarchicalCopyAllReduce)
    with pytest.raises(ValueError, match="pscpu"):
        distribute.AllReduceCrossDeviceOps("pscpu")
    made = distribute.MirroredStrategy(["/cpu:0"], cross_tower_ops=copied)
    assert made.extended._cross_device_ops is copied


@pytest.mark.parametrize("kind", ["get_variable", "layers", "added"])
def test_regularisers_give_gradients_on_the_first_replica_only(tmp_path: Path, kind: str) -> None:
    """As on TensorFlow 1.15.5: half of the decay under two replicas, a loss that was added whole.

    One step with rate 1 on a loss of 0.5 * w^2 + 0 * w with w = 1.
    """

    def penalty(w: Any) -> Any:
        return 0.5 * tf.reduce_sum(w * w)

    def model_fn(features: Any, mode: str) -> Any:
        ones = tf.ones_initializer()
        if kind == "layers":
            layer = tf.layers.Dense(1, kernel_initializer=ones, kernel_regularizer=penalty)
            layer(features)
            w = layer.kernel
        else:
            regularizer = penalty if kind == "get_variable" else None
            w = tf.get_variable("w", [1], initializer=ones, regularizer=regularizer)
            if kind == "added":
                tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, penalty(w))
        loss = tf.losses.get_regularization_loss() + 0.0 * tf.reduce_sum(w)
        tf.losses.mean_squared_error([0.0], [0.0])  # its reduction makes optimizers scale by 1/N
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    config = estimator.RunConfig(train_distribute=distribute.MirroredStrategy(CPUS))
    trained = estimator.Estimator(model_fn, str(tmp_path), config=config)
    trained.train(lambda: tf.data.Dataset.from_tensors(tf.ones([2, 1])).repeat(), steps=1)
    name = "dense/kernel" if kind == "layers" else "w"
    expected = 0.0 if kind == "added" else 0.5
    assert trained.get_variable_value(name).item() == pytest.approx(expected, abs=FLOAT32)


def test_a_standalone_client_is_refused() -> None:
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    config = distribute.DistributeConfig(strategy, None)
    made = estimator.RunConfig(experimental_distribute=config)
    assert made.train_distribute is strategy
    assert made.eval_distribute is None
    with pytest.raises(ValueError, match="remote_cluster"):
        estimator.RunConfig(
            experimental_distribute=distribute.DistributeConfig(
                strategy, remote_cluster={"worker": ["localhost:1"]}
            )
        )


def test_strategies_of_several_processes_without_a_cluster() -> None:
    with tf.Graph().as_default():
        for made in (
            distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=0),
            distribute.ParameterServerStrategy(),
        ):
            assert made.num_replicas_in_sync == 1


@pytest.mark.parametrize("name", ["TPUStrategy", "run_standard_tensorflow_server"])
def test_names_without_equivalent_say_what_to_use(name: str) -> None:
    with pytest.raises(AttributeError, match=r"has no equivalent.*use "):
        getattr(distribute, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = distribute.nothing


def test_total_loss_counts_the_losses_of_replicas_before(tmp_path: Path) -> None:
    """What TensorFlow 1.15.5 reported for this model, in training and in evaluation."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        output = tf.layers.dense(features, 1, kernel_initializer=tf.ones_initializer())
        tf.losses.mean_squared_error(labels, output)
        loss = tf.losses.get_total_loss()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def input_fn() -> Any:
        x = np.arange(40, dtype=np.float32).reshape(40, 1) / 20
        return tf.data.Dataset.from_tensor_slices((x, np.ones_like(x))).repeat().batch(4)

    strategy = distribute.MirroredStrategy(CPUS)
    config = estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy)
    trained = estimator.Estimator(model_fn, str(tmp_path), config=config)
    losses = LossesSeen()
    trained.train(input_fn, steps=4, hooks=[losses])
    expected = [1.1231251, 0.13583675, 0.08257222, 0.40950596]
    assert losses.seen == pytest.approx(expected, rel=FLOAT32)
    assert trained.get_variable_value("dense/kernel").item() == pytest.approx(
        0.8499813, rel=FLOAT32
    )
    found = trained.evaluate(input_fn, steps=2)
    assert found["loss"] == pytest.approx(0.6946802, rel=FLOAT32)


class LossesSeen(tf.train.SessionRunHook):  # type: ignore[misc]
    """Notes the loss that is reported."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def begin(self) -> None:
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(float(run_values.results))

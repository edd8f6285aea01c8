"""towers.run builds what the loop over towers built: names, scopes, variables, devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.training import moving_averages

from tfmigrate_runtime import slim, towers

TWO = ["/gpu:0", "/gpu:1"]


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph


def session() -> Any:
    one = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    one.run(tf.global_variables_initializer())
    return one


def kind(device: str) -> str:
    spec = tf.DeviceSpec.from_string(device)
    return f"{spec.device_type}:{spec.device_index}"


def test_replicas_are_on_their_devices_and_shared_variables_on_the_first() -> None:
    def tower(index: int) -> Any:
        with tf.variable_scope("model", reuse=index > 0):
            weight = tf.get_variable("w", [2])
        return index, weight, tf.identity(weight, name="read")

    found = towers.run(towers.central_storage_strategy(TWO), tower)
    assert [index for index, _, _ in found] == [0, 1]
    assert [read.device for _, _, read in found] == ["/device:GPU:0", "/device:GPU:1"]
    assert found[0][1] is found[1][1]
    assert found[0][1].device == "/device:GPU:0"
    assert [v.name for v in tf.global_variables()] == ["model/w:0"]


def test_the_device_of_variables_can_be_chosen() -> None:
    strategy = towers.central_storage_strategy(
        [tf.DeviceSpec(device_type="GPU", device_index=i) for i in range(2)], "/gpu:0"
    )
    (weight, _) = towers.run(strategy, lambda i: tf.get_variable(f"w{i}", [2]))
    assert weight.device == "/device:GPU:0"


def test_variables_are_where_a_tower_makes_them() -> None:
    # As in the same loop on TensorFlow 1.15.5.
    def tower(index: int) -> Any:
        with tf.variable_scope(f"tower_{index}"):
            own = tf.get_variable("own", [2])
        with tf.variable_scope("model", reuse=index > 0), tf.device("/cpu:0"):
            shared = tf.get_variable("w", [2])
        return own.device, shared.device, tf.gradients(own * shared, own)[0].device

    with tf.device("/job:local/cpu:0"):
        found = towers.run(towers.central_storage_strategy(TWO), tower)
    assert found == [
        (f"/job:local/device:GPU:{i}", "/job:local/device:CPU:0", f"/job:local/device:GPU:{i}")
        for i in range(2)
    ]


def test_a_device_keeps_the_task_that_it_names() -> None:
    strategy = towers.central_storage_strategy([f"/job:worker/task:1/gpu:{i}" for i in range(2)])
    with tf.device("/job:worker/task:0"):
        found = towers.run(strategy, lambda i: (tf.get_variable(f"w{i}", [2]), tf.constant(1)))
    assert [(weight.device, one.device) for weight, one in found] == [
        (f"/job:worker/task:1/device:GPU:{i}",) * 2 for i in range(2)
    ]


def test_towers_have_the_names_of_the_loop() -> None:
    def tower(index: int) -> tuple[str, str]:
        with tf.name_scope(f"tower_{index}") as scope:
            return scope, tf.constant(1.0, name="loss").name

    with tf.name_scope("train"):
        found = towers.run(towers.central_storage_strategy(TWO), tower)
    assert found == [
        ("train/tower_0/", "train/tower_0/loss:0"),
        ("train/tower_1/", "train/tower_1/loss:0"),
    ]


def test_reuse_variables_holds_for_the_next_towers_and_for_what_follows() -> None:
    def tower(index: int) -> Any:
        weight = tf.get_variable("w", [2])
        tf.get_variable_scope().reuse_variables()
        return weight

    with tf.variable_scope("model"):
        first, second = towers.run(towers.central_storage_strategy(TWO), tower)
        assert first is second is tf.get_variable("w", [2])
    with pytest.raises(ValueError, match="already exists"), tf.variable_scope("model"):
        tf.get_variable("w", [2])


def test_without_reuse_a_second_tower_fails_as_in_the_loop() -> None:
    with pytest.raises(ValueError, match="already exists"):
        towers.run(towers.central_storage_strategy(TWO), lambda i: tf.get_variable("w", [2]))


def test_variables_that_a_tower_makes_are_its_own() -> None:
    # The names are those of the same loop on TensorFlow 1.15.5.
    inputs = tf.ones([4, 3])

    def tower(index: int) -> None:
        with tf.name_scope(f"tower_{index}"):
            tf.Variable(0.0, name="steps")
            tf.layers.dense(inputs, 1)

    towers.run(towers.central_storage_strategy(TWO), tower)
    tf.layers.dense(inputs, 1)
    assert [v.op.name for v in tf.global_variables()] == [
        "tower_0/steps",
        "dense/kernel",
        "dense/bias",
        "tower_1/steps",
        "dense_1/kernel",
        "dense_1/bias",
        "dense_2/kernel",
        "dense_2/bias",
    ]


def test_assignments_are_those_of_one_tower() -> None:
    def tower(index: int) -> Any:
        with tf.variable_scope("model", reuse=index > 0):
            total = tf.get_variable("total", [], initializer=tf.zeros_initializer())
        return tf.assign_add(total, 10.0**index)

    first, last = towers.run(towers.central_storage_strategy(TWO), tower)
    with session() as one:
        assert one.run(last) == 10.0
        assert one.run(first) == 11.0


def test_every_tower_has_its_summaries() -> None:
    def tower(index: int) -> list[Any]:
        with tf.name_scope(f"tower_{index}") as scope:
            tf.summary.scalar("loss", float(index))
            found: list[Any] = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            return found

    (last,) = towers.run(towers.central_storage_strategy(TWO), tower)[-1]
    with session() as one:
        (value,) = tf.Summary.FromString(one.run(last)).value
    assert (value.tag, value.simple_value) == ("tower_1/loss", 1.0)


def test_values_in_the_place_of_numbers() -> None:
    strategy = towers.central_storage_strategy(TWO)
    assert towers.run(strategy, lambda pair: pair, enumerate("ab")) == [(0, "a"), (1, "b")]
    with pytest.raises(ValueError, match="2 replicas, but there are 3 values"):
        towers.run(strategy, lambda value: value, range(3))


def test_one_tower() -> None:
    strategy = towers.central_storage_strategy(["/gpu:0"])
    (weight,) = towers.run(strategy, lambda i: tf.get_variable("w", [2]))
    assert weight.device == "/device:GPU:0"


def test_no_tower() -> None:
    with pytest.raises(ValueError, match="devices is empty"):
        towers.central_storage_strategy([])


def test_an_error_of_a_tower_is_raised_and_leaves_nothing_behind() -> None:
    def tower(index: int) -> None:
        if index == 1:
            raise KeyError("of the second tower")

    with pytest.raises(KeyError, match="of the second tower"):
        towers.run(towers.central_storage_strategy(TWO), tower)
    assert not tf.distribute.has_strategy()
    tf.get_variable("w", [2])


def test_averaged_gradients_are_those_of_the_whole_batch() -> None:
    rng = np.random.RandomState(0)
    inputs, targets = rng.randn(8, 3).astype("f"), rng.randn(8, 1).astype("f")
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    tower_grads: list[Any] = []

    def tower(index: int) -> None:
        part = slice(index * 4, index * 4 + 4)
        with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
            weight = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(inputs[part], weight) - targets[part]))
        tower_grads.append(optimizer.compute_gradients(loss))

    towers.run(towers.central_storage_strategy(TWO), tower)
    ((first, weight),), ((second, _),) = tower_grads
    train = optimizer.apply_gradients([((first + second) / 2, weight)])
    expected = np.ones((3, 1))
    with session() as one:
        for _ in range(10):
            one.run(train)
            expected -= 0.1 * 2 / 8 * inputs.T @ (inputs @ expected - targets)
        # float32 against float64, ten steps.
        np.testing.assert_allclose(one.run(weight), expected, atol=1e-6)


def _slim_batch_norm(value: Any, index: int) -> Any:
    slim.batch_norm(tf.reshape(value, [1, 1]), decay=0.5, scope="n", reuse=index > 0)
    return tf.get_collection(tf.GraphKeys.UPDATE_OPS)[-2]  # the mean's; the variance's is the last


def _assigned_average(value: Any, index: int) -> Any:
    variable = tf.get_variable("n/moving_mean", [1], initializer=tf.zeros_initializer())
    return moving_averages.assign_moving_average(variable, value, 0.5, zero_debias=False)


def _exponential_average(value: Any, index: int) -> Any:
    variable = tf.get_variable("n/moving_mean", [1], initializer=tf.zeros_initializer())
    with tf.control_dependencies([variable.assign(value)]):
        return tf.train.ExponentialMovingAverage(0.5).apply([variable])


def _minimized(value: Any, index: int) -> Any:
    variable = tf.get_variable("n/moving_mean", [1], initializer=tf.zeros_initializer())
    return tf.train.GradientDescentOptimizer(0.5).minimize(-variable * value)


@pytest.mark.parametrize(
    ("build", "name", "expected"),
    [
        # Averages with a decay of 0.5 of 2, which the first tower saw, and then of the second's 4.
        (_slim_batch_norm, "n/moving_mean", [1.0, 2.5]),
        (_assigned_average, "n/moving_mean", [1.0, 2.5]),
        (_exponential_average, "n/moving_mean/ExponentialMovingAverage", [1.0, 2.5]),
        # Steps of half of each tower's own gradient.
        (_minimized, "n/moving_mean", [1.0, 3.0]),
    ],
)
def test_library_functions_update_variables_for_one_tower(
    build: Callable[[Any, int], Any], name: str, expected: list[float]
) -> None:
    def tower(index: int) -> Any:
        with tf.variable_scope(tf.get_variable_scope(), reuse=index > 0):
            return build(tf.constant([2.0 + 2 * index]), index)

    updates = towers.run(towers.central_storage_strategy(TWO), tower)
    values = []
    with session() as one:
        variable = next(v for v in tf.global_variables() if v.op.name == name)
        for update in updates:
            one.run(update)
            values.append(float(one.run(variable)[0]))
    assert values == expected


def test_metrics_count_what_one_tower_saw() -> None:
    def tower(index: int) -> Any:
        return tf.metrics.mean(tf.constant([2.0 + 2 * index]), name=f"mean_{index}")

    towers_means = towers.run(towers.central_storage_strategy(TWO), tower)
    with session() as one:
        one.run(tf.local_variables_initializer())
        one.run(towers_means[1][1])
        assert one.run(towers_means[1][0]) == 4.0


def test_towers_read_files_by_way_of_queues(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("".join(f"{n},{2 * n}\n" for n in range(8)))

    def tower(index: int) -> Any:
        names = tf.train.string_input_producer([str(path)], shuffle=False)
        _, line = tf.TextLineReader(name="lines").read(names)
        with tf.device(TWO[index]):
            _, content = tf.WholeFileReader().read(names)
        x, y = tf.decode_csv(line, [[0], [0]])
        return content, tf.train.batch([x, y], 4)

    found = towers.run(towers.central_storage_strategy(TWO), tower)
    assert [kind(batch[0].device) for _, batch in found] == ["GPU:0", "GPU:1"]
    with session() as one:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(one, coordinator)
        for content, batch in found:
            x, y = one.run(batch)
            np.testing.assert_array_equal(y, 2 * x)
            np.testing.assert_array_equal(x, np.arange(4))
            assert one.run(content).startswith(b"0,0")
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)


def test_a_copy_starts_at_the_initialized_value_of_a_variable() -> None:
    def tower(index: int) -> Any:
        with tf.variable_scope("", reuse=index > 0):
            weight = tf.get_variable("w", initializer=tf.random_normal([3], seed=1))
        with tf.variable_scope("", reuse=index > 0):
            return weight, tf.get_variable("copy", initializer=2 * weight.initialized_value())

    (weight, copy), _ = towers.run(towers.central_storage_strategy(TWO), tower)
    with session() as running:
        values, copied = running.run([weight, copy])
    np.testing.assert_array_equal(copied, 2 * values)

"""Runners: parts of a graph as functions of TensorFlow 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import graphs

X = np.arange(8, dtype=np.float32).reshape(4, 2)


class Linear:
    """A graph with a variable, a counter, a loss and a training operation."""

    def __init__(self, rate: float = 0.1) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 2], name="x")
            self.w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
            self.n = tf.get_variable("n", [], trainable=False, initializer=tf.zeros_initializer())
            self.out = tf.matmul(self.x, self.w)
            self.loss = tf.reduce_mean(tf.square(self.out - 1.0))
            self.step = tf.train.get_or_create_global_step()
            self.train = tf.train.AdamOptimizer(rate).minimize(self.loss, self.step)
            self.count = tf.assign_add(self.n, 1.0)
            self.init = tf.global_variables_initializer()


@pytest.fixture
def model() -> Iterator[Linear]:
    yield Linear()


def trained(session: Any, model: Linear, count: int = 5) -> list[float]:
    session.run(model.init)
    return [session.run([model.loss, model.train], {model.x: X})[0] for _ in range(count)]


def test_a_session_trains_the_same(model: Linear) -> None:
    with tf.Session(graph=model.graph) as session:
        expected = trained(session, model)
    with graphs.Runner(graph=model.graph) as runner:
        assert tf.executing_eagerly()
        # The same kernels in the same order: not a bit differs.
        assert trained(runner, model) == expected


def test_variables_have_no_value_before_they_are_initialized(model: Linear) -> None:
    runner = graphs.Runner(graph=model.graph)
    with pytest.raises(tf.errors.FailedPreconditionError):
        runner.run(model.w)
    runner.run(model.init)
    assert runner.run(model.w).tolist() == [[1.0], [1.0]]
    with pytest.raises(tf.errors.FailedPreconditionError):
        graphs.Runner(graph=model.graph).run(model.w)  # each has its own


def test_a_fetched_variable_has_the_value_after_the_step(model: Linear) -> None:
    runner = graphs.Runner(graph=model.graph)
    runner.run(model.init)
    assert [runner.run([model.train, model.step], {model.x: X})[1] for _ in range(3)] == [1, 2, 3]


def test_a_value_that_the_step_waits_for_is_the_one_before_it() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.get_variable("n", [], initializer=tf.zeros_initializer())
        before = n.read_value()
        with tf.control_dependencies([before]):
            count = tf.assign_add(n, 1.0)
        runner = graphs.Runner(graph=graph)
        runner.run(n.initializer)
        assert runner.run([count, before]) == [1.0, 0.0]


def test_functions_take_tensors_and_are_watched(model: Linear) -> None:
    runner = graphs.Runner(graph=model.graph)
    runner.run(model.init)
    loss = runner.function([model.x], model.loss)
    (w,) = runner.trainable_variables
    with tf2.GradientTape() as tape:
        value = loss(tf2.constant(X))
    gradient = tape.gradient(value, w)
    with tf2.GradientTape() as tape:
        expected = tf2.reduce_mean(tf2.square(tf2.matmul(X, w) - 1.0))
    # Sums of four rows in another order.
    np.testing.assert_allclose(gradient, tape.gradient(expected, w), rtol=1e-6)


def test_functions_are_called_in_a_tf_function(model: Linear) -> None:
    runner = graphs.Runner(graph=model.graph)
    expected = trained(graphs.Runner(graph=model.graph), model, 4)[-1]
    runner.run(model.init)
    step = runner.function([model.x], {"loss": model.loss, "train": model.train})

    @tf2.function
    def steps(x: Any) -> Any:
        loss = 0.0
        for _ in tf2.range(4):
            loss = step(x)["loss"]
        return loss

    assert steps(tf2.constant(X)).numpy() == expected
    assert runner.run(model.step) == 4


def test_keras_3_trains_what_is_behind_a_graph(model: Linear) -> None:
    import keras

    runner = graphs.Runner(graph=model.graph)
    runner.run(model.init)
    out = runner.function([model.x], model.out)
    head = keras.layers.Dense(1, kernel_initializer="ones")
    head.build((None, 1))
    with tf2.GradientTape() as tape:
        loss = tf2.reduce_mean(tf2.square(head(out(X)) - 1.0))
    variables = [*runner.trainable_variables, *(v.value for v in head.trainable_variables)]
    assert all(gradient is not None for gradient in tape.gradient(loss, variables))


def test_a_checkpoint_of_tensorflow_2(model: Linear, tmp_path: Path) -> None:
    runner = graphs.Runner(graph=model.graph)
    trained(runner, model)
    path = tf2.train.Checkpoint(variables=runner.variables).save(str(tmp_path / "new"))
    other = graphs.Runner(graph=model.graph)
    other.run(model.init)
    tf2.train.Checkpoint(variables=other.variables).restore(path).assert_consumed()
    assert np.array_equal(runner.run(model.w), other.run(model.w))


def test_a_saved_model(model: Linear, tmp_path: Path) -> None:
    runner = graphs.Runner(graph=model.graph)
    trained(runner, model)
    module = tf2.Module()
    module.variables_of_graph = runner.variables
    predict = runner.function([model.x], model.out)
    module.predict = tf2.function(predict, input_signature=[tf2.TensorSpec([None, 2])])
    tf2.saved_model.save(module, str(tmp_path))
    loaded = tf2.saved_model.load(str(tmp_path))
    assert np.array_equal(loaded.predict(X), runner.run(model.out, {model.x: X}))


def test_a_saver_reads_and_writes_the_checkpoints_of_sessions(
    model: Linear, tmp_path: Path
) -> None:
    with model.graph.as_default():
        saver = tf.train.Saver()
    runner = graphs.Runner(graph=model.graph)
    trained(runner, model)
    path = saver.save(runner, str(tmp_path / "model"), global_step=model.step)
    assert path.endswith("model-5")
    with tf.Session(graph=model.graph) as session:
        saver.restore(session, path)
        assert np.array_equal(session.run(model.w), runner.run(model.w))
        trained(session, model, 2)
        path = saver.save(session, str(tmp_path / "session"))
        expected = session.run(model.w)
    saver.restore(runner, path)
    assert np.array_equal(runner.run(model.w), expected)


def test_run_metadata(model: Linear) -> None:
    runner = graphs.Runner(graph=model.graph)
    runner.run(model.init)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    runner.run(model.train, {model.x: X}, options=options, run_metadata=metadata)
    assert metadata.partition_graphs


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"target": "grpc://localhost:2222"}, "make a graphs.Server first"),
        ({"graph": "graph"}, "must be a tf.Graph"),
        ({"config": "config"}, "must be a tf.ConfigProto"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        graphs.Runner(**arguments)


def test_what_functions_cannot_do(model: Linear) -> None:
    runner = graphs.Runner(graph=model.graph)
    with pytest.raises(NotImplementedError, match="separate calls of `run`"):
        runner.partial_run_setup([model.loss], [model.x])
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
        runner.run(model.loss)
    with model.graph.as_default():
        kept = tf.Variable(1.0, use_resource=False)
    with pytest.raises(tf.errors.UnimplementedError, match="use_resource=True"):
        runner.run(kept)
    runner.close()
    with pytest.raises(RuntimeError, match="closed"):
        runner.run(model.w)


def test_dimensions_are_those_of_each_generation() -> None:
    with tf.Graph().as_default():
        assert tf.placeholder(tf.float32, [None, 3]).shape[1].value == 3
        loop = tf.while_loop(lambda i: i < 2, lambda i: i + tf.zeros([3]).shape[0].value, [0])
        assert loop is not None
    assert tf2.zeros([2, 3]).shape[1] == 3
    assert isinstance(tf2.zeros([2, 3]).shape[1], int)

    @tf2.function
    def traced(x: Any) -> Any:
        assert isinstance(x.shape[1], int)
        return x

    traced(tf2.zeros([2, 3]))


def test_a_server_has_a_task_of_its_cluster() -> None:
    with pytest.raises(ValueError, match="no task worker 1"):
        graphs.Server({"worker": ["localhost:2222"]}, "worker", 1)


def test_an_error_is_said_before_the_queues_have_ended(capfd: pytest.CaptureFixture[str]) -> None:
    """TensorFlow gives their threads time to end, two minutes by default."""
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        queue = tf.FIFOQueue(1, [tf.int64])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(step)]))
        with pytest.raises(ValueError, match="no disk"), graphs.MonitoredRunner() as session:
            session.run(step)
            raise ValueError("no disk")
    found = capfd.readouterr().err
    assert "the session ends after ValueError: no disk; it waits for its queues" in found


def test_a_closed_queue_of_tokens_is_no_end_of_the_data() -> None:
    """TensorFlow took it for one: a worker whose chief had failed ended with exit code 0."""
    with tf.Graph().as_default():
        tokens = tf.FIFOQueue(1, [tf.int64], shared_name="sync_token_q")
        token, close = tokens.dequeue(), tokens.close()
        again = pytest.raises(RuntimeError, match="start this worker again")
        with again, graphs.MonitoredRunner() as session:
            session.run(close)
            session.run(token)
    with tf.Graph().as_default():
        rows = tf.FIFOQueue(1, [tf.int64])
        row, close = rows.dequeue(), rows.close()
        with graphs.MonitoredRunner() as session:
            session.run(close)
            session.run(row)


def test_memory_of_a_split_gpu_cannot_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(device: str, enable: bool) -> None:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")

    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: ["GPU:0"])
    monkeypatch.setattr(tf.config.experimental, "set_memory_growth", refuse)
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
    with graphs.Runner(graph=Linear().graph, config=config) as runner:
        assert runner is not None


def test_a_runner_has_the_gpus_of_the_visible_device_list(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[tuple[list[str], str]] = []
    graph = Linear().graph
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="2,0"))
    graphs.Runner(graph=graph, config=config)  # without GPUs it means nothing
    monkeypatch.setattr(
        tf.config, "list_physical_devices", lambda kind: ["gpu 0", "gpu 1", "gpu 2"]
    )
    monkeypatch.setattr(tf.config, "set_visible_devices", lambda *given: chosen.append(given))
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: [])
    graphs.Runner(graph=graph, config=config)
    assert chosen == [(["gpu 2", "gpu 0"], "GPU")]
    config.gpu_options.visible_device_list = "3"
    with pytest.raises(ValueError, match="'3': there are 3 GPUs"):
        graphs.Runner(graph=graph, config=config)

"""What one process can tell of a coordinator: results, parts of graphs, servers."""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.eager import context

from tfmigrate_runtime import coordinator
from tfmigrate_runtime.coordinator import cluster, eager, session, strategy
from tfmigrate_runtime.coordinator.graph_functions import function_of, part_of
from tfmigrate_runtime.train.graph_parts import GraphText


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    """Gives every test a graph of its own."""
    with tf.Graph().as_default() as made:
        yield made


def result(value: Any) -> coordinator.Result:
    return coordinator.Result(lambda: value, value.dtype, tf.TensorShape(value.shape))


def test_a_result_is_waited_for_once_and_where_it_is_looked_at() -> None:
    waits: list[int] = []

    def wait() -> np.float32:
        waits.append(1)
        return np.float32(1.5)

    found = coordinator.Result(wait, np.float32, tf.TensorShape([]))
    kept = [found]
    assert (waits, found.dtype) == ([], np.float32)
    assert float(kept[0]) == 1.5
    assert int(found) == 1
    assert waits == [1]


def test_a_scalar_result_is_a_number() -> None:
    found = result(np.float32(1.5))
    assert (f"{found:.2f}", str(found)) == ("1.50", "1.5")
    assert operator.mod("%.1f", found) == "1.5"
    assert round(found, 0) == 2.0
    assert (found + 1, 3 - found, found * found, -found) == (2.5, 1.5, 2.25, -1.5)
    assert found < 2
    assert found == 1.5
    assert not np.isnan(found)
    assert np.mean([found, result(np.float32(2.5))]) == 2.0
    assert bool(found)
    assert list(range(5))[result(np.int64(3))] == 3


def test_an_array_result_is_an_array() -> None:
    found = result(np.arange(6).reshape(2, 3))
    assert found.shape == (2, 3)
    assert found.sum() == 15
    assert (len(found), found[1, 2], [row.tolist() for row in found]) == (
        2,
        5,
        [[0, 1, 2], [3, 4, 5]],
    )
    np.testing.assert_array_equal(np.asarray(found, dtype=np.float32), [[0, 1, 2], [3, 4, 5]])


def model() -> tuple[tf.Tensor, tf.Variable, tf.Operation]:
    """Returns the loss, the step and the training of a small model."""
    strategy.parameter_server_strategy()
    x = tf.placeholder(tf.float32, [None], name="x")
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.square(x * w - 1))
    step = tf.train.get_or_create_global_step()
    return loss, step, tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


def test_a_part_holds_what_its_fetches_need_and_no_more(graph: tf.Graph) -> None:
    loss, step, train_op = model()
    x = graph.get_tensor_by_name("x:0")
    training = part_of([loss], [train_op], [x])
    assert training.trains
    assert training.increments(step) == [1]
    assert {op.name for op in training.resources} == {"w", "global_step"}
    evaluation = part_of([loss], [], [x])
    assert not evaluation.trains
    assert evaluation.increments(step) == []
    assert {op.name for op in evaluation.resources} == {"w"}
    # What is only before a fed tensor is not needed.
    assert not part_of([loss], [], [loss]).nodes


def test_increments_that_are_not_known(graph: tf.Graph) -> None:
    _, step, _ = model()
    assert part_of([], [step.initializer], []).increments(step) == [None]
    two = step.assign_add(2, read_value=False)
    assert part_of([], [two], []).increments(step) == [2]


def test_files_belong_to_the_coordinator() -> None:
    model()
    saver = tf.train.Saver()
    names = saver.as_saver_def()
    saving = part_of(
        [tf.get_default_graph().get_tensor_by_name(names.save_tensor_name)],
        [],
        [tf.get_default_graph().get_tensor_by_name(names.filename_tensor_name)],
    )
    assert saving.written_from
    assert not saving.read_from_files
    restore = tf.get_default_graph().get_operation_by_name(names.restore_op_name)
    assert part_of([], [restore], []).read_from_files


def test_a_call_without_a_feed_is_the_error_of_a_session() -> None:
    loss, _, _ = model()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must feed a value .*'x'"):
        part_of([loss], [], [])


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: tf.FIFOQueue(1, tf.float32).dequeue(), "an input queue"),
        (lambda: tf.py_func(lambda: 1.0, [], tf.float64), "a Python function"),
        (
            lambda: tf.data.make_one_shot_iterator(tf.data.Dataset.range(2)).get_next(),
            "a tf.data iterator",
        ),
    ],
)
def test_what_belongs_to_one_process_is_refused(make: object, reason: str) -> None:
    with pytest.raises(ValueError, match=f"{reason}.* any worker, so they cannot use it"):
        part_of([make()], [], [])  # type: ignore[operator]


def test_a_function_gives_what_a_session_gives(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:worker/task:3/device:CPU:0"):
        doubled = tf.identity(2 * x)
    with tf.device("/job:ps/task:1"):
        total = tf.reduce_sum(doubled)
    part = part_of([total, x], [], [x])
    with eager.eager_mode():
        function = function_of(part, GraphText(graph), lambda op: op)
        found = [t.numpy() for t in function(tf.constant([1.0, 2.0]))]
    assert found[0] == 6.0
    assert found[1].tolist() == [1.0, 2.0]


def test_variables_stay_on_the_servers_that_the_setter_chose() -> None:
    assert cluster.server_of("/job:ps/task:2/device:CPU:0") == "/job:ps/task:2/device:CPU:0"
    assert cluster.server_of("/job:ps/task:1") == "/job:ps/task:1/device:CPU:0"
    assert cluster.server_of("/job:worker/task:1") == "/job:ps/task:0/device:CPU:0"
    assert cluster.server_of("") == "/job:ps/task:0/device:CPU:0"


def test_the_strategy_places_as_the_setter_does() -> None:
    spec = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    placing = coordinator.parameter_server_strategy(cluster=spec)

    def replica_fn(count: int) -> list[str]:
        return [tf.get_variable(f"v{i}", []).device for i in range(count)]

    assert placing.run(replica_fn, args=(3,)) == [f"/job:ps/task:{i}" for i in (0, 1, 0)]
    with placing.scope():
        assert tf.zeros([]).device == "/job:worker"


def test_without_a_cluster_there_is_no_session() -> None:
    with pytest.raises(RuntimeError, match="not the coordinator of a cluster"):
        coordinator.Session()


def test_a_cluster_needs_servers_and_one_chief() -> None:
    with pytest.raises(ValueError, match="no job 'ps'"):
        cluster.Cluster(tf.train.ClusterSpec({"worker": ["127.0.0.1:1"]}))
    with pytest.raises(ValueError, match="one coordinator, task 0: there is no task 1"):
        coordinator.Server({"ps": ["a:1"], "worker": ["b:1"]}, job_name="chief", task_index=1)


class ALostValue:
    """The results of a step whose worker dies before the coordinator has them."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def fetch(self) -> list[Any]:
        assert tf.executing_eagerly(), "copying from a worker is an eager operation"
        self.failures -= 1
        if self.failures >= 0:
            raise tf.errors.UnavailableError(None, None, "recvmsg:Connection reset by peer")
        return [np.float32(1.5)]


def fetching(monkeypatch: pytest.MonkeyPatch, done: list[bool]) -> cluster.Cluster:
    """Returns a cluster of no servers; the coordinator answers ``done()`` from the list."""
    found = object.__new__(cluster.Cluster)
    found._waits = cluster.Waits("chief 0 (here:1)", {})
    found._coordinator = type("C", (), {"done": lambda self: done.pop(0)})()  # type: ignore[assignment]
    monkeypatch.setattr(cluster, "_BETWEEN_TRIES", 0)
    return found


def test_results_that_a_worker_took_along_are_those_of_its_repetition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not tf.executing_eagerly()
    assert fetching(monkeypatch, [False, True]).fetch(ALostValue(2)) == [1.5]
    # The step may have been repeated between the question and the answer, but not later.
    with pytest.raises(tf.errors.UnavailableError, match="reset by peer"):
        fetching(monkeypatch, [False, True]).fetch(ALostValue(3))


def test_only_new_threads_become_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "default_execution_mode", context.GRAPH_MODE)
    eager.let_new_threads_run_eagerly()
    modes: list[bool] = [tf.executing_eagerly()]
    thread = threading.Thread(target=lambda: modes.append(tf.executing_eagerly()))
    thread.start()
    thread.join()
    assert modes == [False, True]
    with eager.eager_mode():
        assert tf.executing_eagerly()


def test_the_number_of_steps_in_flight_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFMIGRATE_STEPS_IN_FLIGHT", raising=False)
    assert strategy.steps_in_flight() == 0
    monkeypatch.setenv("TFMIGRATE_STEPS_IN_FLIGHT", "3")
    assert strategy.steps_in_flight() == 3


@pytest.mark.parametrize("dtype", [tf.int64, tf.int32, tf.float32])
def test_the_step_may_be_any_variable_of_that_name(graph: tf.Graph, dtype: tf.DType) -> None:
    strategy.parameter_server_strategy()
    assert session.global_step_of(graph) is None
    tf.Variable(0, name="other")
    mine = tf.Variable(0, dtype=dtype, name="global_step", trainable=False)
    assert session.global_step_of(graph) is mine
    added = part_of([], [tf.assign_add(mine, 1).op], [])
    assert added.increments(mine) == [1]
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.Variable(0, name="counter"))
    assert session.global_step_of(graph).op.name == "counter"

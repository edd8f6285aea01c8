"""Replicas on one CPU share the copies of a variable that every step keeps equal, and no others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import batches, config, two_cpus, variables

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import devices, fused_steps, sparse_updates
from tfmigrate_runtime.estimator.shared_copies import SharedCopies

STEPS = 30
X = np.random.RandomState(1).normal(size=(64, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Returns a list of the names of the variables that were shared, by training."""
    seen: list[set[str]] = []

    def noted(operations: Any, given: Any) -> SharedCopies:
        found = SharedCopies(operations, given)
        seen.append({copies[0].op.name for copies in found.variables})
        return found

    monkeypatch.setattr(fused_steps, "SharedCopies", noted)
    return seen


class AtTheEnd(tf.train.SessionRunHook):  # type: ignore[misc]
    """Reads all copies of the weights at the end of training."""

    def begin(self) -> None:
        self._copies = tf.trainable_variables()[0].values

    def steps_without_me(self, global_step: int) -> int:
        return 1000

    def end(self, session: Any) -> None:
        self.values = session.run(list(self._copies))


def model(extra: Callable[[Any], Any] = lambda w: tf.no_op()) -> Callable[..., Any]:
    """Returns a model function; each replica runs ``extra(weights)`` in every step."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.1))
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], w))
        train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
        with tf.control_dependencies([train_op]):
            train_op = tf.group(extra(w))
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    return model_fn


def train(
    model_fn: Any, folder: Path, fused: bool = True, epochs: int | None = None, hooks: Any = ()
) -> dict[str, Any]:
    trained = estimator.Estimator(model_fn, folder, config(2, fused_steps=fused))
    steps = STEPS if epochs is None else None
    trained.train(batches({"x": X}, Y, 8, epochs), hooks=list(hooks), steps=steps)
    return dict(variables(trained))


@pytest.mark.parametrize("epochs", [None, 3])
def test_what_optimizers_write_is_shared_and_all_replicas_have_it_in_the_end(
    epochs: int | None, tmp_path: Path, shared: list[set[str]]
) -> None:
    hook = AtTheEnd()
    fused = train(model(), tmp_path / "fused", epochs=epochs, hooks=[hook])
    assert shared == [{"w", "w/Adam", "w/Adam_1", "beta1_power", "beta2_power", "global_step"}]
    assert fused["global_step"] == (STEPS if epochs is None else 24)
    single = train(model(), tmp_path / "single", fused=False, epochs=epochs)
    for name, value in fused.items():
        # Sums over two replicas may be added in either order.
        np.testing.assert_allclose(value, single[name], rtol=0, atol=1e-6, err_msg=name)
    np.testing.assert_array_equal(hook.values[0], hook.values[1])
    np.testing.assert_array_equal(hook.values[0], fused["w"])


def counter() -> Any:
    return tf.get_variable("own", [], initializer=tf.zeros_initializer(), trainable=False)


def add_one(w: Any) -> Any:
    return counter().assign_add(1.0)


def add_in_a_function(w: Any) -> Any:
    own = counter()
    return tf.cond(tf.reduce_sum(w) > -100, lambda: own.assign_add(1.0), lambda: own.read_value())


def add_in_a_loop(w: Any) -> Any:
    own = counter()
    return tf.while_loop(lambda i, _: i < 2, lambda i, _: (i + 1, own.assign_add(0.5)), [0, 0.0])[1]


def test_functions_that_only_read_do_not_prevent_it(tmp_path: Path, shared: list[set[str]]) -> None:
    def read(w: Any) -> Any:
        frozen = tf.get_variable("frozen", [3, 1], trainable=False)
        return tf.cond(tf.reduce_sum(w) > -100, lambda: w * frozen, lambda: 2 * w)

    train(model(read), tmp_path)
    assert "w" in shared[0]
    assert "frozen" not in shared[0], "nothing is saved by sharing it"


@pytest.mark.parametrize("extra", [add_one, add_in_a_function, add_in_a_loop])
def test_what_each_replica_writes_itself_is_not_written_twice(
    extra: Callable[[Any], Any], tmp_path: Path, shared: list[set[str]]
) -> None:
    fused = train(model(extra), tmp_path / "fused")
    assert fused["own"] == STEPS, "the first replica's own copy"
    assert shared[0] >= {"w", "w/Adam", "global_step"}


def test_copies_that_steps_make_differ_are_not_shared(
    tmp_path: Path, shared: list[set[str]]
) -> None:
    def shrink(w: Any) -> Any:
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return w.assign(w * tf.cast(1 - 0.01 * tf.cast(replica, tf.float32), tf.float32))

    values = []
    for fused in (False, True):
        hook = AtTheEnd()
        train(model(shrink), tmp_path / str(fused), fused, hooks=[hook])
        values.append(np.asarray(hook.values))
    assert "w" not in shared[-1]
    assert not np.allclose(values[0][0], values[0][1])
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-6)


def test_replicas_share_a_cpu_where_the_session_may_place_them_there() -> None:
    strategy = two_cpus()
    devices.prepare(strategy)
    soft = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": 2})
    assert devices.share_a_cpu(strategy, None)
    assert devices.share_a_cpu(strategy, soft)
    assert devices.session_config(soft, [strategy, None]).device_count["CPU"] == 1
    assert devices.session_config(soft, [None]).device_count["CPU"] == 2
    assert not devices.share_a_cpu(strategy, tf.ConfigProto())
    assert not devices.share_a_cpu(None, None)
    own = tf.distribute.HierarchicalCopyAllReduce()
    chosen = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], cross_device_ops=own)
    assert not devices.share_a_cpu(chosen, None)


def _tables(optimizer: Callable[[], Any], changed: bool) -> list[Any]:
    """Returns a table and its moments after steps with repeated rows."""
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.get_variable("t", initializer=np.linspace(-1, 1, 60).reshape(12, 5).astype("f"))
        rows = tf.placeholder(tf.int64, [None])
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, rows) - 0.3))
        with sparse_updates.adam_in_one_pass() if changed else contextlib.nullcontext():
            made = optimizer()
            step = made.minimize(loss)
        session.run(tf.global_variables_initializer())
        for seed in range(20):
            session.run(step, {rows: np.random.RandomState(seed).randint(0, 10, 7)})
        slots = [made.get_slot(table, name) for name in made.get_slot_names()]
        return list(session.run([table, *slots]))


class _OwnRows(tf.train.AdamOptimizer):  # type: ignore[misc]
    """An Adam of a program, which has its own way with rows."""

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        return scatter_add(var, indices, grad)


def test_adam_of_tables_in_one_pass_is_the_same() -> None:
    def adam() -> Any:
        return tf.train.AdamOptimizer(0.01)

    for value, wanted in zip(_tables(adam, True), _tables(adam, False), strict=True):
        # The moments, up to 2, are rounded once more or less in each of 20 steps.
        np.testing.assert_allclose(value, wanted, rtol=0, atol=1e-6)


def test_adam_of_a_program_keeps_its_own_way_with_rows() -> None:
    for value, wanted in zip(_tables(_OwnRows, True), _tables(_OwnRows, False), strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_lookups_read_rows_where_nothing_else_needs_the_whole_variable() -> None:
    with tf.Graph().as_default() as graph:
        table = tf.get_variable("t", [6, 2])

        def read() -> Any:
            return tf.raw_ops.ReadVariableOp(resource=table.handle, dtype=tf.float32)

        awaited, used, whole = read(), read(), read()
        for each in (awaited, used):
            tf.gather(each, [0, 1])
        tf.gather(whole, [0, 1], axis=1)
        with tf.control_dependencies([awaited]):
            tf.no_op()
        tf.square(used)
        assert sparse_updates.row_lookups(graph.get_operations()) == {}
        lone = tf.gather(read(), [0, 1], name="lone")
        lookups = sparse_updates.row_lookups(graph.get_operations())
        assert list(lookups) == ["lone"]
        nodes = {node.name: node for node in graph.as_graph_def().node}
        node = sparse_updates.gather_from_variable(nodes["lone"], nodes[lookups["lone"].name])
        assert (node.op, list(node.input)) == ("ResourceGather", ["t", lone.op.inputs[1].op.name])

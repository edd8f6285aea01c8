"""Several steps in one session.run are the same steps, and everybody sees what they saw."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from long_tail import long
from runtime_support import MODES, X, Y, batches, config, variables

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import fused_steps, training_loop

STEPS = 47
ROWS = np.random.RandomState(1)
FEATURES = ROWS.normal(size=(64, 3)).astype(np.float32)
LABELS = FEATURES.sum(1, keepdims=True)


class EveryStep(tf.train.SessionRunHook):  # type: ignore[misc]
    """A hook that nobody knows: it must see every step."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(tf.train.get_global_step())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps.append(1)


def spec(mode: str, labels: Any, output: Any, optimizer: Any = None) -> Any:
    loss = tf.losses.mean_squared_error(labels, output)
    tf.summary.scalar("my_loss", loss)
    tf.identity(loss, name="named_loss")
    optimizer = optimizer or tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def kernel(name: str, shape: list[int]) -> Any:
    return tf.get_variable(name, shape, initializer=tf.constant_initializer(0.1))


def dense(features: Any, labels: Any, mode: str) -> Any:
    hidden = tf.nn.relu(tf.matmul(features["x"], kernel("a", [3, 4])) + kernel("b", [4]))
    return spec(mode, labels, tf.matmul(hidden, kernel("c", [4, 1])))


def batch_norm(features: Any, labels: Any, mode: str) -> Any:
    hidden = tf.layers.batch_normalization(features["x"], training=True, momentum=0.9)
    output = tf.matmul(hidden, kernel("a", [3, 1]))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return spec(mode, labels, output, tf.train.MomentumOptimizer(0.01, 0.9))


def control_flow(features: Any, labels: Any, mode: str) -> Any:
    x = tf.cond(tf.reduce_sum(features["x"]) > 0, lambda: features["x"], lambda: -features["x"])
    x = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * 1.1), [0, x])[1]
    return spec(mode, labels, tf.matmul(x, kernel("a", [3, 1])))


def lookup(features: Any, labels: Any, mode: str) -> Any:
    keys = tf.constant(["negative", "positive"])
    values = tf.constant([2, 5], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    rows = tf.shape(features["x"])[:1]
    words = tf.where(features["x"][:, 0] > 0, tf.fill(rows, "positive"), tf.fill(rows, "negative"))
    embedded = tf.nn.embedding_lookup(kernel("embedding", [7, 3]), table.lookup(words))
    return spec(mode, labels, tf.matmul(embedded + features["x"], kernel("a", [3, 1])))


def recurrent(features: Any, labels: Any, mode: str) -> Any:
    cell = tf.nn.rnn_cell.GRUCell(3, kernel_initializer=tf.constant_initializer(0.1))
    x = tf.reshape(features["x"], [-1, 3, 1])
    _, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    return spec(mode, labels, tf.matmul(state, kernel("a", [3, 1])))


def row_of_eight(features: Any, labels: Any, mode: str) -> Any:
    learning_rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 7, 0.5, True)
    output = tf.matmul(features["x"], kernel("a", [3, 1]))
    return spec(mode, labels, output, tf.train.RMSPropOptimizer(learning_rate))


def train(
    model_fn: Callable[..., Any],
    folder: Path,
    fused: bool,
    replicas: int = 1,
    hooks: Any = (),
    size: int = 8,
    steps: int | None = STEPS,
    epochs: int | None = None,
    **fields: Any,
) -> Any:
    run_config = config(replicas, fused_steps=fused, **fields)
    trained = estimator.Estimator(model_fn, folder, run_config)
    input_fn = batches({"x": FEATURES}, LABELS, size, epochs)
    trained.train(input_fn, hooks=list(hooks), steps=steps)
    return trained


@pytest.fixture
def fused_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns a list of how many steps were made in which call."""
    calls: list[int] = []
    run = fused_steps.FusedSteps.run

    def noted(self: Any, session: Any, steps: int) -> tuple[float, int]:
        calls.append(steps)
        return run(self, session, steps)

    monkeypatch.setattr(training_loop.fused_steps.FusedSteps, "run", noted)
    return calls


def test_no_loop_where_it_is_not_wanted(tmp_path: Path, fused_calls: list[int]) -> None:
    train(dense, tmp_path, fused=False)
    assert fused_calls == []


def test_unknown_hook_sees_every_step(tmp_path: Path, fused_calls: list[int]) -> None:
    hook = EveryStep()
    train(dense, tmp_path, fused=True, hooks=[hook])
    assert len(hook.steps) == STEPS
    assert fused_calls == []


def test_hook_may_say_which_steps_it_needs(tmp_path: Path, fused_calls: list[int]) -> None:
    class EveryTenth(EveryStep):
        def steps_without_me(self, global_step: int) -> int:
            return 9 - global_step % 10

    hook = EveryTenth()
    train(dense, tmp_path, fused=True, hooks=[hook])
    assert sum(fused_calls) + len(hook.steps) == STEPS
    assert max(fused_calls) == 9


def test_nothing_is_trained_after_a_hook_asked_for_the_end(
    tmp_path: Path, fused_calls: list[int]
) -> None:
    class StopsAtItsSecondCall(EveryStep):
        def steps_without_me(self, global_step: int) -> int:
            return 5

        def after_run(self, run_context: Any, run_values: Any) -> None:
            super().after_run(run_context, run_values)
            if len(self.steps) == 2:
                run_context.request_stop()

    trained = train(dense, tmp_path, fused=True, hooks=[StopsAtItsSecondCall()])
    assert (trained.get_variable_value("global_step"), fused_calls) == (2, [])


def test_given_seeds_keep_their_stream(tmp_path: Path, fused_calls: list[int]) -> None:
    def dropout(features: Any, labels: Any, mode: str) -> Any:
        x = tf.nn.dropout(features["x"], keep_prob=0.5)
        return spec(mode, labels, tf.matmul(x, kernel("a", [3, 1])))

    one = train(dropout, tmp_path / "one", fused=True, tf_random_seed=5)
    assert fused_calls == []
    two = train(dropout, tmp_path / "two", fused=False, tf_random_seed=5)
    np.testing.assert_array_equal(one.get_variable_value("a"), two.get_variable_value("a"))
    train(dropout, tmp_path / "free", fused=True)
    assert fused_calls


@pytest.mark.parametrize(
    ("model_fn", "replicas"),
    [
        *[(dense, 2), (batch_norm, 2), (control_flow, 1), (lookup, 2), (row_of_eight, 1)],
        *long([(dense, 1), (batch_norm, 1), (control_flow, 2), (lookup, 1), (row_of_eight, 2)]),
        *long([(recurrent, 1), (recurrent, 2)]),  # test_unrolled_loops.py has such models
    ],
)
def test_the_same_steps(
    model_fn: Callable[..., Any], replicas: int, tmp_path: Path, fused_calls: list[int]
) -> None:
    one_by_one = train(model_fn, tmp_path / "one", False, replicas)
    assert not fused_calls
    fused = train(model_fn, tmp_path / "several", True, replicas)
    assert sum(fused_calls) > STEPS / 2
    wanted = variables(one_by_one)
    assert wanted["global_step"] == STEPS
    for name, value in variables(fused).items():
        # The same kernels in the same order; sums over two replicas may be added in either order.
        np.testing.assert_allclose(value, wanted[name], rtol=0, atol=1e-6, err_msg=name)


def test_batch_for_each_replica(tmp_path: Path, fused_calls: list[int]) -> None:
    one = train(dense, tmp_path / "one", False, 2, size=4, global_batch=False)
    several = train(dense, tmp_path / "several", True, 2, size=4, global_batch=False)
    assert fused_calls
    for name, value in variables(several).items():
        np.testing.assert_allclose(value, one.get_variable_value(name), rtol=0, atol=1e-6)


@pytest.mark.parametrize("replicas", [1, 2])
def test_steps_are_counted_exactly(replicas: int, tmp_path: Path, fused_calls: list[int]) -> None:
    trained = train(dense, tmp_path, True, replicas, steps=33)
    assert trained.get_variable_value("global_step") == 33
    trained.train(batches({"x": FEATURES}, LABELS), steps=1)
    assert trained.get_variable_value("global_step") == 34
    trained.train(batches({"x": FEATURES}, LABELS), max_steps=61)
    assert trained.get_variable_value("global_step") == 61
    # 64 rows twice: 16 batches, and then the input is at its end.
    trained.train(batches({"x": FEATURES}, LABELS, epochs=2))
    assert trained.get_variable_value("global_step") == 77
    assert fused_calls


def events(folder: Path) -> dict[str, list[int]]:
    """Returns the steps of every tag in the event files of a folder."""
    steps: dict[str, list[int]] = {}
    for path in sorted(folder.glob("events*")):
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                steps.setdefault(value.tag, []).append(event.step)
            if event.HasField("session_log"):
                steps.setdefault(f"log {event.session_log.status}", []).append(event.step)
    return steps


class Saved(tf.train.CheckpointSaverListener):  # type: ignore[misc]
    def __init__(self) -> None:
        self.steps: list[int] = []

    def after_save(self, session: Any, global_step_value: int) -> None:
        self.steps.append(int(global_step_value))


@pytest.mark.parametrize("replicas", [1, 2])
def test_everybody_sees_the_same_events(
    replicas: int, tmp_path: Path, caplog: pytest.LogCaptureFixture, fused_calls: list[int]
) -> None:
    seen = []
    tf.logging.set_verbosity(tf.logging.INFO)
    for fused in (False, True):
        caplog.clear()
        listener = Saved()
        run_config = config(
            replicas,
            fused_steps=fused,
            save_summary_steps=10,
            save_checkpoints_steps=16,
            log_step_count_steps=7,
        )
        folder = tmp_path / str(fused)
        trained = estimator.Estimator(dense, folder, run_config)
        logger = tf.train.LoggingTensorHook({"named": "named_loss:0"}, every_n_iter=6)
        with caplog.at_level(logging.INFO, "tensorflow"):
            trained.train(
                batches({"x": FEATURES}, LABELS),
                hooks=[logger],
                steps=STEPS,
                saving_listeners=[listener],
            )
        lines = re.findall(r"named = ([\d.]+)", caplog.text)
        logged = re.findall(r"step = (\d+)", caplog.text)
        seen.append((events(folder), listener.steps, len(lines), logged, lines))
    one_by_one, several = seen
    assert fused_calls
    assert several[1:4] == one_by_one[1:4]
    assert several[0] == one_by_one[0]
    assert several[0]["my_loss"] == [1, 11, 21, 31, 41]
    assert [float(x) for x in several[4]] == pytest.approx([float(x) for x in one_by_one[4]])


def test_nan_is_found_at_its_step(tmp_path: Path, fused_calls: list[int]) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        step = tf.cast(tf.train.get_global_step(), tf.float32)
        x = features["x"] * tf.where(step > 30.5, np.nan, 1.0)
        return spec(mode, labels, tf.matmul(x, kernel("a", [3, 1])))

    steps: list[int] = []
    run = fused_steps.FusedSteps.run

    def noted(self: Any, session: Any, count: int) -> tuple[float, int]:
        loss, step = run(self, session, count)
        steps.append(step)
        return loss, step

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_loop.fused_steps.FusedSteps, "run", noted)
        with pytest.raises(tf.train.NanLossDuringTrainingError):
            train(model_fn, tmp_path, fused=True, steps=None)
    assert steps[-1] == 32  # the step whose loss was NaN is the last one


def test_step_that_counts_twice_is_not_fused(tmp_path: Path, fused_calls: list[int]) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        made = spec(mode, labels, tf.matmul(features["x"], kernel("a", [3, 1])))
        with tf.control_dependencies([made.train_op]):
            again = tf.assign_add(tf.train.get_global_step(), 1)
        return made._replace(train_op=tf.group(made.train_op, again))

    trained = train(model_fn, tmp_path, fused=True, steps=21)
    assert trained.get_variable_value("global_step") in (21, 22)
    assert fused_calls == []


def test_queue_input(tmp_path: Path, fused_calls: list[int]) -> None:
    input_fn = estimator.inputs.numpy_input_fn({"x": X}, Y, 8, num_epochs=None, shuffle=False)
    weights = []
    for fused in (False, True):
        trained = estimator.Estimator(dense, tmp_path / str(fused), config(1, fused_steps=fused))
        trained.train(input_fn, steps=STEPS)
        weights.append(trained.get_variable_value("a"))
    assert fused_calls
    np.testing.assert_allclose(weights[0], weights[1], rtol=0, atol=1e-6)


def test_reference_variables_are_not_fused(tmp_path: Path, fused_calls: list[int]) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        a = tf.get_variable("a", [3, 1], use_resource=False)
        return spec(mode, labels, tf.matmul(features["x"], a))

    trained = train(model_fn, tmp_path, fused=True)
    assert trained.get_variable_value("global_step") == STEPS
    assert fused_calls == []
    assert MODES.TRAIN == "train"


def test_version_1_control_flow_is_not_fused(tmp_path: Path, fused_calls: list[int]) -> None:
    tf.disable_control_flow_v2()
    try:
        trained = train(dense, tmp_path, fused=True, replicas=2)
    finally:
        tf.enable_control_flow_v2()
    assert trained.get_variable_value("global_step") == STEPS
    assert fused_calls == []

"""The log has the lines of tf.estimator: people's scripts read losses and metrics out of it.

The lines were recorded with TensorFlow 1.15.5, by ``program`` with ``tf.estimator``; times and
folders are left out of them.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from rich.console import Console

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator.progress import is_shown

TRAINED = """\
Calling model_fn.
Done calling model_fn.
Create CheckpointSaverHook.
Graph was finalized.
Running local_init_op.
Done running local_init_op.
Saving checkpoints for 0 into DIR/model.ckpt.
loss = 0.92718756, step = 1
global_step/sec: N
loss = 0.4503743, step = 11 (N sec)
Saving checkpoints for 20 into DIR/model.ckpt.
global_step/sec: N
loss = 0.33188912, step = 21 (N sec)
Saving checkpoints for 30 into DIR/model.ckpt.
Loss for final step: 0.045553237.
"""
EVALUATED = """\
Calling model_fn.
Done calling model_fn.
Starting evaluation at TIME
Graph was finalized.
Restoring parameters from DIR/model.ckpt-30
Running local_init_op.
Done running local_init_op.
Evaluation [1/3]
Evaluation [2/3]
Evaluation [3/3]
Finished evaluation at TIME
Saving dict for global step 30: accuracy = 0.5692399, global_step = 30, loss = 0.18924618, \
vec = [1. 2.]
Saving 'checkpoint_path' summary for global step 30: DIR/model.ckpt-30
"""
PREDICTED = """\
Calling model_fn.
Done calling model_fn.
Graph was finalized.
Restoring parameters from DIR/model.ckpt-30
Running local_init_op.
Done running local_init_op.
"""
LOOPED = """\
Running training and evaluation locally (non-distributed).
Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint \
frequency is determined based on RunConfig arguments: save_checkpoints_steps 20 or \
save_checkpoints_secs None.
Skipping training since max_steps has already saved.
"""
# Notices of deprecation, and the fields of a RunConfig, are those of the installed TensorFlow.
VARYING = ("From ", "Using config")


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    output = tf.layers.dense(features["x"], 1, kernel_initializer=tf.ones_initializer())
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"output": output})
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    metrics = {
        "accuracy": tf.metrics.mean(output),
        "vec": tf.metrics.mean_tensor(tf.constant([1.0, 2.0])),
    }
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def input_fn() -> Any:
    x = np.arange(40, dtype=np.float32).reshape(40, 1) / 40
    examples = tf.data.Dataset.from_tensor_slices(({"x": x}, np.ones([40, 1], np.float32)))
    return examples.repeat().batch(4)


def lines(caplog: pytest.LogCaptureFixture, folder: Path) -> str:
    text = "".join(f"{r.getMessage()}\n" for r in caplog.records if r.name == "tensorflow")
    caplog.clear()
    text = text.replace(str(folder), "DIR")
    text = re.sub(r"\d{4}-\d\d-\d\d[T-]\d\d:\d\d:\d\dZ?", "TIME", text)
    text = re.sub(r"[\d.]+(?= sec\))|(?<=/sec: )[\d.e+]+", "N", text)
    return "".join(x for x in text.splitlines(keepends=True) if not x.startswith(VARYING))


@pytest.mark.parametrize("fused", [False, True])
def test_log_lines_are_those_of_tf_estimator(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, fused: bool
) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    config = estimator.RunConfig(
        log_step_count_steps=10, save_checkpoints_steps=20, fused_steps=fused
    )
    made = estimator.Estimator(model_fn, str(tmp_path), config)
    with caplog.at_level(logging.INFO, "tensorflow"):
        made.train(input_fn, steps=30)
        # Losses differ in their last digits from one machine to the next.
        assert near(lines(caplog, tmp_path)) == near(TRAINED)
        made.evaluate(input_fn, steps=3)
        assert near(lines(caplog, tmp_path)) == near(EVALUATED)
        next(made.predict(input_fn))
        assert lines(caplog, tmp_path) == PREDICTED
        train = estimator.TrainSpec(input_fn, max_steps=30)
        estimator.train_and_evaluate(made, train, estimator.EvalSpec(input_fn, steps=1))
        assert lines(caplog, tmp_path) == LOOPED
        made.evaluate(input_fn, steps=20)
        counted = re.findall(r"Evaluation \[(\d+)/20\]", lines(caplog, tmp_path))
        assert counted == [str(count) for count in range(2, 21, 2)]


def near(text: str) -> str:
    return re.sub(r"\d\.\d{5,}", lambda found: f"{float(found[0]):.5f}", text)


def test_a_log_file_gets_the_lines_though_there_is_a_terminal(tmp_path: Path) -> None:
    handler = logging.FileHandler(tmp_path / "log")
    tf.get_logger().addHandler(handler)
    try:
        assert not is_shown(Console(force_terminal=True))
    finally:
        tf.get_logger().removeHandler(handler)
        handler.close()
    assert is_shown(Console(force_terminal=True))

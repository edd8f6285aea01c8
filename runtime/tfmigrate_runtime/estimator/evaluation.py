"""Evaluating a model: metrics over all batches, on one device or over replicas."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import devices
from tfmigrate_runtime.estimator.model_graph import ModelGraph
from tfmigrate_runtime.estimator.run_config import RunConfig

LOSS = "loss"
GLOBAL_STEP = "global_step"


class _CountRuns(tf.train.SessionRunHook):  # type: ignore[misc]
    """Logs how many batches were evaluated, as tf.estimator did, and stops after a number."""

    def __init__(self, runs: int) -> None:
        self._runs, self._done = runs, 0
        self._every = 1 if runs < 20 else runs // 10

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._done += 1
        if self._done % self._every == 0 or self._done == self._runs:
            tf.logging.info("Evaluation [%d/%d]", self._done, self._runs)
        if self._done >= self._runs:
            run_context.request_stop()


def evaluate(
    model: ModelGraph,
    steps: int | None,
    checkpoint_path: str | None,
    config: RunConfig,
    hooks: Sequence[Any],
    summary_dir: str,
) -> dict[str, Any]:
    """Runs evaluation steps and returns the metrics.

    The metrics' variables are those of all replicas together: they equal those of one device that
    saw all batches (semantics.md, 1.12). The loss is the mean over the batches.

    Args:
        model: the model, built for evaluation in the default graph.
        steps: how many batches, None for all.
        checkpoint_path: the checkpoint to restore, None for initial values.
        config: the RunConfig.
        hooks: the caller's hooks.
        summary_dir: where the metrics are written as an event file.

    Returns:
        Values by the name of their metric, with "loss" and "global_step".

    Raises:
        ValueError: the model has a metric named "loss" or "global_step", or steps is not positive.
    """
    if steps is not None and steps <= 0:
        raise ValueError(f"Must specify steps > 0, given: {steps}")
    spec = model.of_all
    values, updates = _metrics(model)
    values[GLOBAL_STEP] = tf.identity(model.global_step)
    final = tf.train.FinalOpsHook(values)
    all_hooks = [*model.input_hooks, *hooks, *spec.evaluation_hooks, final]
    if steps is not None:
        all_hooks.append(_CountRuns(steps))
    creator = tf.train.ChiefSessionCreator(
        scaffold=_with_metric_variables(spec.scaffold),
        checkpoint_filename_with_path=checkpoint_path,
        master=config.evaluation_master,
        config=devices.session_config(config.session_config, [config.eval_distribute]),
    )
    tf.logging.info(time.strftime("Starting evaluation at %Y-%m-%dT%H:%M:%SZ"))
    with tf.train.MonitoredSession(creator, hooks=all_hooks) as session:
        while not session.should_stop():
            session.run(updates)
    tf.logging.info(time.strftime("Finished evaluation at %Y-%m-%d-%H:%M:%S"))
    results: dict[str, Any] = final.final_ops_values
    _write_events(summary_dir, results)
    return results


def _metrics(model: ModelGraph) -> tuple[dict[str, Any], Any]:
    """Returns the tensors of the metrics' values, and the op that updates all of them."""
    names = set(model.of_all.eval_metric_ops)
    for reserved in (LOSS, GLOBAL_STEP):
        if reserved in names:
            raise ValueError(
                f"Metric with name `{reserved}` is not allowed, because Estimator already "
                "defines a default metric with the same name."
            )
    values = {name: value for name, (value, _) in model.of_all.eval_metric_ops.items()}
    updates = [update for spec in model.specs for _, update in spec.eval_metric_ops.values()]
    # Every batch counts the same, also where the last step has fewer of them than replicas.
    batches = (
        1 if model.present is None else tf.add_n([tf.cast(p, tf.float32) for p in model.present])
    )
    values[LOSS], loss_update = tf.metrics.mean(model.loss, weights=batches)
    return values, tf.group(loss_update, *updates)


def _with_metric_variables(scaffold: Any) -> Any:
    """Lets a scaffold's own local_init_op initialise the metrics' variables too."""
    if scaffold is None or scaffold.local_init_op is None:
        return scaffold
    default = tf.train.Scaffold.default_local_init_op()
    return tf.train.Scaffold(
        local_init_op=tf.group(scaffold.local_init_op, default), copy_from_scaffold=scaffold
    )


def _write_events(folder: str, results: dict[str, Any]) -> None:
    """Logs metrics in the words that tf.estimator had, and writes them with its tags."""
    step = int(results[GLOBAL_STEP])
    texts = [(name, str(v)) for name, v in sorted(results.items()) if not isinstance(v, bytes)]
    shown = ", ".join(f"{name} = {text}" for name, text in texts)
    tf.logging.info("Saving dict for global step %d: %s", step, shown)
    summary = tf.Summary()
    for name in sorted(results):
        value = results[name]
        if name == GLOBAL_STEP or value is None:
            continue
        if isinstance(value, bytes):
            _add_serialized(summary, name, value)
        elif isinstance(value, (Mapping, list, tuple)):
            tf.logging.warning(
                "Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int "
                "or np.ndarray or a serialized string of Summary.",
                name,
            )
        elif np.size(value) == 1 and np.ndim(value) == 0:
            summary.value.add(tag=name, simple_value=float(value))
        else:
            summary.value.add(tag=name, tensor=tf.make_tensor_proto(value))
    writer = tf.summary.FileWriterCache.get(folder)
    writer.add_summary(summary, step)
    writer.flush()


def write_path(folder: str, results: dict[str, Any], checkpoint_path: str) -> None:
    """Writes which checkpoint was evaluated, as an event of its own, as tf.estimator did."""
    step = int(results[GLOBAL_STEP])
    tf.logging.info(
        "Saving 'checkpoint_path' summary for global step %d: %s", step, checkpoint_path
    )
    summary = tf.Summary()
    summary.value.add(tag="checkpoint_path", tensor=tf.make_tensor_proto(checkpoint_path))
    writer = tf.summary.FileWriterCache.get(folder)
    writer.add_summary(summary, step)
    writer.flush()


def _add_serialized(summary: Any, name: str, value: bytes) -> None:
    """Adds a metric that is itself a serialized summary."""
    try:
        inner = tf.Summary.FromString(value)
    except Exception as error:  # protobuf's DecodeError is private to its implementation
        tf.logging.warning("Skipping summary for %s: %s", name, error)
        return
    for index, item in enumerate(inner.value):
        item.tag = f"{name}/{index}"
    summary.value.extend(inner.value)

"""Combines the EstimatorSpecs of the towers into one, for each mode."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import EstimatorSpec, ModeKeys, export_output
from tfmigrate_runtime.tf1_shim.contrib.estimator.tower_optimizer import scale_loss, sum_on_device


def with_scaled_loss(spec: Any, loss_reduction: Any, towers: int) -> Any:
    """Returns a tower's spec with the loss that is reported: the TowerOptimizer scales its own."""
    if spec.loss is None:
        return spec
    return _replaced(spec, loss=scale_loss(spec.loss, loss_reduction, towers))


def train_spec(specs: list[Any], device: str) -> Any:
    """Returns the last tower's spec with the sum of all losses (semantics 1.4, 1.19)."""
    return _replaced(specs[-1], mode=ModeKeys.TRAIN, loss=_summed_loss(specs, device))


def eval_spec(specs: list[Any], device: str) -> Any:
    """Returns the first tower's spec; its metrics take in those of all towers (semantics 1.12)."""
    mode = ModeKeys.EVAL
    loss = _summed_loss(specs, device)
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with tf.control_dependencies(updates):
        reduced = _add_into_first_tower(len(specs))
    metrics = {name: (value, reduced) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return _replaced(specs[0], mode=mode, loss=loss, eval_metric_ops=metrics)


def predict_spec(specs: list[Any], device: str) -> Any:
    """Returns the first tower's spec with the outputs of all towers in order (semantics 1.13)."""
    with tf.device(device):
        predictions = _concatenated([spec.predictions for spec in specs])
        by_name = _values_by_key([spec.export_outputs for spec in specs])
        joined = {name: _joined_output(outputs) for name, outputs in by_name.items()}
    outputs = {name: output for name, output in joined.items() if output is not None}
    return _replaced(
        specs[0], mode=ModeKeys.PREDICT, predictions=predictions, export_outputs=outputs
    )


def _replaced(spec: Any, **fields: Any) -> Any:
    # A new one, not _replace: EstimatorSpec checks what it is given.
    return EstimatorSpec(**{**{name: getattr(spec, name) for name in spec._fields}, **fields})


def _summed_loss(specs: list[Any], device: str) -> Any:
    return sum_on_device([spec.loss for spec in specs], device, name="loss")


def _add_into_first_tower(towers: int) -> Any:
    """Returns the op that adds each tower's metric variables to the first's and zeroes them.

    Raises:
        ValueError: the towers have not made the same metrics.
    """
    variables = tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    of_one_tower = len(variables) // towers
    if len(variables) % towers != 0:
        raise ValueError(
            "Different `EstimatorSpec.eval_metric_ops` across `model_fn()` calls. Expected "
            f"{of_one_tower * towers} local variables, but got {len(variables)} instead."
        )
    emptied = []
    for position in range(of_one_tower):
        first, *others = variables[position::of_one_tower]
        added = tf.assign_add(first, tf.add_n(others))
        with tf.control_dependencies([added]):
            for other in others:
                emptied.append(tf.assign(other, tf.zeros(tf.shape(other), dtype=other.dtype)))
    return tf.group(*emptied)


def _joined_output(outputs: list[Any]) -> Any:
    """Returns one ExportOutput for all towers, None for a kind that is left out as in 1.15."""
    if isinstance(outputs[0], export_output.PredictOutput):
        tensors = _concatenated([output.outputs for output in outputs])
        return export_output.PredictOutput(outputs=tensors)
    if isinstance(outputs[0], export_output.RegressionOutput):
        return export_output.RegressionOutput(
            value=tf.concat([output.value for output in outputs], axis=0)
        )
    if isinstance(outputs[0], export_output.ClassificationOutput):
        scores = classes = None
        if outputs[0].scores is not None:
            scores = tf.concat([output.scores for output in outputs], axis=0)
        if outputs[0].classes is not None:
            # Stacked, not concatenated: [towers, share, ...].
            classes = tf.stack([output.classes for output in outputs], axis=0)
        return export_output.ClassificationOutput(scores=scores, classes=classes)
    return None


def _concatenated(dicts: list[Any]) -> dict[Any, Any]:
    by_key = _values_by_key(dicts)
    return {key: tf.concat(tensors, axis=0, name=key) for key, tensors in by_key.items()}


def _values_by_key(dicts: list[Any]) -> dict[Any, list[Any]]:
    by_key: dict[Any, list[Any]] = {}
    for one in dicts:
        for key, value in (one or {}).items():
            by_key.setdefault(key, []).append(value)
    return by_key

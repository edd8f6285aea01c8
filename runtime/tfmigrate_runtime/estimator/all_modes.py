"""The inputs and the signatures of SavedModels that have the graphs of several modes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import saved_model
from tfmigrate_runtime.estimator.export import PredictOutput
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.spec import EstimatorSpec

_METHODS = {
    ModeKeys.TRAIN: "tensorflow/supervised/training",
    ModeKeys.EVAL: "tensorflow/supervised/eval",
}


@dataclass(frozen=True)
class SupervisedInputReceiver:
    """The inputs of a graph that trains or evaluates.

    Attributes:
        features: what the model function gets as features.
        labels: what it gets as labels.
        receiver_tensors: the placeholders that are fed, by name.
    """

    features: Any
    labels: Any
    receiver_tensors: Any


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """Returns a function that makes a placeholder for every feature and label.

    Args:
        features: a tensor, or tensors by name: they give dtypes and shapes, batch axis first.
        labels: the same.
        default_batch_size: the size of the batch axis, None for any.

    Raises:
        ValueError: a feature and a label have the same name.
    """
    groups = [
        dict(value) if isinstance(value, Mapping) else {name: value}
        for name, value in (("input", features), ("label", labels))
    ]
    if both := sorted(set(groups[0]) & set(groups[1])):
        raise ValueError(f"features and labels must have different names, both have {both}")

    def placeholders(tensors: Mapping[str, Any]) -> dict[str, Any]:
        by_name = {}
        for name, tensor in tensors.items():
            shape = [default_batch_size, *tensor.shape.as_list()[1:]]
            by_name[name] = tf.placeholder(tensor.dtype, shape, name=name)
        return by_name

    def receiver_fn() -> SupervisedInputReceiver:
        placeholder_groups = [placeholders(tensors) for tensors in groups]
        parts = [
            values if isinstance(value, Mapping) else next(iter(values.values()))
            for value, values in zip((features, labels), placeholder_groups, strict=True)
        ]
        return SupervisedInputReceiver(
            parts[0], parts[1], {**placeholder_groups[0], **placeholder_groups[1]}
        )

    return receiver_fn


def signatures_of(mode: str, spec: EstimatorSpec, receiver: Any) -> dict[str, Any]:
    """Returns the signatures of a graph of a mode, by name."""
    if mode == ModeKeys.PREDICT:
        return saved_model.signatures_of(spec, receiver)
    outputs = {"loss": spec.loss}
    predictions = spec.predictions
    if isinstance(predictions, Mapping):
        outputs.update(
            {f"predictions/{n}": value for n, value in PredictOutput(predictions).by_name().items()}
        )
    elif predictions is not None:
        outputs["predictions"] = predictions
    for name, (value, update) in spec.eval_metric_ops.items():
        outputs[f"metrics/{name}/value"] = value
        if isinstance(update, tf.Tensor):
            outputs[f"metrics/{name}/update_op"] = update
    signature = tf.saved_model.build_signature_def(
        {
            name: tf.saved_model.build_tensor_info(t)
            for name, t in receiver.receiver_tensors.items()
        },
        {name: tf.saved_model.build_tensor_info(t) for name, t in outputs.items()},
        _METHODS[mode],
    )
    return {saved_model.TAGS[mode]: signature}

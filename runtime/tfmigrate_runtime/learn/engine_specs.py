"""Converts what contrib.learn's model and input functions return to what the engine needs."""

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.keys import COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS
from tfmigrate_runtime.contrib.of_learn.utils import signature_defs
from tfmigrate_runtime.contrib.of_learn.utils.input_fn_utils import InputFnOps
from tfmigrate_runtime.estimator import Estimator, EstimatorSpec, saved_model
from tfmigrate_runtime.estimator.export import ServingInputReceiver, TensorServingInputReceiver
from tfmigrate_runtime.learn.model_fn import ModelFnOps

# Names of metrics that the engine gives itself.
_GLOBAL_STEP = "global_step"


class Engine(Estimator):
    """Adds no summary of the loss, as no Estimator of contrib.learn did."""

    _summarizes_loss = False


def spec_of(operations: ModelFnOps | EstimatorSpec) -> EstimatorSpec:
    """Returns the spec of a model; that of ModelFnOps has no metrics and no outputs for exports."""
    if isinstance(operations, EstimatorSpec):
        return operations
    bare = operations._replace(eval_metric_ops={}, output_alternatives=None)
    spec: EstimatorSpec = bare.estimator_spec()
    return spec


def with_metrics(
    operations: ModelFnOps | EstimatorSpec, other_names: Mapping[str, str]
) -> EstimatorSpec:
    """Returns the spec of a model for evaluation.

    Args:
        operations: what the model function returned. A metric that is no (value, update op) is
            run as it is, after the last batch.
        other_names: the names to give to metrics instead of those that the engine uses itself.
    """
    metrics = {
        other_names.get(name, name): _value_and_update(metric)
        for name, metric in operations.eval_metric_ops.items()
        if name != _GLOBAL_STEP  # it was replaced by the step
    }
    return spec_of(operations)._replace(eval_metric_ops=metrics)


def receiver_of(inputs: Any) -> Any:
    """Returns the features and the placeholders that a serving input function has made.

    Args:
        inputs: InputFnOps, or a ServingInputReceiver.

    Raises:
        ValueError: there are no features.
    """
    if (features := inputs.features) is None or (isinstance(features, dict) and not features):
        raise ValueError("Features must be defined.")
    if isinstance(inputs, InputFnOps):
        by_name = isinstance(features, dict)
        receiver = ServingInputReceiver if by_name else TensorServingInputReceiver
        inputs = receiver(features, inputs.default_inputs)
    for name in features if isinstance(features, dict) else ():
        tf.add_to_collection(COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS, name)
    return inputs


def signatures_of(
    operations: ModelFnOps | EstimatorSpec, receiver: Any, default_key: str | None
) -> dict[str, Any]:
    """Returns the signatures of a SavedModel by name.

    Args:
        operations: what the model function returned for INFER.
        receiver: the placeholders.
        default_key: which of several heads is served by default.
    """
    if isinstance(operations, EstimatorSpec):
        return saved_model.signatures_of(operations, receiver)
    heads, default = signature_defs.get_output_alternatives(operations, default_key)
    inputs = {signature_defs.DEFAULT_INPUT_ALTERNATIVE_KEY: receiver.receiver_tensors}
    return signature_defs.build_all_signature_defs(inputs, heads, default)


def _value_and_update(metric: Any) -> tuple[Any, Any]:
    if isinstance(metric, (tuple, list)) and len(metric) == 2:
        return metric[0], metric[1]
    return metric, tf.no_op()

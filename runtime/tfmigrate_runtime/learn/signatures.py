"""The signatures that contrib.learn gave to a SavedModel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.keys import PredictionKey, ProblemType
from tfmigrate_runtime.learn.model_fn import ModelFnOps, classes_of, scores_of

_DEFAULT = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
_INPUT = "default_input_alternative"
_OUTPUT = "default_output_alternative"
_CLASSIFICATIONS = (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION)
Tensors = Mapping[str, Any]


def signatures_of(
    operations: ModelFnOps, inputs: Tensors, default_output_alternative_key: str | None
) -> dict[str, Any]:
    """Returns the signatures of a model by name: one for each head, and the default one.

    Args:
        operations: what the model function returned for INFER.
        inputs: the placeholders of a request, by name.
        default_output_alternative_key: which of several heads is served by default.

    Raises:
        ValueError: there is no head with that key, or several heads and no key.
    """
    if not inputs:
        raise ValueError("A default input_alternative must be provided.")
    heads, default = _heads(operations, default_output_alternative_key)
    signatures = {
        f"{_INPUT}:{name or 'None'}": _signature(inputs, *head) for name, head in heads.items()
    }
    signatures[_DEFAULT] = _signature(inputs, *heads[default])
    return signatures


def _heads(operations: ModelFnOps, key: str | None) -> tuple[dict[Any, Any], Any]:
    """Returns (problem type, outputs) by the name of the head, and the name of the default one."""
    heads = dict(operations.output_alternatives or {})
    if key and key not in heads:
        raise ValueError(
            f"Requested default_output_alternative: {key}, but available output_alternatives are: "
            f"{sorted(map(str, heads))}"
        )
    if not heads:
        outputs = operations.predictions
        if not isinstance(outputs, dict):
            outputs = {PredictionKey.GENERIC: outputs}
        return {_OUTPUT: (ProblemType.UNSPECIFIED, outputs)}, _OUTPUT
    if key:
        return heads, key
    if len(heads) > 1:
        raise ValueError(
            "Please specify a default_output_alternative. Available output_alternatives are: "
            f"{sorted(map(str, heads))}"
        )
    return heads, next(iter(heads))


def _signature(inputs: Tensors, problem_type: int, outputs: Tensors) -> Any:
    """Returns a signature of the kind of the problem where that is possible, else of "predict"."""
    if not outputs:
        raise ValueError("output_tensors must be provided.")
    if len(inputs) == 1:
        only_input = next(iter(inputs.values()))
        only_output = next(iter(outputs.values())) if len(outputs) == 1 else None
        if problem_type in _CLASSIFICATIONS:
            classes, scores = classes_of(outputs), scores_of(outputs)
            if classes is None and scores is None and only_output is not None:
                is_name = only_output.dtype == tf.string
                classes, scores = (only_output, None) if is_name else (None, only_output)
            if classes is not None or scores is not None:
                return tf.saved_model.classification_signature_def(only_input, classes, scores)
        elif problem_type == ProblemType.LINEAR_REGRESSION and only_output is not None:
            return tf.saved_model.regression_signature_def(only_input, only_output)
    return tf.saved_model.predict_signature_def(dict(inputs), dict(outputs))

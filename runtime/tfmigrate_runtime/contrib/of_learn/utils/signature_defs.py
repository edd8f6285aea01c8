"""SignatureDefs of exported models: one for each input with each head."""

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.keys import PredictionKey, ProblemType
from tfmigrate_runtime.contrib.of_learn.utils.input_fn_utils import InputFnOps

DEFAULT_INPUT_ALTERNATIVE_KEY = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY = "features_input_alternative"
_ONLY_HEAD = "default_output_alternative"

Heads = dict[str, tuple[int, dict[str, Any]]]


def build_standardized_signature_def(
    input_tensors: dict[str, Any], output_tensors: dict[str, Any], problem_type: int
) -> Any:
    """Returns a SignatureDef of classification or regression if the tensors fit, else prediction.

    Raises:
        ValueError: there is no input or no output.
    """
    if not input_tensors:
        raise ValueError("input_tensors must be provided.")
    if not output_tensors:
        raise ValueError("output_tensors must be provided.")
    definitions = tf.saved_model.signature_def_utils
    inputs, outputs = list(input_tensors.values()), list(output_tensors.values())
    kinds = (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION)
    if problem_type in kinds and len(inputs) == 1:
        classes, scores = classes_of(output_tensors), scores_of(output_tensors)
        if classes is None and scores is None and len(outputs) == 1:
            is_text = outputs[0].dtype == tf.string
            classes, scores = (outputs[0], None) if is_text else (None, outputs[0])
        if classes is not None or scores is not None:
            return definitions.classification_signature_def(inputs[0], classes, scores)
    if problem_type == ProblemType.LINEAR_REGRESSION and len(inputs) == len(outputs) == 1:
        return definitions.regression_signature_def(inputs[0], outputs[0])
    return definitions.predict_signature_def(input_tensors, output_tensors)


def get_input_alternatives(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """Returns the inputs by name, and the features.

    Raises:
        ValueError: there are no features.
    """
    alternatives = {}
    if isinstance(input_ops, InputFnOps):
        features = input_ops.features
        alternatives[DEFAULT_INPUT_ALTERNATIVE_KEY] = input_ops.default_inputs
    else:
        features, _ = input_ops
    if not features:
        raise ValueError("Features must be defined.")
    return alternatives, features


def get_output_alternatives(
    model_fn_ops: Any, default_output_alternative_key: str | None = None
) -> tuple[Heads, str]:
    """Returns heads by name, and the name of the one that is served by default.

    Raises:
        ValueError: there is no such head, or there are several and none is named.
    """
    heads, wanted = model_fn_ops.output_alternatives, default_output_alternative_key
    if wanted and wanted not in (heads or {}):
        raise ValueError(
            f"Requested default_output_alternative: {wanted}, but available output_alternatives "
            f"are: {sorted(map(str, heads or {}))}"
        )
    if not heads:
        outputs = model_fn_ops.predictions
        if not isinstance(outputs, dict):
            outputs = {PredictionKey.GENERIC: outputs}
        return {_ONLY_HEAD: (ProblemType.UNSPECIFIED, outputs)}, _ONLY_HEAD
    if not wanted and len(heads) > 1:
        raise ValueError(
            "Please specify a default_output_alternative.  Available output_alternatives are: "
            f"{sorted(map(str, heads))}"
        )
    return heads, wanted or next(iter(heads))


def build_all_signature_defs(
    input_alternatives: dict[str, Any],
    output_alternatives: Heads,
    actual_default_output_alternative_key: str,
) -> dict[str, Any]:
    """Returns SignatureDefs by "input:head", and the one of ``serving_default``.

    Raises:
        ValueError: there is no default input.
    """
    signatures = {
        f"{name}:{head or 'None'}": build_standardized_signature_def(inputs, outputs, kind)
        for name, inputs in input_alternatives.items()
        for head, (kind, outputs) in output_alternatives.items()
    }
    if not (inputs := input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)):
        raise ValueError("A default input_alternative must be provided.")
    kind, outputs = output_alternatives[actual_default_output_alternative_key]
    signatures["serving_default"] = build_standardized_signature_def(inputs, outputs, kind)
    return signatures


def scores_of(outputs: Mapping[str, Any]) -> Any:
    """Returns what an output has as scores, else as probabilities, else None."""
    scores = outputs.get(PredictionKey.SCORES)
    return outputs.get(PredictionKey.PROBABILITIES) if scores is None else scores


def classes_of(outputs: Mapping[str, Any]) -> Any:
    """Returns an output's classes where they are names, as those of a signature are."""
    classes = outputs.get(PredictionKey.CLASSES)
    return classes if classes is not None and classes.dtype == tf.string else None

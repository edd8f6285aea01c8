"""The signatures of SavedModels that ``learn.Estimator`` exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator as core
from tfmigrate_runtime.learn.model_fn import ModelFnOps, classes_of, scores_of
from tfmigrate_runtime.learn.prediction_key import PredictionKey
from tfmigrate_runtime.learn.problem_type import ProblemType

_INPUTS = "default_input_alternative"
_OUTPUTS = "default_output_alternative"
_DEFAULT = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


@dataclass(frozen=True)
class HeadOutput(core.export.ExportOutput):
    """The outputs of one head.

    Attributes:
        problem_type: one of ProblemType.
        tensors: the outputs by name.
    """

    problem_type: int
    tensors: Mapping[str, Any]

    def signature(self, receivers: Mapping[str, Any]) -> Any:
        """Returns the SignatureDef: to classify or to regress where there is a single input."""
        tensors = dict(self.tensors)
        if len(receivers) == 1:
            (examples,) = receivers.values()
            classes, scores = classes_of(tensors), scores_of(tensors)
            is_class = self.problem_type in (
                ProblemType.CLASSIFICATION,
                ProblemType.LOGISTIC_REGRESSION,
            )
            if is_class and (classes is not None or scores is not None or len(tensors) == 1):
                if classes is None and scores is None:
                    (only,) = tensors.values()
                    classes, scores = (only, None) if only.dtype == tf.string else (None, only)
                return tf.saved_model.classification_signature_def(examples, classes, scores)
            if self.problem_type == ProblemType.LINEAR_REGRESSION and len(tensors) == 1:
                (only,) = tensors.values()
                return tf.saved_model.regression_signature_def(examples, only)
        return tf.saved_model.predict_signature_def(dict(receivers), tensors)


def export_outputs(ops: ModelFnOps, default_key: str | None) -> dict[str, HeadOutput]:
    """Returns the outputs of a model by the names of their signatures.

    Args:
        ops: what the model function returned.
        default_key: which head is served by default, for a model of several.

    Raises:
        ValueError: there is no such head, or there are several and no default_key.
    """
    heads = ops.output_alternatives
    if not heads:
        if default_key:
            raise ValueError(
                f"Requested default_output_alternative: {default_key}, but available "
                "output_alternatives are: []"
            )
        outputs = ops.predictions
        if not isinstance(outputs, Mapping):
            outputs = {PredictionKey.GENERIC: outputs}
        heads = {_OUTPUTS: (ProblemType.UNSPECIFIED, outputs)}
    if default_key and default_key not in heads:
        raise ValueError(
            f"Requested default_output_alternative: {default_key}, but available "
            f"output_alternatives are: {sorted(heads)}"
        )
    if not default_key and len(heads) > 1:
        raise ValueError(
            "Please specify a default_output_alternative.  Available output_alternatives are: "
            f"{sorted(heads)}"
        )
    default = HeadOutput(*heads[default_key or next(iter(heads))])
    named = {f"{_INPUTS}:{name or 'None'}": HeadOutput(*head) for name, head in heads.items()}
    return {**named, _DEFAULT: default}

"""Several heads on one model, and the sum of their losses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.measures import update_mean
from tfmigrate_runtime.estimator.canned.single_head import DEFAULT_SIGNATURE
from tfmigrate_runtime.estimator.canned.training_op import training_op
from tfmigrate_runtime.estimator.export import PredictOutput
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.spec import EstimatorSpec

_PREDICT = "predict"


class MultiHead(Head):
    """Several objectives (``tf.estimator.MultiHead``).

    Labels are given by the name of their head. Logits too, or as one tensor, of whose last axis
    each head takes its part, in the order of the heads. Predictions have keys (head's name, key).
    """

    def __init__(self, heads: Sequence[Head], head_weights: Sequence[float] | None = None) -> None:
        """Makes a head.

        Args:
            heads: heads with names. What the first one exports is what is served by default.
            head_weights: what the heads' losses are multiplied with in their sum, None for 1.

        Raises:
            ValueError: there are no heads, a name is missing or there twice, or there are more or
                fewer weights.
        """
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                "heads and head_weights must have the same size. "
                f"Given len(heads): {len(heads)}. Given len(head_weights): {len(head_weights)}."
            )
        self._heads: dict[str, Head] = {}
        for head in heads:
            if head.name is None:
                raise ValueError(f"All given heads must have name specified. Given: {head}")
            if head.name in self._heads:
                raise ValueError(f"All given heads must have different names. Given: {head.name}")
            self._heads[head.name] = head
        self._weights = tuple(head_weights or ())

    @property
    def name(self) -> str:
        """The names of the heads, joined by "_"."""
        return "_".join(self._heads)

    @property
    def logits_dimension(self) -> int:
        """The sum of the heads' sizes."""
        return sum(head.logits_dimension for head in self._heads.values())

    @property
    def loss_reduction(self) -> str:
        """That of the heads.

        Raises:
            ValueError: they differ in it.
        """
        return self._check_reductions()

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Mapping[str, Any] | None = None,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """Returns the weighted sum of the heads' losses; see ``Head.loss``.

        Args:
            labels: by the name of their head.
            logits: float tensors by the name of their head, or one [..., logits_dimension].
            features: tensors by name, with the weights if there are any.
            mode: one of ModeKeys.
            regularization_losses: scalars that are added to the loss.
        """
        of_heads = self._logits_of_heads(logits)
        self._check_labels(labels)
        losses = [
            head.loss(labels[name], of_heads[name], features=features, mode=mode)
            for name, head in self._heads.items()
        ]
        return self._merged_loss(losses, regularization_losses)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Any, Any]:
        """Returns tensors by (head's name, key); keys are not looked at, as in TensorFlow 1.15."""
        of_heads = self._logits_of_heads(logits)
        return {
            (name, key): tensor
            for name, head in self._heads.items()
            for key, tensor in head.predictions(of_heads[name]).items()
        }

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns new Keras metrics of losses; ``update_metrics`` adds those of the heads."""
        keys = [f"loss/{name}" for name in self._heads]
        if regularization_losses:
            keys.append(f"regularization_loss/{self.name}")
        return {key: tf.keras.metrics.Mean(name=key) for key in keys}

    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Mapping[str, Any],
        logits: Any,
        labels: Any,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a batch; metrics of the heads have the last one only, as in TensorFlow 1.15."""
        of_heads = self._logits_of_heads(logits)
        self._check_labels(labels)
        if regularization_losses:
            metric = eval_metrics[f"regularization_loss/{self.name}"]
            update_mean(metric, tf.add_n(regularization_losses))
        for name, head in self._heads.items():
            of_head = of_heads[name], labels[name]
            loss = head.loss(of_head[1], of_head[0], features=features)
            update_mean(eval_metrics[f"loss/{name}"], loss)
            eval_metrics.update(head.update_metrics(head.metrics(), features, *of_head))
        return eval_metrics

    def create_estimator_spec(
        self,
        features: Mapping[str, Any],
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Sequence[Any] | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> EstimatorSpec:
        """See ``Head.create_estimator_spec``; labels are given by the name of their head.

        Raises:
            ValueError: labels or logits of a head are missing, or for TRAIN both or none of
                optimizer and train_op_fn are given, or the heads' loss_reductions differ.
        """
        with tf.name_scope(self.name):
            of_heads = self._logits_of_heads(logits)
            self._check_labels(labels)
            specs = {
                name: head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    logits=of_heads[name],
                    labels=labels[name] if labels else None,
                    # A spec of TRAIN needs one; the sum of the losses is trained below.
                    train_op_fn=lambda _: tf.no_op(),
                )
                for name, head in self._heads.items()
            }
            predictions = {
                (name, key): tensor
                for name, spec in specs.items()
                for key, tensor in spec.predictions.items()
            }
            if mode == ModeKeys.PREDICT:
                outputs = _merged_outputs(specs)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            loss = self._merged_loss([spec.loss for spec in specs.values()], regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self._merged_metrics(specs, regularization_losses)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            self._check_reductions()
            train_op = training_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        with tf.name_scope(""):
            tf.summary.scalar("loss", loss)
            if regularization_losses:
                tf.summary.scalar("regularization_loss", tf.add_n(regularization_losses))
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _check_reductions(self) -> str:
        reductions = [head.loss_reduction for head in self._heads.values()]
        if len(set(reductions)) > 1:
            raise ValueError(
                f"The loss_reduction must be the same for different heads. Given: {reductions}"
            )
        return reductions[0]

    def _logits_of_heads(self, logits: Any) -> Mapping[str, Any]:
        if not isinstance(logits, Mapping):
            return self._split(tf.convert_to_tensor(logits))
        missing = [name for name in self._heads if name not in logits]
        if missing:
            raise ValueError(f"logits has missing values for head(s): {missing}")
        return logits

    def _split(self, logits: Any) -> dict[str, Any]:
        """Returns the parts of a tensor's last axis, by the name of their head."""
        sizes = [head.logits_dimension for head in self._heads.values()]
        shape = logits.shape.as_list()
        if shape[-1] not in (None, sum(sizes)):
            raise ValueError(
                f"Could not split logits of shape {shape} among the heads with individual logits "
                f"dimensions: {sizes}. The last dimension of the logits tensor should equal "
                f"{sum(sizes)} but is {shape[-1]}."
            )
        return dict(zip(self._heads, tf.split(logits, sizes, axis=-1), strict=True))

    def _check_labels(self, labels: Any) -> None:
        if labels is None:
            return
        if not isinstance(labels, Mapping):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        missing = [name for name in self._heads if name not in labels]
        if missing:
            raise ValueError(f"labels has missing values for head(s): {missing}")

    def _merged_loss(self, losses: Sequence[Any], regularization: Sequence[Any] | None) -> Any:
        if self._weights:
            losses = [loss * weight for loss, weight in zip(losses, self._weights, strict=True)]
        return tf.add_n([*losses, *(regularization or ())])

    def _merged_metrics(
        self, specs: Mapping[str, EstimatorSpec], regularization: Sequence[Any] | None
    ) -> dict[str, Any]:
        metrics = {f"loss/{name}": tf.metrics.mean(spec.loss) for name, spec in specs.items()}
        if regularization:
            metrics[f"regularization_loss/{self.name}"] = tf.metrics.mean(tf.add_n(regularization))
        for spec in specs.values():
            metrics.update(spec.eval_metric_ops)
        return metrics


def _merged_outputs(specs: Mapping[str, EstimatorSpec]) -> dict[str, Any]:
    """Returns the outputs of all heads, and the first one's as the default.

    Each is there as NAME/KEY, the heads' own defaults as NAME, and "predict" has the predictions
    of all heads as NAME/KEY.
    """
    first = next(iter(specs))
    outputs = {DEFAULT_SIGNATURE: _default_output(first, specs[first].export_outputs or {})}
    predictions = {}
    for name, spec in specs.items():
        for key, output in (spec.export_outputs or {}).items():
            outputs[name if key == DEFAULT_SIGNATURE else f"{name}/{key}"] = output
            if key == _PREDICT and isinstance(output, PredictOutput):
                predictions.update({f"{name}/{k}": v for k, v in output.outputs.items()})
    outputs[_PREDICT] = PredictOutput(predictions)
    return outputs


def _default_output(name: str, outputs: Mapping[str, Any]) -> Any:
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    if DEFAULT_SIGNATURE not in outputs:
        raise ValueError(
            f"{name} did not specify default export_outputs. Given: {outputs} Suggested fix: Use "
            "one of the heads in tf.estimator, or include key "
            f"{DEFAULT_SIGNATURE} in export_outputs."
        )
    return outputs[DEFAULT_SIGNATURE]

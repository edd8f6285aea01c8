"""A head that combines several, one for each objective."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import (
    EstimatorSpec,
    MetricKeys,
    ModeKeys,
    PredictOutput,
)
from tfmigrate_runtime.compat.shim_estimator import head as canned_head
from tfmigrate_runtime.tf1_shim.contrib.estimator.multi_label import train_op_of

__all__ = ["multi_head"]

_DEFAULT = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


def multi_head(heads: Sequence[Any], head_weights: Sequence[float] | None = None) -> Any:
    """Returns a head whose loss is the (weighted) sum of others'.

    Labels are given by the name of their head; logits too, or side by side in the last axis.

    Raises:
        ValueError: there are no heads, one has no name, or there are not as many weights.
    """
    if head_weights and len(head_weights) != len(heads):
        raise ValueError(
            f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. "
            f"Given len(head_weights): {len(head_weights)}."
        )
    if not heads:
        raise ValueError(f"Must specify heads. Given: {heads}")
    for head in heads:
        if not head.name:
            raise ValueError(f"All given heads must have name specified. Given: {head}")
    return _MultiHead(tuple(heads), tuple(head_weights or ()))


class _MultiHead(canned_head._Head):  # type: ignore[misc]
    def __init__(self, heads: tuple[Any, ...], head_weights: tuple[float, ...]) -> None:
        self._heads, self._head_weights = heads, head_weights

    @property
    def name(self) -> str:
        """The names of all heads."""
        return "_".join(head.name for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        """The size of the last axis of all logits together."""
        return sum(head.logits_dimension for head in self._heads)

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> Any:
        """Returns the LossSpec of a batch, all but the loss by the name of the head."""
        logits = self._by_name(logits)
        created = {
            head.name: head.create_loss(features, mode, logits[head.name], labels[head.name])
            for head in self._heads
        }
        factors = dict(zip(created, self._head_weights, strict=False))  # {} without weights

        def weighted(values: dict[str, Any]) -> dict[str, Any]:
            return {
                name: tf.multiply(value, factors[name]) if factors else value
                for name, value in values.items()
            }

        return canned_head.LossSpec(
            training_loss=self._merged([loss.training_loss for loss in created.values()]),
            unreduced_loss=weighted({name: c.unreduced_loss for name, c in created.items()}),
            weights=weighted({name: c.weights for name, c in created.items()}),
            processed_labels={name: c.processed_labels for name, c in created.items()},
        )

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Any = None,
    ) -> Any:
        """Returns the EstimatorSpec of all heads.

        Raises:
            ValueError: labels are no dict, logits do not fit, the mode is unknown, or there is
                not one of ``optimizer`` and ``train_op_fn`` in training.
        """
        logits = self._by_name(logits)
        if labels and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        specs = {
            head.name: head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=logits[head.name],
                labels=labels[head.name] if labels else None,
                train_op_fn=lambda loss: tf.no_op(),
            )
            for head in self._heads
        }
        if mode == ModeKeys.TRAIN:
            return self._train_spec(specs, optimizer, train_op_fn)
        if mode == ModeKeys.PREDICT:
            return self._predict_spec(specs)
        if mode == ModeKeys.EVAL:
            return self._eval_spec(specs)
        raise ValueError(f"mode={mode} unrecognized")

    def _by_name(self, logits: Any) -> dict[str, Any]:
        if isinstance(logits, dict):
            return logits
        with tf.name_scope(None, "split_logits", values=[logits]):
            logits = tf.convert_to_tensor(logits)
            sizes = [head.logits_dimension for head in self._heads]
            shape = logits.shape.as_list()
            if shape[-1] is not None and shape[-1] != sum(sizes):
                # The two sizes are the wrong way round in TensorFlow 1.15 as well.
                raise ValueError(
                    f"Could not split logits of shape {shape!r} among the heads with individual "
                    f"logits dimensions: {sizes!r}. The last dimension of the logits tensor "
                    f"should equal {shape[-1]} but is {sum(sizes)}."
                )
            ends = [sum(sizes[: position + 1]) for position in range(len(sizes))]
            return {
                head.name: logits[..., end - size : end]
                for head, size, end in zip(self._heads, sizes, ends, strict=True)
            }

    def _merged(self, losses: Sequence[Any]) -> Any:
        with tf.name_scope("merge_losses", values=[*losses, *self._head_weights]):
            if self._head_weights:
                pairs = zip(losses, self._head_weights, strict=True)
                losses = [tf.multiply(loss, weight) for loss, weight in pairs]
            return tf.add_n(list(losses))

    def _train_spec(self, specs: dict[str, Any], optimizer: Any, train_op_fn: Any) -> Any:
        loss = self._merged([spec.loss for spec in specs.values()])
        train_op = train_op_of(loss, optimizer, train_op_fn)
        with tf.name_scope(""):
            tf.summary.scalar(MetricKeys.LOSS, loss)
        metrics: dict[str, Any] = {}
        for spec in specs.values():
            metrics.update(spec.eval_metric_ops or {})
        return EstimatorSpec(
            mode=ModeKeys.TRAIN,
            loss=loss,
            train_op=train_op,
            predictions=_predictions(specs),
            eval_metric_ops=metrics,
        )

    def _eval_spec(self, specs: dict[str, Any]) -> Any:
        metrics: dict[str, Any] = {}
        with tf.name_scope("merge_eval"):
            for name, spec in specs.items():
                key = canned_head._summary_key(name, MetricKeys.LOSS)
                metrics[key] = tf.metrics.mean(spec.loss, name=key)
                metrics.update(spec.eval_metric_ops or {})
            loss = self._merged([spec.loss for spec in specs.values()])
        return EstimatorSpec(
            mode=ModeKeys.EVAL, predictions=_predictions(specs), loss=loss, eval_metric_ops=metrics
        )

    def _predict_spec(self, specs: dict[str, Any]) -> Any:
        first = self._heads[0].name
        outputs = {_DEFAULT: _default_output(specs[first].export_outputs, first)}
        predicted: dict[str, Any] = {}
        for name, spec in specs.items():
            for key, output in spec.export_outputs.items():
                outputs[name if key == _DEFAULT else f"{name}/{key}"] = output
                if key == canned_head._PREDICT_SERVING_KEY and isinstance(output, PredictOutput):
                    predicted.update({f"{name}/{k}": v for k, v in output.outputs.items()})
        outputs[canned_head._PREDICT_SERVING_KEY] = PredictOutput(predicted)
        return EstimatorSpec(
            mode=ModeKeys.PREDICT, predictions=_predictions(specs), export_outputs=outputs
        )


def _predictions(specs: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {
        (name, key): value
        for name, spec in specs.items()
        for key, value in spec.predictions.items()
    }


def _default_output(outputs: dict[str, Any], name: str) -> Any:
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    if _DEFAULT in outputs:
        return outputs[_DEFAULT]
    raise ValueError(
        f"{name} did not specify default export_outputs. Given: {outputs} Suggested fix: Use one "
        f"of the heads in tf.contrib.estimator, or include key {_DEFAULT} in export_outputs."
    )

"""``tf.contrib.learn.Estimator``: fit, evaluate with MetricSpecs, predict."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator as core
from tfmigrate_runtime.learn import signatures
from tfmigrate_runtime.learn.metric_spec import MetricSpec
from tfmigrate_runtime.learn.model_fn import ModelFnOps
from tfmigrate_runtime.learn.monitors import ValidationMonitor
from tfmigrate_runtime.learn.run_config import RunConfig

InputFunction = Callable[[], Any]
_ARRAYS = "x and y are not taken: give an input_fn (estimator.inputs.numpy_input_fn makes one)"


class NotFittedError(ValueError, AttributeError):
    """There is no trained model yet."""


class Estimator:
    """Trains, evaluates and exports a model function (``tf.contrib.learn.Estimator``).

    It is run by an ``estimator.Estimator``: under the strategy of its config, with its checkpoints
    and events.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: str | os.PathLike[str] | None = None,
        config: core.RunConfig | None = None,
        params: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Takes a model.

        Args:
            model_fn: takes features and labels, and any of mode, params, config and model_dir;
                returns ModelFnOps or a tuple (predictions, loss, train_op).
            model_dir: where checkpoints and events are written.
            config: a RunConfig.
            params: what model_fn gets as params.
            feature_engineering_fn: takes features and labels and returns both, before model_fn.

        Raises:
            ValueError: params is given and model_fn does not take it.
        """
        self._function = model_fn
        self._parameters = _parameters(model_fn)
        if params is not None and "params" not in self._parameters:
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params "
                f"({params}) were passed to the Estimator's constructor."
            )
        self.params = params
        self._engineer = feature_engineering_fn or (lambda features, labels: (features, labels))
        self._metrics: Mapping[Any, Any] = {}
        self._default_head: str | None = None
        self._core = core.Estimator(
            self._spec, model_dir, config if config is not None else RunConfig()
        )

    @property
    def config(self) -> core.RunConfig:
        """The RunConfig."""
        return self._core.config

    @property
    def model_dir(self) -> str:
        """Where checkpoints and events are written."""
        return self._core.model_dir

    @property
    def model_fn(self) -> Callable[..., ModelFnOps]:
        """A function of features, labels, mode and config that calls the model function."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            return self._call(features, labels, mode, config)

        return public_model_fn

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFunction | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
        max_steps: int | None = None,
    ) -> Estimator:
        """Trains the model.

        Args:
            x: not taken.
            y: not taken.
            input_fn: returns features and labels of a batch.
            steps: how many steps, from where the last checkpoint stands.
            batch_size: not taken.
            monitors: hooks, ValidationMonitors among them.
            max_steps: the global step to stop at.

        Returns:
            This Estimator.

        Raises:
            ValueError: there is no input_fn, or both limits are given.
        """
        given = _checked_input(x, y, input_fn, batch_size)
        hooks = list(monitors or ())
        for hook in hooks:
            if isinstance(hook, ValidationMonitor):
                hook.set_estimator(self)
        self._core.train(lambda: given(), hooks, steps, max_steps)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFunction | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> Estimator:
        """Trains for some steps more; see ``fit``."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFunction | None = None,
        feed_fn: Callable[[], Mapping[Any, Any]] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[Any] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint.

        Args:
            x: not taken.
            y: not taken.
            input_fn: returns features and labels of a batch.
            feed_fn: returns what is fed in every step.
            batch_size: not taken.
            steps: how many batches, None or 0 for all.
            metrics: metrics by name, beside those of the model: MetricSpecs, or functions of
                predictions and labels.
            name: names the folder of events, "eval_<name>".
            checkpoint_path: which checkpoint, None for the latest.
            hooks: SessionRunHooks.
            log_progress: kept for compatibility.

        Returns:
            The metrics by name, with "loss" and "global_step".

        Raises:
            NotFittedError: there is no checkpoint.
            ValueError: metrics is no dict, or there is no input_fn.
        """
        del log_progress
        given = _checked_input(x, y, input_fn, batch_size)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        path = self._checkpoint(checkpoint_path)
        all_hooks = list(hooks or ())
        if feed_fn is not None:
            all_hooks.append(tf.train.FeedFnHook(feed_fn))
        self._metrics = metrics or {}
        try:
            return self._core.evaluate(lambda: given(), steps or None, all_hooks, path, name)
        finally:
            self._metrics = {}

    def predict(
        self,
        x: Any = None,
        input_fn: InputFunction | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts with the latest checkpoint.

        Args:
            x: not taken.
            input_fn: returns the features of a batch; labels are left out. Where it gives one batch
                for ever (no queue and no Dataset), that is predicted once.
            batch_size: not taken.
            outputs: which predictions, None for all.
            as_iterable: whether to return an iterator over examples; else the first batch.
            iterate_batches: whether the iterator is over batches.

        Returns:
            An iterator, or a batch: an array, or arrays by name.

        Raises:
            NotFittedError: there is no checkpoint.
            ValueError: there is no input_fn.
        """
        given = _checked_input(x, None, input_fn, batch_size)
        path = self._checkpoint(None)
        is_constant: list[bool] = []

        def features_only() -> Any:
            result = given()
            is_dataset = isinstance(result, tf2.data.Dataset)
            is_constant.append(not is_dataset and not tf.get_collection("queue_runners"))
            return result[0] if isinstance(result, (list, tuple)) else result

        batches = self._core.predict(
            features_only, outputs or None, checkpoint_path=path, yield_single_examples=False
        )
        if not as_iterable:
            return next(batches)
        return _examples(batches, is_constant, iterate_batches)

    def export_savedmodel(
        self,
        export_dir_base: str | os.PathLike[str],
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes a SavedModel with a signature for every head.

        Args:
            export_dir_base: where a folder named after the time is made.
            serving_input_fn: returns InputFnOps.
            default_output_alternative_key: which head is served by default, for a model of several.
            assets_extra: files to copy, by their path below assets.extra.
            as_text: whether the proto is text.
            checkpoint_path: which checkpoint, None for the latest.
            strip_default_attrs: whether attributes with default values are left out.

        Returns:
            The folder, as bytes.

        Raises:
            NotFittedError: there is no checkpoint.
            ValueError: there is no serving_input_fn, or no such head.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        path = self._checkpoint(checkpoint_path)

        def receiver_fn() -> Any:
            inputs = serving_input_fn()
            return core.export.ServingInputReceiver(inputs.features, inputs.default_inputs)

        self._default_head = default_output_alternative_key
        try:
            return self._core.export_savedmodel(
                export_dir_base, receiver_fn, assets_extra, as_text, path, strip_default_attrs
            )
        finally:
            self._default_head = None

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables of the latest checkpoint."""
        return self._core.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable of the latest checkpoint."""
        return self._core.get_variable_value(name)

    def _checkpoint(self, given: str | None) -> str:
        path = given or self._core.latest_checkpoint()
        if not path:
            raise NotFittedError(f"Couldn't find trained model at {self.model_dir}.")
        return path

    def _spec(self, features: Any, labels: Any, mode: str, config: Any) -> core.EstimatorSpec:
        ops = self._call(features, labels, mode, config)
        metrics = {name: _pair(value) for name, value in ops.eval_metric_ops.items()}
        spec = ops._replace(output_alternatives=None, eval_metric_ops=metrics).estimator_spec()
        if mode != core.ModeKeys.PREDICT:
            return spec
        outputs = signatures.export_outputs(ops, self._default_head)
        return spec._replace(export_outputs=outputs)

    def _call(self, features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
        features, labels = self._engineer(features, labels)
        given = {
            "mode": mode,
            "params": self.params,
            "config": config,
            "model_dir": self.model_dir,
        }
        taken = {name: value for name, value in given.items() if name in self._parameters}
        result = self._function(features, labels, **taken)
        if not isinstance(result, ModelFnOps):
            if len(result) != 3:
                raise ValueError(
                    "Unrecognized value returned by model_fn, please return ModelFnOps."
                )
            result = ModelFnOps(mode, *result)
        if mode == core.ModeKeys.EVAL:
            for name in sorted(self._metrics, key=str):
                key, value = _metric(name, self._metrics[name], features, labels, result)
                result.eval_metric_ops[key] = value
        return result


def _metric(name: Any, metric: Any, features: Any, labels: Any, ops: ModelFnOps) -> tuple[str, Any]:
    """Returns the name and the ops of a metric that ``evaluate`` was given."""
    if isinstance(metric, MetricSpec):
        return name, metric.create_metric_ops(features, labels, ops.predictions)
    only = labels
    if isinstance(labels, dict) and len(labels) == 1:
        (only,) = labels.values()
    if not isinstance(name, tuple):
        if isinstance(ops.predictions, dict):
            raise ValueError(
                "Metrics passed provide only name, no prediction, but predictions are dict. "
                f"Metric: {name}"
            )
        return name, metric(ops.predictions, only)
    if len(name) != 2 or not isinstance(ops.predictions, dict):
        raise ValueError(
            f"Invalid metric for {name}: a tuple has a name and the name of a prediction"
        )
    key, prediction = name
    of_head = labels[prediction] if isinstance(labels, dict) and prediction in labels else only
    return key, metric(ops.predictions[prediction], of_head)


def _pair(value: Any) -> Any:
    """Returns a metric as value and update op; contrib.learn took lone values too."""
    return value if isinstance(value, (list, tuple)) else (value, tf.no_op())


def _examples(
    batches: Iterator[Any], is_constant: list[bool], iterate_batches: bool
) -> Iterator[Any]:
    for batch in batches:
        if iterate_batches:
            yield batch
        elif isinstance(batch, Mapping):
            for index in range(len(next(iter(batch.values())))):
                yield {name: values[index] for name, values in batch.items()}
        else:
            yield from batch
        if is_constant[0]:
            return


def _checked_input(
    x: Any, y: Any, input_fn: InputFunction | None, batch_size: int | None
) -> InputFunction:
    if x is not None or y is not None or (batch_size is not None and input_fn is None):
        raise ValueError(_ARRAYS)
    if input_fn is None:
        raise ValueError("Either x or input_fn must be provided.")
    if batch_size is not None:
        raise ValueError("Can not provide both input_fn and batch_size.")
    return input_fn


def _parameters(function: Callable[..., Any]) -> set[str]:
    bound = getattr(function, "keywords", None) or {}
    return set(inspect.signature(function).parameters) - set(bound)

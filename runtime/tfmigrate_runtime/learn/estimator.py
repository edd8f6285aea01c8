"""The Estimator of contrib.learn, on the engine of ``tfmigrate_runtime.estimator``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.contrib.of_learn import tensor_signature
from tfmigrate_runtime.contrib.of_learn.interfaces import (
    Evaluable,
    NotFittedError,
    Trainable,
    check_input,
)
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey
from tfmigrate_runtime.contrib.of_learn.metric_spec import make_metric_ops
from tfmigrate_runtime.estimator import saved_model
from tfmigrate_runtime.estimator.model_graph import new_graph
from tfmigrate_runtime.learn import engine_specs, model_call
from tfmigrate_runtime.learn.array_input import array_input_fn
from tfmigrate_runtime.learn.input_source import InputFunction, InputOf, predictions_of
from tfmigrate_runtime.learn.model_fn import ModeKeys
from tfmigrate_runtime.learn.run_config import RunConfig
from tfmigrate_runtime.learn.sk_compat import SKCompat

# The engine's name of a metric "loss" of the program: it gives that name to the averaged loss.
_OWN_LOSS = "loss_of_metrics"
_GLOBAL_STEP = "global_step"


class Estimator(Evaluable, Trainable):
    """Trains and evaluates a model function of contrib.learn (``tf.contrib.learn.Estimator``).

    Training, evaluation and prediction are those of ``estimator.Estimator``: with its strategies,
    checkpoints, event files and hooks.

    Attributes:
        params: what the model function gets as params: the object that was given.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | os.PathLike[str] | None = None,
        config: estimator.RunConfig | None = None,
        params: Any = None,
        feature_engineering_fn: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        """Makes an Estimator; nothing is built yet.

        Args:
            model_fn: takes features, labels and any of mode, params, config, model_dir by name;
                returns ModelFnOps, (predictions, loss, train_op), or an EstimatorSpec.
            model_dir: the folder of checkpoints and events. None: the RunConfig's, else a
                temporary one.
            config: the RunConfig, None for the default.
            params: handed to model_fn.
            feature_engineering_fn: takes features and labels, and returns those that model_fn
                gets.

        Raises:
            ValueError: there are params and model_fn takes none, or model_dir is given here and in
                the RunConfig, differently.
        """
        if model_fn is not None:
            model_call.check_params(model_fn, params)
        self._model_fn, self.params = model_fn, params
        self._feature_engineering_fn = feature_engineering_fn
        self._engine = engine_specs.Engine(
            self._model_of(None), model_dir, RunConfig() if config is None else config
        )
        self._features_signature: Any = None
        self._labels_signature: Any = None

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return self._engine.model_dir

    _model_dir = model_dir  # which programs read, too

    @property
    def config(self) -> estimator.RunConfig:
        """The RunConfig, with the model_dir in use."""
        return self._engine.config

    @property
    def model_fn(self) -> Callable[..., Any]:
        """A function (features, labels, mode, config) that calls the model function."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any = None) -> Any:
            return self._call_model_fn(features, labels, mode, config=config)

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
            x: features as an array, or arrays by name; else None.
            y: labels as an array, or arrays by name; else None.
            input_fn: returns (features, labels), or a Dataset of them.
            steps: how many steps, from where the last checkpoint stands. None: no limit.
            batch_size: rows of a step from x and y, None for all.
            monitors: SessionRunHooks; a ValidationMonitor evaluates this Estimator.
            max_steps: the global step to stop at; nothing is done if it is reached already.

        Returns:
            This Estimator.

        Raises:
            ValueError: both limits are given, or both kinds of input.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        check_input(x, y, input_fn, None, batch_size)
        if x is not None:
            SKCompat(self).fit(x, y, batch_size, steps, max_steps, monitors)
            return self
        latest = self._engine.latest_checkpoint()
        done = int(tf.train.load_variable(latest, _GLOBAL_STEP)) if latest else -1
        if max_steps is not None and max_steps <= done:
            tf.logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = list(monitors or ())
        for hook in hooks:
            if hasattr(hook, "set_estimator"):
                hook.set_estimator(self)
        if 0 in (steps, max_steps):
            hooks.append(tf.train.StopAtStepHook(steps, max_steps))  # it still runs one step
        self._engine.train(InputOf(input_fn), hooks, steps or None, max_steps or None)
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
        """Trains a step more: ``fit`` with ``steps=1`` unless it is said otherwise."""
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
            x: features as an array, or arrays by name; else None.
            y: labels as an array, or arrays by name; else None.
            input_fn: returns (features, labels), or a Dataset of them.
            feed_fn: returns what is fed in every step, by tensor.
            batch_size: rows of a batch from x and y, None for all.
            steps: how many batches, None for all.
            metrics: MetricSpecs by name, added to the model function's metrics. A function
                (predictions, labels) may stand for one.
            name: names the folder of events, "eval_<name>".
            checkpoint_path: which checkpoint, None for the latest.
            hooks: SessionRunHooks.
            log_progress: kept for compatibility.

        Returns:
            The metrics by name, with "loss" and "global_step".

        Raises:
            ValueError: both kinds of input are given, or metrics is not a dict.
            NotFittedError: there is no checkpoint.
        """
        check_input(x, y, input_fn, feed_fn, batch_size)
        if x is not None:
            return SKCompat(self).score(x, y, batch_size, steps, metrics, name)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        path = checkpoint_path or self._fitted_checkpoint()
        all_hooks = list(hooks or ())
        if feed_fn is not None:
            all_hooks.append(tf.train.FeedFnHook(feed_fn))
        if steps == 0:
            tf.logging.warning("steps=0: evaluating until the input ends.")
        engine = estimator.Estimator(self._model_of(metrics), config=self._engine.config)
        results = engine.evaluate(InputOf(input_fn), steps or None, all_hooks, path, name)
        if _OWN_LOSS in results:
            results[MetricKey.LOSS] = results.pop(_OWN_LOSS)
        return results

    def predict(
        self,
        x: Any = None,
        input_fn: InputFunction | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns predictions of the latest checkpoint, in the order of the input.

        Tensors that neither a Dataset nor a queue gives are one batch, as in contrib.learn: those
        of an iterator too.

        Args:
            x: features as an array, or arrays by name; else None.
            input_fn: returns features or (features, labels), or a Dataset of them.
            batch_size: rows of a batch from x, None for all.
            outputs: which predictions, None for all.
            as_iterable: whether to return an iterator; else the predictions for all of x, or for
                one batch of input_fn.
            iterate_batches: whether the iterator gives batches, not examples.

        Raises:
            ValueError: both kinds of input are given, or outputs do not fit the predictions.
            NotFittedError: there is no checkpoint.
        """
        check_input(x, None, input_fn, None, batch_size)
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size)
        path = self._fitted_checkpoint()
        source = InputOf(input_fn if x is None else array_input_fn(x, None, batch_size))
        keys = list(outputs) if outputs else None
        batches = self._engine.predict(
            source, keys, checkpoint_path=path, yield_single_examples=False
        )
        if not as_iterable:
            first = next(batches)
            batches.close()  # type: ignore[attr-defined]  # a generator
            return first
        return predictions_of(batches, source, iterate_batches)

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
        """Writes a SavedModel into a folder named after the time.

        Args:
            export_dir_base: where that folder is made.
            serving_input_fn: returns InputFnOps, or a ServingInputReceiver.
            default_output_alternative_key: which of several heads is served by default.
            assets_extra: files to copy, by their path below assets.extra.
            as_text: whether the proto is text.
            checkpoint_path: which checkpoint, None for the latest.
            strip_default_attrs: whether attributes with default values are left out.

        Returns:
            The folder, as bytes, as contrib.learn had it.

        Raises:
            ValueError: there is no serving_input_fn, or no such head.
            NotFittedError: there is no checkpoint.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        path = checkpoint_path or self._fitted_checkpoint()
        export_dir = saved_model.timestamped_directory(os.fspath(export_dir_base))
        with new_graph(self.config, None):
            tf.train.get_or_create_global_step()
            receiver = engine_specs.receiver_of(serving_input_fn())
            operations = self._call_model_fn(receiver.features, None, ModeKeys.INFER)
            saved_model.write(
                engine_specs.spec_of(operations),
                receiver,
                path,
                export_dir,
                self.config,
                assets_extra,
                as_text,
                strip_default_attrs,
                engine_specs.signatures_of(operations, receiver, default_output_alternative_key),
            )
        return os.fsencode(export_dir)

    def latest_checkpoint(self) -> str | None:
        """Returns the path of the latest checkpoint, None where there is none."""
        return self._engine.latest_checkpoint()

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint."""
        return self._engine.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Returns the array of a variable in the latest checkpoint."""
        return self._engine.get_variable_value(name)

    def _fitted_checkpoint(self) -> str:
        if not (path := self._engine.latest_checkpoint()):
            raise NotFittedError(f"Couldn't find trained model at {self.model_dir}.")
        return path

    def _model_of(
        self, metrics: Mapping[Any, Any] | None
    ) -> Callable[..., estimator.EstimatorSpec]:
        """Returns the model function of the engine, with metrics added for evaluation."""

        def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
            if mode == ModeKeys.INFER:
                return engine_specs.spec_of(self._get_predict_ops(features))
            self._check_signatures(features, labels)
            if mode == ModeKeys.TRAIN:
                return engine_specs.spec_of(self._get_train_ops(features, labels))
            operations = self._get_eval_ops(features, labels, metrics)
            return engine_specs.with_metrics(operations, {MetricKey.LOSS: _OWN_LOSS})

        return model_fn

    # Subclasses of contrib.learn's Estimator replaced these.
    def _get_train_ops(self, features: Any, labels: Any) -> Any:
        return self._call_model_fn(features, labels, ModeKeys.TRAIN)

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Mapping[Any, Any] | None) -> Any:
        return self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)

    def _get_predict_ops(self, features: Any) -> Any:
        # After training there are labels to build with, though nothing feeds them.
        labels = tensor_signature.create_placeholders_from_signatures(self._labels_signature)
        return self._call_model_fn(features, labels, ModeKeys.INFER)

    def _call_model_fn(
        self,
        features: Any,
        labels: Any,
        mode: str,
        metrics: Mapping[Any, Any] | None = None,
        config: Any = None,
    ) -> Any:
        """Calls the model function with those of mode, params, config, model_dir that it takes.

        Returns:
            ModelFnOps, or the EstimatorSpec that the model function returned.

        Raises:
            ValueError: it returned something else.
        """
        if self._model_fn is None:
            raise ValueError("the Estimator has no model_fn")
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        offered = {
            "mode": mode,
            "params": self.params,
            "config": config or self.config,
            "model_dir": self.model_dir,
        }
        operations = model_call.call(self._model_fn, features, labels, offered)
        if metrics:
            given_metrics = make_metric_ops(metrics, features, labels, operations.predictions)
            # Those of the caller come before the model's.
            operations = operations._replace(
                eval_metric_ops={**operations.eval_metric_ops, **given_metrics}
            )
        return operations

    def _check_signatures(self, features: Any, labels: Any) -> None:
        """Checks that input has the kinds of earlier input.

        Raises:
            ValueError: it has not.
        """
        for name, tensors in (("features", features), ("labels", labels)):
            if (known := getattr(self, f"_{name}_signature")) is None:
                setattr(self, f"_{name}_signature", tensor_signature.create_signatures(tensors))
            elif tensors is not None and not tensor_signature.tensors_compatible(tensors, known):
                raise ValueError(
                    f"{name.capitalize()} are incompatible with given information. Given {name}: "
                    f"{tensors}, required signatures: {known}."
                )

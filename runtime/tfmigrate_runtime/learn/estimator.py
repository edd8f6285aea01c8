"""The Estimator of contrib.learn, on the engine of ``tfmigrate_runtime.estimator``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.contrib.of_learn.calls import Calls, InputFunction
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey
from tfmigrate_runtime.contrib.of_learn.model_functions import WithModelFunction
from tfmigrate_runtime.contrib.of_learn.sk_compat import SKCompat
from tfmigrate_runtime.estimator import saved_model
from tfmigrate_runtime.learn import engine_specs
from tfmigrate_runtime.learn.array_input import array_input_fn
from tfmigrate_runtime.learn.input_source import InputOf, predictions_of
from tfmigrate_runtime.learn.model_fn import ModeKeys, ModelFnOps
from tfmigrate_runtime.learn.run_config import RunConfig
from tfmigrate_runtime.train.passed_on import argument_names, pass_on

# The engine's name of a metric "loss" of the program: it gives that name to the averaged loss.
_OWN_LOSS = "loss_of_metrics"


class Estimator(WithModelFunction, Calls):
    """Trains and evaluates a model function of contrib.learn (``tf.contrib.learn.Estimator``).

    Training, evaluation and prediction are those of ``estimator.Estimator``: with its strategies,
    checkpoints, event files and hooks.

    Attributes:
        params: what the model function gets as params: the object that was given.
    """

    _ops = ModelFnOps
    _specs = (estimator.EstimatorSpec,)
    _argument_names = staticmethod(argument_names)
    _sk_compat = SKCompat

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
        self._set_model_function(model_fn, params, feature_engineering_fn)
        self._engine = engine_specs.Engine(
            self._model_of(None), model_dir, RunConfig() if config is None else config
        )

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return self._engine.model_dir

    _model_dir = model_dir  # which programs read, too

    @property
    def config(self) -> estimator.RunConfig:
        """The RunConfig, with the model_dir in use."""
        return self._engine.config

    def _of_arrays(
        self, x: Any, y: Any, batch_size: int | None, shuffle: bool = False, epochs: int | None = 1
    ) -> tuple[InputFunction, None]:
        return array_input_fn(x, y, batch_size, shuffle, epochs), None

    def _train(
        self,
        input_fn: InputFunction,
        monitors: Sequence[Any] | None,
        steps: int | None,
        max_steps: int | None,
    ) -> None:
        hooks = list(monitors or ())
        for hook in hooks:
            if hasattr(hook, "set_estimator"):
                hook.set_estimator(self)
        if 0 in (steps, max_steps):
            hooks.append(tf.train.StopAtStepHook(steps, max_steps))  # it still runs one step
        self._engine.train(InputOf(input_fn), hooks, steps or None, max_steps or None)

    def _evaluate(
        self,
        path: str,
        input_fn: InputFunction,
        feed_fn: Any,
        steps: int | None,
        metrics: Mapping[Any, Any] | None,
        name: str | None,
        hooks: list[Any],
        log_progress: bool,
    ) -> dict[str, Any]:
        if feed_fn is not None:
            hooks.append(tf.train.FeedFnHook(feed_fn))
        if steps == 0:
            tf.logging.warning("steps=0: evaluating until the input ends.")
        engine = estimator.Estimator(self._model_of(metrics), config=self._engine.config)
        results = engine.evaluate(InputOf(input_fn), steps or None, hooks, path, name)
        if _OWN_LOSS in results:
            results[MetricKey.LOSS] = results.pop(_OWN_LOSS)
        return results

    def _infer(
        self,
        input_fn: InputFunction,
        feed_fn: None,
        outputs: Sequence[str] | None,
        as_iterable: bool,
        iterate_batches: bool,
    ) -> Any:
        path, source = self._fitted_checkpoint(), InputOf(input_fn)
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
        checkpoint_path = checkpoint_path or self._fitted_checkpoint()

        def build(mode: str) -> tuple[Any, dict[str, Any]]:
            tf.train.get_or_create_global_step()
            receiver = engine_specs.receiver_of(serving_input_fn())
            operations = self._call_model_fn(receiver.features, None, mode)
            return operations.scaffold, engine_specs.signatures_of(
                operations, receiver, default_output_alternative_key
            )

        modes, config = [ModeKeys.INFER], self.config
        return pass_on(saved_model.write, locals())

    def latest_checkpoint(self) -> str | None:
        """Returns the path of the latest checkpoint, None where there is none."""
        return self._engine.latest_checkpoint()

    _newest_checkpoint = latest_checkpoint

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint."""
        return self._engine.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Returns the array of a variable in the latest checkpoint."""
        return self._engine.get_variable_value(name)

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

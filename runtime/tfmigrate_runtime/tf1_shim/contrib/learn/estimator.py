"""tf.contrib.learn.Estimator: an Estimator of a model function."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.interfaces import NotFittedError
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey
from tfmigrate_runtime.contrib.of_learn.model_functions import WithModelFunction
from tfmigrate_runtime.tf1_shim.contrib.learn import saved_model
from tfmigrate_runtime.tf1_shim.contrib.learn.base_estimator import BaseEstimator
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import RunConfig
from tfmigrate_runtime.tf1_shim.contrib.learn.saved_model import GraphRewriteSpec
from tfmigrate_runtime.tf1_shim.contrib.learn.sk_compat import SKCompat
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

__all__ = ["BaseEstimator", "Estimator", "GraphRewriteSpec", "NotFittedError", "SKCompat"]


class Estimator(WithModelFunction, BaseEstimator):
    """Trains, evaluates, predicts and exports the model of a function."""

    _ops = ModelFnOps

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Takes the model function.

        Args:
            model_fn: takes features and labels, and by their names mode, params, config and
                model_dir; returns ModelFnOps or (predictions, loss, train_op).
            model_dir: the folder of checkpoints.
            config: how to run.
            params: given to model_fn.
            feature_engineering_fn: changes features and labels before model_fn gets them.

        Raises:
            ValueError: model_fn takes no params, but some are given.
        """
        super().__init__(model_dir=model_dir, config=config)
        self._set_model_function(model_fn, params, feature_engineering_fn)

    def export(self, *arguments: Any, **options: Any) -> Any:
        """Is not emulated: TensorFlow reads and writes session bundles no more.

        Raises:
            AttributeError: always.
        """
        raise not_emulated("tf.contrib.learn.Estimator.export")

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Sequence[GraphRewriteSpec] = saved_model.AS_IT_IS,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes a SavedModel below a folder, into one named by the time; returns that one.

        Raises:
            ValueError: there is no input function, no default head, or a first graph that is
                transformed.
            NotFittedError: there is no checkpoint.
            AttributeError: further, transformed graphs, which are not emulated.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        saved_model.check_rewrites(graph_rewrite_specs)
        return saved_model.write(
            export_dir_base,
            checkpoint_path or self._fitted_checkpoint(),
            serving_input_fn,
            lambda features: self._call_model_fn(features, None, ModeKeys.INFER),
            default_output_alternative_key,
            assets_extra,
            as_text,
            graph_rewrite_specs[0].tags,
            strip_default_attrs,
        )

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> Any:
        """Builds the model with metrics; the mean of the losses unless it has its own."""
        model = super()._get_eval_ops(features, labels, metrics)
        if MetricKey.LOSS not in model.eval_metric_ops:
            model.eval_metric_ops[MetricKey.LOSS] = tf.metrics.mean(model.loss)
        return model

    @staticmethod
    def _argument_names(function: Any) -> list[str]:
        """Returns the names that a function still takes, as positions or by name."""
        if isinstance(function, functools.partial):
            inner = inspect.getfullargspec(function.func).args[len(function.args) :]
            return [name for name in inner if name not in function.keywords]
        return inspect.getfullargspec(inspect.unwrap(function)).args

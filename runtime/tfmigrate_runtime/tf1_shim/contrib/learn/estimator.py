"""tf.contrib.learn.Estimator: an Estimator of a model function."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.interfaces import NotFittedError
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey
from tfmigrate_runtime.contrib.of_learn.metric_spec import make_metric_ops
from tfmigrate_runtime.contrib.of_learn.tensor_signature import create_placeholders_from_signatures
from tfmigrate_runtime.tf1_shim.contrib.learn import saved_model
from tfmigrate_runtime.tf1_shim.contrib.learn.base_estimator import BaseEstimator
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import RunConfig
from tfmigrate_runtime.tf1_shim.contrib.learn.saved_model import GraphRewriteSpec
from tfmigrate_runtime.tf1_shim.contrib.learn.sk_compat import SKCompat
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

__all__ = ["BaseEstimator", "Estimator", "GraphRewriteSpec", "NotFittedError", "SKCompat"]


class Estimator(BaseEstimator):
    """Trains, evaluates, predicts and exports the model of a function."""

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
        if model_fn is not None:
            takes_params = "params" in _argument_names(model_fn)
            if params is not None and not takes_params:
                raise ValueError(
                    f"Estimator's model_fn ({model_fn}) does not have a params argument, but "
                    f"params ({params}) were passed to the Estimator's constructor."
                )
            if params is None and takes_params:
                tf.logging.warning(
                    "Estimator's model_fn (%s) includes params argument, but params are not "
                    "passed to Estimator.",
                    model_fn,
                )
        self._model_fn: Any = model_fn
        self.params = params
        self._feature_engineering_fn = feature_engineering_fn

    @property
    def model_fn(self) -> Callable[..., ModelFnOps]:
        """The model as a function of features, labels, mode and config."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

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
            checkpoint_path or self._latest_checkpoint(),
            serving_input_fn,
            lambda features: self._call_model_fn(features, None, ModeKeys.INFER),
            default_output_alternative_key,
            assets_extra,
            as_text,
            graph_rewrite_specs[0].tags,
            strip_default_attrs,
        )

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        """Builds the model.

        Raises:
            ValueError: the model function returns something else.
        """
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        offered = {
            "mode": mode,
            "params": self.params,
            "config": config or self.config,
            "model_dir": self.model_dir,
        }
        taken = _argument_names(self._model_fn)
        arguments = {name: value for name, value in offered.items() if name in taken}
        model = self._model_fn(features, labels, **arguments)
        if not isinstance(model, ModelFnOps):
            if len(model) != 3:
                raise ValueError(
                    "Unrecognized value returned by model_fn, please return ModelFnOps."
                )
            predictions, loss, train_op = model
            model = ModelFnOps(mode, predictions, loss, train_op)
        if metrics:
            own = make_metric_ops(metrics, features, labels, model.predictions)
            model.eval_metric_ops.update(own)
        return model

    def _get_train_ops(self, features: Any, labels: Any) -> ModelFnOps:
        return self._call_model_fn(features, labels, ModeKeys.TRAIN)

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> ModelFnOps:
        """Builds the model with metrics; the mean of the losses unless it has its own."""
        model = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)
        if MetricKey.LOSS not in model.eval_metric_ops:
            model.eval_metric_ops[MetricKey.LOSS] = tf.metrics.mean(model.loss)
        return model

    def _get_predict_ops(self, features: Any) -> ModelFnOps:
        labels = create_placeholders_from_signatures(self._labels_info)
        return self._call_model_fn(features, labels, ModeKeys.INFER)


def _argument_names(function: Any) -> list[str]:
    """Returns the names of the arguments that a function still takes, as positions or by name."""
    if isinstance(function, functools.partial):
        inner = inspect.getfullargspec(function.func).args[len(function.args) :]
        return [name for name in inner if name not in function.keywords]
    return inspect.getfullargspec(inspect.unwrap(function)).args

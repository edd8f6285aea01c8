"""The model of an Estimator of contrib.learn, of both runtimes: its model function, called."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn import tensor_signature
from tfmigrate_runtime.contrib.of_learn.metric_spec import make_metric_ops
from tfmigrate_runtime.contrib.of_learn.model_fn import ModeKeys


class WithModelFunction:
    """The part of an Estimator that calls its model function.

    Attributes:
        params: what the model function gets as params: the object that was given.
        _ops: the ModelFnOps of the runtime.
        _specs: other classes that a model function may return an object of.
        _argument_names: returns the names of the arguments that a function takes.
    """

    _ops: ClassVar[Any]
    _specs: ClassVar[tuple[type, ...]] = ()
    _argument_names: Callable[[Any], Iterable[str]]
    config: Any
    model_dir: Any
    _labels_signature: Any

    def _set_model_function(
        self, model_fn: Callable[..., Any] | None, params: Any, feature_engineering_fn: Any
    ) -> None:
        """Takes the model function.

        Raises:
            ValueError: there are params, and it takes none.
        """
        takes_params = model_fn is not None and "params" in self._argument_names(model_fn)
        if model_fn is not None and params is not None and not takes_params:
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params "
                f"({params}) were passed to the Estimator's constructor."
            )
        if params is None and takes_params:
            tf.logging.warning(
                "Estimator's model_fn (%s) includes params argument, but params are not passed to "
                "Estimator.",
                model_fn,
            )
        self._model_fn, self.params = model_fn, params
        self._feature_engineering_fn = feature_engineering_fn

    @property
    def model_fn(self) -> Callable[..., Any]:
        """A function (features, labels, mode, config) that calls the model function."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any = None) -> Any:
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

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
            ModelFnOps, or what else it returned that it may.

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
        names = self._argument_names(self._model_fn)
        taken = {name: value for name, value in offered.items() if name in names}
        operations = self._model_fn(features, labels, **taken)
        if not isinstance(operations, (self._ops, *self._specs)):
            if not isinstance(operations, (tuple, list)) or len(operations) != 3:
                raise ValueError(
                    "Unrecognized value returned by model_fn, please return ModelFnOps."
                )
            operations = self._ops(mode, *operations)
        if metrics:
            own = make_metric_ops(metrics, features, labels, operations.predictions)
            # Those of the caller come before the model's.
            operations = operations._replace(eval_metric_ops={**operations.eval_metric_ops, **own})
        return operations

"""Calling a model function of contrib.learn with the arguments that it takes."""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import EstimatorSpec
from tfmigrate_runtime.estimator.arguments import argument_names
from tfmigrate_runtime.learn.model_fn import ModelFnOps


def check_params(model_fn: Callable[..., Any], params: Any) -> None:
    """Checks that a model function takes params where there are some.

    Raises:
        ValueError: it does not.
    """
    takes_params = "params" in argument_names(model_fn)
    if params is not None and not takes_params:
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


def call(
    model_fn: Callable[..., Any], features: Any, labels: Any, arguments: Mapping[str, Any]
) -> ModelFnOps | EstimatorSpec:
    """Calls a model function.

    Args:
        model_fn: takes features and labels, whatever their names are, and others by name.
        features: a tensor, or tensors by name.
        labels: a tensor, or tensors by name.
        arguments: the others, "mode" among them.

    Returns:
        What it returned; a tuple (predictions, loss, train_op) as ModelFnOps.

    Raises:
        ValueError: it returned something else.
    """
    names = argument_names(model_fn)
    returned = model_fn(
        features, labels, **{name: value for name, value in arguments.items() if name in names}
    )
    if isinstance(returned, (ModelFnOps, EstimatorSpec)):
        return returned
    if not isinstance(returned, (tuple, list)) or len(returned) != 3:
        raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
    predictions, loss, train_op = returned
    return ModelFnOps(arguments["mode"], predictions, loss, train_op)

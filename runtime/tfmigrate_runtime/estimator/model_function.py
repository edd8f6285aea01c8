"""Calling a model function with the arguments that it takes."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.spec import EstimatorSpec

ModelFunction = Callable[..., Any]
_OPTIONAL = ("labels", "mode", "params", "config")


def check_model_function(model_fn: ModelFunction, params: Any, *, of_towers: bool) -> None:
    """Checks the parameters of a model function.

    Args:
        model_fn: the model function.
        params: what the Estimator is given for it, None for nothing.
        of_towers: whether replicate_model_fn wrapped it, whose result took params for any.

    Raises:
        ValueError: it is not a function, takes no features, no params though there are some, or
            requires something unknown.
    """
    if not callable(model_fn):
        raise ValueError(f"model_fn must be callable, given: {model_fn!r}")
    names, takes_any = _parameters(model_fn)
    if "features" not in names and not takes_any:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in names and not takes_any:
        if not of_towers:
            raise ValueError(
                f"model_fn ({model_fn}) does not include params argument, but params ({params}) is "
                "passed to Estimator."
            )
        tf.logging.warning(
            "model_fn (%s) has no argument params; the params are ignored.", model_fn
        )
    if unknown := sorted(names - {"features", "self", *_OPTIONAL}):
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {unknown}")


def call_model_function(
    model_fn: ModelFunction,
    features: Any,
    labels: Any,
    mode: str,
    params: Any,
    config: Any,
    *,
    logs: bool = True,
) -> EstimatorSpec:
    """Calls a model function with those of labels, mode, params and config that it takes.

    With ``logs`` the lines that tf.estimator logged around the call are logged.

    Raises:
        ValueError: labels are there but not taken, or something else than a spec is returned.
    """
    names, takes_any = _parameters(model_fn)
    offered = {"labels": labels, "mode": mode, "params": params, "config": config}
    if "labels" not in names and not takes_any and labels is not None:
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    arguments = {name: v for name, v in offered.items() if name in names or takes_any}
    with logged_call() if logs else contextlib.nullcontext():
        spec = model_fn(features=features, **arguments)
    if not isinstance(spec, EstimatorSpec):
        raise ValueError(
            "model_fn should return an EstimatorSpec of tfmigrate_runtime.estimator, "
            f"got {type(spec).__name__}."
        )
    return spec


def without_labels(model_fn: ModelFunction) -> ModelFunction:
    """Returns a model function to which an input's labels are not given, for PREDICT."""

    def predicting(features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:
        return call_model_function(model_fn, features, None, mode, params, config, logs=False)

    return predicting


@contextlib.contextmanager
def logged_call() -> Iterator[None]:
    """Logs that a model function is called, and that it was, in the words of tf.estimator."""
    tf.logging.info("Calling model_fn.")
    yield
    tf.logging.info("Done calling model_fn.")


def _parameters(function: ModelFunction) -> tuple[set[str], bool]:
    """Returns the names of a callable's open parameters, and whether it takes any keyword."""
    names, takes_any = set(), False
    bound = getattr(function, "keywords", None) or {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            takes_any = True
        elif name not in bound and parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            optional = parameter.default is not inspect.Parameter.empty
            if name in ("features", *_OPTIONAL) or not optional:
                names.add(name)
    return names, takes_any

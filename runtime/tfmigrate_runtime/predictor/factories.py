"""Predictors of saved models and of Estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator as estimators
from tfmigrate_runtime.predictor.predictor import Predictor

_DEFAULT = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


def from_saved_model(
    export_dir: str,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: tf.Graph | None = None,
    config: Any = None,
) -> Predictor:
    """Returns a predictor of a model that was exported.

    Args:
        export_dir: the SavedModel's folder.
        signature_def_key: which of its signatures, "serving_default" by default.
        signature_def: a signature that it does not have.
        input_names: the names of tensors, by those that the predictor takes; with output_names.
        output_names: the names of tensors, by those of the predictions.
        tags: separated by commas, "serve" by default.
        graph: the graph to load the model into, a new one by default.
        config: ConfigProto of the session.

    Raises:
        ValueError: more than one of key, signature and names are given, or only one of the names,
            or there is no such signature.
    """
    if (input_names is None) != (output_names is None):
        raise ValueError(
            "input_names and output_names must both be specified or both be unspecified."
        )
    given = [
        value for value in (signature_def_key, signature_def, input_names) if value is not None
    ]
    if len(given) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )
    graph = graph or tf.Graph()
    with graph.as_default():
        session = tf.Session(config=config)
        model = tf.saved_model.load(session, (tags or "serve").split(","), export_dir)
    if input_names is None or output_names is None:
        signature = signature_def or _signature(model, signature_def_key or _DEFAULT)
        input_names, output_names = _names(signature.inputs), _names(signature.outputs)
    return Predictor(graph, session, input_names, output_names)


def from_estimator(
    estimator: estimators.Estimator,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: tf.Graph | None = None,
    config: Any = None,
) -> Predictor:
    """Returns a predictor of an Estimator's last checkpoint.

    Args:
        estimator: one that has been trained.
        serving_input_receiver_fn: makes what it is fed with, a ServingInputReceiver.
        output_key: which of the export_outputs, "serving_default" by default.
        graph: the graph to build the model in, a new one by default.
        config: ConfigProto of the session.

    Raises:
        TypeError: it is no Estimator.
        KeyError: it has no such output.
    """
    if not isinstance(estimator, estimators.Estimator):
        raise TypeError(
            "Expected estimator to be of type tfmigrate_runtime.estimator.Estimator, "
            f"but got type {type(estimator)}."
        )
    graph = graph or tf.Graph()
    key = output_key or _DEFAULT
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator.model_fn(
            receiver.features, None, estimators.ModeKeys.PREDICT, estimator.config
        )
        outputs = spec.export_outputs or {}
        if key not in outputs:
            raise KeyError(f"output_key must be one of {list(outputs)}; got {key}")
        signature = outputs[key].signature(receiver.receiver_tensors)
        session = tf.train.MonitoredSession(
            session_creator=tf.train.ChiefSessionCreator(
                config=config, checkpoint_dir=estimator.model_dir
            )
        )
    return Predictor(graph, session, _names(signature.inputs), _names(signature.outputs))


def _signature(model: Any, key: str) -> Any:
    """Returns a signature; tf.contrib.learn wrote them with a prefix.

    Raises:
        ValueError: there is none of this name.
    """
    for name in (key, f"default_input_alternative:{key}"):
        if name in model.signature_def:
            return model.signature_def[name]
    raise ValueError(
        f'Got signature_def_key "{key}". Available signatures are {list(model.signature_def)}.'
    )


def _names(tensors: Mapping[str, Any]) -> dict[str, str]:
    return {key: information.name for key, information in tensors.items()}

"""Predictors of Estimators."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator as estimators
from tfmigrate_runtime.contrib.saved_model_predictor import DEFAULT_SIGNATURE, Predictor, names_of


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
        TypeError: it is not an Estimator.
        KeyError: it has no such output.
    """
    if not isinstance(estimator, estimators.Estimator):
        raise TypeError(
            "Expected estimator to be of type tfmigrate_runtime.estimator.Estimator, "
            f"but got type {type(estimator)}."
        )
    graph = graph or tf.Graph()
    key = output_key or DEFAULT_SIGNATURE
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
    return Predictor(graph, session, names_of(signature.inputs), names_of(signature.outputs))

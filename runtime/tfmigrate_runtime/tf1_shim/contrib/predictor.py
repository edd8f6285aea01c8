"""tf.contrib.predictor."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import Estimator, ModeKeys
from tfmigrate_runtime.contrib.saved_model_predictor import (
    DEFAULT_SIGNATURE,
    Predictor,
    from_saved_model,
    names_of,
)
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

__all__ = ["Predictor", "from_estimator", "from_saved_model"]


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: tf.Graph | None = None,
    config: Any = None,
) -> Predictor:
    """Returns a predictor of the last checkpoint of a ``Estimator``.

    Args:
        estimator: one that has been trained.
        serving_input_receiver_fn: makes what it is fed with, a ServingInputReceiver.
        output_key: which of the export_outputs, "serving_default" by default.
        graph: the graph to build the model in, a new one by default.
        config: ConfigProto of the session.

    Raises:
        AttributeError: it is an Estimator of tf.contrib.learn, whose predictors are not emulated.
        KeyError: it has no such output.
    """
    if not isinstance(estimator, Estimator):
        raise not_emulated(f"tf.contrib.predictor.from_estimator of {type(estimator).__name__}")
    graph = graph or tf.Graph()
    key = output_key or DEFAULT_SIGNATURE
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator.model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
        if key not in spec.export_outputs:
            raise KeyError(f"output_key must be one of {spec.export_outputs.keys()}; got {key}")
        signature = spec.export_outputs[key].as_signature_def(receiver.receiver_tensors)
        session = tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
        )
    return Predictor(graph, session, names_of(signature.inputs), names_of(signature.outputs))

"""Predictors of saved models: a session, and the names of its feeds and fetches."""

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

DEFAULT_SIGNATURE = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class Predictor:
    """A model in its own session; see tensorflow/contrib/predictor/predictor.py.

    Attributes:
        graph: the model's graph.
        session: its session.
        feed_tensors: what it is fed with, by the names in the signature.
        fetch_tensors: what it returns, by theirs.
    """

    def __init__(
        self, graph: tf.Graph, session: Any, inputs: Mapping[str, str], outputs: Mapping[str, str]
    ) -> None:
        self.graph, self.session = graph, session
        self.feed_tensors = {k: graph.get_tensor_by_name(name) for k, name in inputs.items()}
        self.fetch_tensors = {k: graph.get_tensor_by_name(name) for k, name in outputs.items()}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self.feed_tensors} "
            f"and fetch_tensors {self.fetch_tensors}"
        )

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """Returns predictions, arrays by their names.

        Args:
            input_dict: arrays by the names of inputs; the model's own defaults, where it has some,
                stand for those that are not there or None.

        Raises:
            ValueError: a name is not an input's.
        """
        if unexpected := set(input_dict) - set(self.feed_tensors):
            raise ValueError(
                f"Got unexpected keys in input_dict: {unexpected}\n"
                f"expected: {set(self.feed_tensors)}"
            )
        fed = {
            tensor: input_dict[name]
            for name, tensor in self.feed_tensors.items()
            if input_dict.get(name) is not None
        }
        predictions: dict[str, Any] = self.session.run(self.fetch_tensors, feed_dict=fed)
        return predictions


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
    selectors = [
        value for value in (signature_def_key, signature_def, input_names) if value is not None
    ]
    if len(selectors) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )
    graph = graph or tf.Graph()
    with graph.as_default():
        session = tf.Session(config=config)
        model = tf.saved_model.load(session, (tags or "serve").split(","), export_dir)
    if input_names is None or output_names is None:
        signature = signature_def or _signature(model, signature_def_key or DEFAULT_SIGNATURE)
        input_names, output_names = names_of(signature.inputs), names_of(signature.outputs)
    return Predictor(graph, session, input_names, output_names)


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


def names_of(tensors: Mapping[str, Any]) -> dict[str, str]:
    """Returns the names of the tensors of a signature, by their keys in it."""
    return {key: information.name for key, information in tensors.items()}

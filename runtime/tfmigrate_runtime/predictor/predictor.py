"""A session with a model, and the names of what it is fed with and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf


class Predictor:
    """A model in a session of its own; see tensorflow/contrib/predictor/predictor.py.

    Attributes:
        graph: the model's graph.
        session: its session.
        feed_tensors: what it is fed with, by the names in the signature.
        fetch_tensors: what it returns, by theirs.
    """

    def __init__(
        self,
        graph: tf.Graph,
        session: Any,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
    ) -> None:
        self.graph = graph
        self.session = session
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
            ValueError: a name is no input's.
        """
        unexpected = set(input_dict) - set(self.feed_tensors)
        if unexpected:
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

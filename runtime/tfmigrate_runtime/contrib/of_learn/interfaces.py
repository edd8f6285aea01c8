"""What Estimators of tf.contrib.learn have in common; what Experiment asks of them."""

import abc
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


class NotFittedError(ValueError, AttributeError):
    """There is no checkpoint to evaluate, predict with or export (``NotFittedError``)."""


def check_input(x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: int | None) -> None:
    """Checks that input is either arrays or a function.

    Raises:
        ValueError: it is both or none.
    """
    if input_fn is None:
        if x is None:
            raise ValueError("Either x or input_fn must be provided.")
        if tf.is_tensor(x) or tf.is_tensor(y):
            raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
        if feed_fn is not None:
            raise ValueError("Can not provide both feed_fn and x or y.")
    elif x is not None or y is not None:
        raise ValueError("Can not provide both input_fn and x or y.")
    elif batch_size is not None:
        raise ValueError("Can not provide both input_fn and batch_size.")


def joined(batches: Sequence[Any]) -> Any:
    """Returns the predictions of several batches as those of one: an array, or arrays by name."""
    if not isinstance(batches[0], dict):
        return np.concatenate(batches)
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


class Evaluable(abc.ABC):
    """Something that can be evaluated (``tf.contrib.learn.Evaluable``)."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> Any:
        """The folder of checkpoints and event files."""

    @abc.abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Returns metrics by name; see ``Estimator.evaluate``."""


class Trainable(abc.ABC):
    """Something that can be trained (``tf.contrib.learn.Trainable``)."""

    @abc.abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains and returns itself; see ``Estimator.fit``."""

"""What Experiment asks of its Estimator: tf.contrib.learn's abstract classes."""

import abc
from typing import Any


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

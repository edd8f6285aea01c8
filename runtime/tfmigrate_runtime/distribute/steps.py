"""Training steps of tf.contrib.distribute: its Step, and those that it had of it."""

from collections.abc import Callable
from typing import Any


class Step:
    """One step of training under a strategy; a subclass says what it does by ``__call__``."""

    def __init__(self, distribution: Any) -> None:
        """Takes the strategy."""
        self._distribution = distribution

    @property
    def distribution(self) -> Any:
        """The strategy."""
        return self._distribution

    def initialize(self) -> Any:
        """Returns what has to be run before the first step."""
        return []

    def __call__(self) -> Any:
        """Returns what makes the step."""
        raise NotImplementedError("subclasses of Step must implement __call__")


class StandardInputStep(Step):
    """A step with a dataset of which each replica gets its own batches."""

    def __init__(self, dataset_fn: Callable[[], Any], distribution: Any) -> None:
        """Makes the iterator.

        Args:
            dataset_fn: makes the ``tf.data.Dataset``, with batches for one replica.
            distribution: the strategy.
        """
        super().__init__(distribution)
        self._iterator = distribution.make_input_fn_iterator(lambda context: dataset_fn())

    def initialize(self) -> Any:
        """Returns the initializer of the iterator."""
        return self._iterator.initialize()


class StandardSingleLossStep(StandardInputStep):
    """A step that minimizes one loss.

    Gradients of the replicas are added up, as by ``tf.contrib.distribute``: a loss that is the
    mean over a replica's batch makes steps N times as large under N replicas.
    """

    def __init__(
        self,
        dataset_fn: Callable[[], Any],
        loss_fn: Callable[..., Any],
        optimizer: Any,
        distribution: Any,
        iterations_per_step: int = 1,
    ) -> None:
        """Takes what a step is made of.

        Args:
            dataset_fn: makes the ``tf.data.Dataset``, with batches for one replica.
            loss_fn: called with a context and the batch; returns the loss, a scalar.
            optimizer: a ``tf.train`` optimizer.
            distribution: the strategy.
            iterations_per_step: how many batches one step trains on, one after the other.
        """
        super().__init__(dataset_fn, distribution)
        self._loss_fn, self._optimizer = loss_fn, optimizer
        self._iterations_per_step = iterations_per_step

    def __call__(self) -> Any:
        """Returns the op that makes the step."""

        def minimize(context: Any, inputs: Any) -> Any:
            pairs = self._optimizer.compute_gradients(lambda: self._loss_fn(context, inputs))
            return self._optimizer.apply_gradients([pair for pair in pairs if pair[0] is not None])

        def step(context: Any, inputs: Any) -> Any:
            updates = self._distribution.extended.call_for_each_replica(
                minimize, args=(context, inputs)
            )
            return self._distribution.group(updates)

        with self._distribution.scope():
            context = self._distribution.extended.experimental_run_steps_on_iterator(
                step, self._iterator, self._iterations_per_step
            )
            return context.run_op

"""tf.contrib.estimator.TowerOptimizer: the gradients of all towers, applied once."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf


class GraphState:
    """What the towers of one graph tell each other while they are built, one after the other."""

    def __init__(self) -> None:
        """Starts with one tower, as where there is no replicate_model_fn."""
        self.towers = 1
        self.loss_reduction: Any = None
        self.optimizer_was_used, self._tower = False, 0
        self._first_tower: tuple[Any, str] | None = None
        # By tower: what each apply_gradients of it was given, in the order of the calls.
        self._given: dict[int, list[Iterable[Any]]] = {}

    @contextmanager
    def tower(self, index: int, variable_scope: Any, name_scope: str) -> Iterator[None]:
        """Is the time in which a tower's model function runs."""
        if index == 0:
            self._first_tower = (variable_scope, name_scope)
        self._tower = index
        yield

    @property
    def is_last_tower(self) -> bool:
        """Whether the tower being built is the one that applies the gradients."""
        return self._tower == self.towers - 1

    @property
    def scopes_of_first_tower(self) -> tuple[Any, str]:
        """The variable scope and the name scope whose names have no prefix.

        Raises:
            RuntimeError: no tower was begun.
        """
        if self._first_tower is None:
            raise RuntimeError("apply_gradients was called outside of the towers")
        return self._first_tower

    def collect(self, grads_and_vars: Iterable[Any]) -> None:
        """Keeps what apply_gradients was given, as it is: an iterator is kept unread."""
        self._given.setdefault(self._tower, []).append(grads_and_vars)

    def of_all_towers(self) -> list[tuple[Any, Any]]:
        """Returns the (gradient, variable) pairs of every tower's call of the same number.

        An iterator that was read before has none left: the ``zip`` of semantics 1.9.
        """
        call = len(self._given[self._tower]) - 1
        return [pair for tower in range(self._tower + 1) for pair in self._given[tower][call]]

    def towers_called_alike(self) -> bool:
        """Returns whether the calls can be shared out evenly over the towers."""
        return sum(len(calls) for calls in self._given.values()) % self.towers == 0


class TowerOptimizer(tf.train.Optimizer):  # type: ignore[misc]
    """Collects the gradients of all towers; the last tower applies their sum.

    Outside of replicate_model_fn, and with one tower, it only forwards (semantics 1.17). Each
    tower has to call the same optimizers in the same order (1.18).
    """

    COLLECTION_FOR_GRAPH_STATES = "replicate_model_fn_graph_states"

    def __init__(self, optimizer_or_optimizer_fn: Any) -> None:
        """Wraps an optimizer, or a function without arguments that makes one.

        The base class is not initialised: all of its state is the wrapped optimizer's.
        """
        self._optimizer_or_optimizer_fn = optimizer_or_optimizer_fn

    @staticmethod
    def has_been_used() -> bool:
        """Returns whether a TowerOptimizer was used in the towers of the default graph."""
        return graph_state().optimizer_was_used

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Is the wrapped optimizer's."""
        return self._get_optimizer().get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Is the wrapped optimizer's."""
        return self._get_optimizer().get_slot_names(*args, **kwargs)

    def get_name(self, *args: Any, **kwargs: Any) -> Any:
        """Is the wrapped optimizer's."""
        return self._get_optimizer().get_name(*args, **kwargs)

    def variables(self, *args: Any, **kwargs: Any) -> Any:
        """Is the wrapped optimizer's."""
        return self._get_optimizer().variables(*args, **kwargs)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients of the loss divided by the towers (semantics 1.3)."""
        state = graph_state()
        loss = scale_loss(loss, state.loss_reduction, state.towers)
        return self._get_optimizer().compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: Any = None, **kwargs: Any
    ) -> Any:
        """Applies the sum over the towers in the last one; waits for the gradients in others."""
        state = graph_state()
        if state.towers == 1:
            return self._get_optimizer().apply_gradients(grads_and_vars, global_step, **kwargs)
        state.collect(grads_and_vars)
        if not state.is_last_tower:
            # Reads the pairs: of a zip nothing is left for the last tower.
            with tf.control_dependencies(_tensors(grads_and_vars)):
                return tf.no_op(name="train_op_placeholder")
        variable_scope, name_scope = state.scopes_of_first_tower
        with tf.variable_scope(variable_scope), tf.name_scope(name_scope):
            return self._apply_sums(state, global_step, **kwargs)

    def _apply_sums(self, state: GraphState, global_step: Any, **kwargs: Any) -> Any:
        optimizer = self._get_optimizer()
        by_variable: dict[Any, list[Any]] = {}
        for gradient, variable in state.of_all_towers():
            if gradient is not None:
                by_variable.setdefault(variable, []).append(gradient)
        with tf.name_scope("gradient_aggregating"):
            sums = [
                (sum_on_device(gradients, variable.device), variable)
                for variable, gradients in by_variable.items()
            ]
        return optimizer.apply_gradients(sums, global_step=global_step, **kwargs)

    def _get_optimizer(self) -> Any:
        if callable(self._optimizer_or_optimizer_fn):
            # Called here, not at construction: the graph is the right one now.
            self._optimizer_or_optimizer_fn = self._optimizer_or_optimizer_fn()
        graph_state().optimizer_was_used = True
        return self._optimizer_or_optimizer_fn


def graph_state() -> GraphState:
    """Returns the state of the default graph's towers, made where there is none."""
    states = tf.get_default_graph().get_collection_ref(TowerOptimizer.COLLECTION_FOR_GRAPH_STATES)
    if not states:
        states.append(GraphState())
    state: GraphState = states[-1]
    return state


def clear_graph_state() -> None:
    """Forgets the state, which could not be written into a MetaGraphDef."""
    tf.get_default_graph().clear_collection(TowerOptimizer.COLLECTION_FOR_GRAPH_STATES)


def scale_loss(loss: Any, loss_reduction: Any, towers: int) -> Any:
    """Returns a tower's loss, divided by the towers unless it is to be a sum (semantics 1.3)."""
    if loss is None or towers == 1 or loss_reduction == tf.losses.Reduction.SUM:
        return loss
    return tf.realdiv(loss, 1.0 * towers, name="averaged_loss")


def sum_on_device(values: list[Any], device: str, name: str | None = None) -> Any:
    """Returns the sum of the towers' values; IndexedSlices are concatenated (semantics 1.7).

    Raises:
        ValueError: a name is given for IndexedSlices.
    """
    with tf.device(device):
        if not isinstance(values[0], tf.IndexedSlices):
            return tf.add_n(values, name=name)
        if name:
            raise ValueError(
                f"The name {name} is not expected to be given to IndexedSlices {values}"
            )
        return tf.IndexedSlices(
            tf.concat([slices.values for slices in values], axis=0),
            tf.concat([slices.indices for slices in values], axis=0),
            values[0].dense_shape,
        )


def _tensors(grads_and_vars: Iterable[Any]) -> list[Any]:
    gradients = [gradient for gradient, _ in grads_and_vars if gradient is not None]
    return [
        gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        for gradient in gradients
    ]

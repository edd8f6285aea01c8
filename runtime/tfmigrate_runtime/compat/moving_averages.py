"""Moving averages that replicas move as often as the towers of one graph did."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

_updates_of_towers = 1  # how often a step moves an average, see moving_averages_of_towers


@contextlib.contextmanager
def moving_averages_of_towers(count: int) -> Iterator[None]:
    """Lets tf.layers' batch normalisation move its averages once for every replica in a step.

    Each tower updated the one shared average, N times a step (semantics.md, 1.11); a replica
    updates its own copy once. With momentum m^N the mean of the copies, which is what is saved,
    is that of N updates in any order. Without it the averages of short trainings lag behind.
    """
    global _updates_of_towers
    layer = tf.layers.BatchNormalization
    own = layer.__dict__.get("_assign_moving_average")
    once = layer._assign_moving_average

    def as_often(self: Any, variable: Any, value: Any, momentum: Any, *more: Any) -> Any:
        return once(self, variable, value, momentum**count, *more)

    layer._assign_moving_average = as_often
    before, _updates_of_towers = _updates_of_towers, count
    try:
        yield
    finally:
        _updates_of_towers = before
        if own is None:
            del layer._assign_moving_average
        else:
            layer._assign_moving_average = own


def as_often_as_towers(once: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``assign_moving_average`` for layers that are not of tf.layers.

    Args:
        once: the function of TensorFlow, of a variable, a value and a decay.

    Returns:
        The same, which moves once for every tower within ``moving_averages_of_towers``.
    """

    def as_often(variable: Any, value: Any, decay: Any, *more: Any, **options: Any) -> Any:
        return once(variable, value, decay**_updates_of_towers, *more, **options)

    return as_often

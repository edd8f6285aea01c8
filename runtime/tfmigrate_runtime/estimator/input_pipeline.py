"""From an input function to the features and labels of every replica."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.global_batch import split_batch
from tfmigrate_runtime.estimator.step_plan import EVERY_STEP
from tfmigrate_runtime.train.passed_on import pass_on

InputFunction = Callable[..., Any]


@dataclass(frozen=True)
class Inputs:
    """What the replicas of one graph are fed.

    Attributes:
        replicas: (features, labels) by replica; labels are None where there are none.
        hooks: hooks that must run in the session, to start the iterator.
        present: scalar bool tensors by replica: whether there was a batch for it; None where
            there always is.
    """

    replicas: list[tuple[Any, Any]]
    hooks: list[Any]
    present: list[Any] | None = None


class AtTheEnd(enum.Enum):
    """What replicas get for which the input has no batch left, when it has one for others."""

    STOP = "no step is run"
    NO_ROWS = "an empty batch, as from tf.distribute"
    REPEAT = "the first replica's batch, whose results are dropped"


class _InitializeIterator(tf.train.SessionRunHook):  # type: ignore[misc]
    """Starts an iterator once the session is there."""

    def __init__(self, initializer: Any) -> None:
        self._initializer = initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)

    def steps_without_me(self, global_step: int) -> int:
        """Returns how many steps need not be seen: all of them."""
        return EVERY_STEP


def call_input_fn(
    input_fn: InputFunction, mode: str, params: Any, config: Any, input_context: Any
) -> Any:
    """Calls an input function with those of mode, params, config and input_context that it takes.

    A callable input function is called on the CPU, as tf.estimator did.
    """
    offered = {"mode": mode, "params": params, "config": config, "input_context": input_context}
    with tf.device("/cpu:0"):
        return pass_on(input_fn, offered)


def build_inputs(
    result: Any, replicas: int, global_batch: bool, at_the_end: AtTheEnd = AtTheEnd.STOP
) -> Inputs:
    """Returns the inputs of every replica.

    Args:
        result: what the input function returned: a Dataset, (features, labels), features, or a
            function that returns them.
        replicas: the number of replicas, N.
        global_batch: whether one batch is split over the replicas. Otherwise each replica gets a
            batch of its own: consecutive batches of the Dataset go to consecutive replicas.
        at_the_end: what the replicas get for which no batch is left.

    Raises:
        ValueError: replicas want batches of their own from tensors, which give only one a step.
    """
    present = None
    if isinstance(result, tf2.data.Dataset):
        iterator = tf.data.make_initializable_iterator(result)
        hooks = [_InitializeIterator(iterator.initializer)]
        count = 1 if global_batch else replicas
        if at_the_end is AtTheEnd.STOP or count == 1:
            batches = _consecutive_batches(iterator, count)
        else:
            batches, present = _batches_while_there_are(iterator, count, at_the_end)
    elif callable(result):
        # tf.distribute called it for each replica: `lambda: numpy_input_fn(...)`.
        hooks, batches = [], [result() for _ in range(1 if global_batch else replicas)]
    elif replicas > 1 and not global_batch:
        raise ValueError(
            "input_fn must return a tf.data.Dataset, or a function, to give every replica its own "
            "batch. "
            "RunConfig(global_batch=True) splits the tensors of one batch over the replicas."
        )
    else:
        hooks, batches = [], [result]
    if len(batches) < replicas:
        batches = split_batch(batches[0], replicas)
    return Inputs([_features_and_labels(batch) for batch in batches], hooks, present)


def _consecutive_batches(iterator: Any, count: int) -> list[Any]:
    """Returns the next batches of an iterator, in an order that does not depend on scheduling."""
    batches: list[Any] = []
    for _ in range(count):
        before = tf.nest.flatten(batches[-1], expand_composites=True) if batches else []
        with tf.control_dependencies(before):
            batches.append(iterator.get_next())
    return batches


def _batches_while_there_are(
    iterator: Any, count: int, at_the_end: AtTheEnd
) -> tuple[list[Any], list[Any]]:
    """Returns the next batches, and which of them are there: the first one at least."""
    first = iterator.get_next()
    batches, present = [first], [tf.constant(True)]
    before = tf.nest.flatten(first, expand_composites=True)
    instead = (
        first if at_the_end is AtTheEnd.REPEAT else tf.nest.map_structure(_without_rows, first)
    )
    for _ in range(count - 1):
        with tf.control_dependencies(before):
            optional = tf.data.experimental.get_next_as_optional(iterator)
            there = optional.has_value()
        # AutoGraph has no part in it: both branches are as they stand.
        batches.append(tf.cond(there, optional.get_value, lambda: instead))
        present.append(there)
        before = [there]
    return batches, present


def _without_rows(value: Any) -> Any:
    """Returns a batch of no rows, of the kind and width of another."""
    if isinstance(value, tf.SparseTensor):
        shape = tf.concat([tf.zeros([1], tf.int64), value.dense_shape[1:]], 0)
        return tf.SparseTensor(value.indices[:0], value.values[:0], shape)
    return value if value.shape.rank == 0 else value[:0]


def _features_and_labels(batch: Any) -> tuple[Any, Any]:
    if isinstance(batch, (list, tuple)):
        if len(batch) != 2:
            raise ValueError(
                "input_fn should return (features, labels) as a len 2 tuple, "
                f"got {len(batch)} values"
            )
        return batch[0], batch[1]
    return batch, None

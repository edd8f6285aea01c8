"""Methods of strategies that TensorFlow 1.8 to 2.1 had and later versions call otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

_REDUCTIONS = {
    tf.VariableAggregation.SUM: tf.distribute.ReduceOp.SUM,
    tf.VariableAggregation.MEAN: tf.distribute.ReduceOp.MEAN,
}


class EarlyMethods:
    """What strategies of tf.contrib.distribute have besides the methods of StrategyV1."""

    extended: Any
    num_replicas_in_sync: int
    run: Callable[..., Any]
    experimental_local_results: Callable[..., Any]

    def call_for_each_tower(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function once for each replica (``extended.call_for_each_replica``).

        Args:
            fn: the function.
            *args: its arguments; of a value with one part for each replica, it gets that.
            **kwargs: its keywords. ``run_concurrently`` is not one of them, and is ignored.
        """
        kwargs.pop("run_concurrently", None)
        return self.extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def experimental_run_v2(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function once for each replica: ``run`` of TensorFlow 2.2 and later."""
        return self.run(fn, args=tuple(args), kwargs=kwargs or {})

    def distribute_dataset(self, dataset_fn: Callable[[], Any]) -> DistributedDataset:
        """Returns a dataset of which each replica gets its own batches."""
        return DistributedDataset(self, dataset_fn())

    def reduce(self, reduce_op: Any, value: Any, *more: Any, **options: Any) -> Any:
        """Reduces a value over the replicas.

        Args:
            reduce_op: a ``tf.distribute.ReduceOp``, or until TensorFlow 1.12 a
                ``tf.VariableAggregation``.
            value: a value with a part for each replica.
            *more: the axis; with a ``tf.VariableAggregation`` the destinations.
            **options: ``axis`` or ``destinations``.
        """
        if not isinstance(reduce_op, tf.VariableAggregation):
            return super().reduce(reduce_op, value, *more, **options)  # type: ignore[misc]
        (destinations,) = more or (options.get("destinations"),)
        if reduce_op is tf.VariableAggregation.ONLY_FIRST_REPLICA:
            first = self.experimental_local_results(value)[0]
            return self.extended.broadcast_to(first, destinations)
        return self.extended.reduce_to(_REDUCTIONS[reduce_op], value, destinations)

    def batch_reduce(self, aggregation: Any, value_destination_pairs: Any) -> Any:
        """Reduces several values at once (``extended.batch_reduce_to``)."""
        return self.extended.batch_reduce_to(_REDUCTIONS[aggregation], value_destination_pairs)

    def broadcast(self, tensor: Any, destinations: Any = None) -> Any:
        """Copies a tensor to devices, by default to those of all replicas."""
        where = destinations if destinations is not None else self.extended.worker_devices
        return self.extended.broadcast_to(tensor, where)

    def update(self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function on each copy of a variable (``extended.update``)."""
        group = kwargs.pop("grouped", True)
        return self.extended.update(var, fn, args=args, kwargs=kwargs, group=group)

    def read_var(self, v: Any) -> Any:
        """Returns the value of a variable, reduced where its copies differ."""
        return self.extended.read_var(v)

    def value_container(self, value: Any) -> Any:
        """Returns the variable that a copy of it belongs to."""
        return self.extended.value_container(value)

    def initialize(self) -> list[Any]:
        """Returns what has to be run first: nothing."""
        return []

    def finalize(self) -> list[Any]:
        """Returns what has to be run last: nothing."""
        return []

    @property
    def num_towers(self) -> int:
        """How many replicas there are."""
        return self.num_replicas_in_sync

    @property
    def is_single_tower(self) -> bool:
        """Whether there is one replica only."""
        return self.num_replicas_in_sync == 1

    @property
    def worker_devices(self) -> Any:
        """The devices of the replicas."""
        return self.extended.worker_devices

    @property
    def parameter_devices(self) -> Any:
        """The devices of the variables."""
        return self.extended.parameter_devices


class DistributedDataset:
    """What ``strategy.distribute_dataset`` returned until TensorFlow 1.12."""

    def __init__(self, strategy: Any, dataset: Any) -> None:
        """Takes a dataset in.

        Args:
            strategy: the strategy.
            dataset: a ``tf.data.Dataset`` with batches for one replica.
        """
        self._strategy, self._dataset = strategy, dataset

    def make_one_shot_iterator(self) -> DistributedIterator:
        """Returns an iterator that needs no initialization."""
        iterator = tf.data.make_one_shot_iterator(self._dataset)
        return DistributedIterator(self._strategy, iterator)

    def make_initializable_iterator(self) -> DistributedIterator:
        """Returns an iterator whose ``initializer`` has to be run first."""
        iterator = tf.data.make_initializable_iterator(self._dataset)
        return DistributedIterator(self._strategy, iterator)


class DistributedIterator:
    """Gives consecutive batches to consecutive replicas."""

    def __init__(self, strategy: Any, iterator: Any) -> None:
        """Takes an iterator over batches for one replica."""
        self._strategy, self._iterator = strategy, iterator

    @property
    def initializer(self) -> Any:
        """The op that has to be run first, of an iterator that needs one."""
        return self._iterator.initializer

    def get_next(self, name: str | None = None) -> Any:
        """Returns one batch for each replica, as a value that ``call_for_each_tower`` takes.

        Args:
            name: not used: the batches have names of their own.
        """
        batches: list[Any] = []
        for _ in range(self._strategy.num_replicas_in_sync):
            # One after the other: replica i gets batch i.
            before = tf.nest.flatten(batches[-1]) if batches else []
            with tf.control_dependencies(before):
                batches.append(self._iterator.get_next())

        def batch_of_replica() -> Any:
            context = tf.distribute.get_replica_context()
            return batches[int(tf.get_static_value(context.replica_id_in_sync_group))]

        return self._strategy.extended.call_for_each_replica(batch_of_replica)

"""Savers and Scaffolds that a model function makes, once for every replica.

A tower's were for all towers, which shared their variables. What a replica makes is for its own
copies of the variables: here it becomes for all again.
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.replicas import replica_id
from tfmigrate_runtime.estimator.spec import EstimatorSpec

_COPY_ON_REPLICA = re.compile(r"/replica_\d+$")


@contextlib.contextmanager
def savers_of_all_replicas() -> Iterator[None]:
    """Lets the Savers that replicas make save and restore the variables of all of them.

    In a replica a Saver would restore that replica's copies alone. Its ops are made when all
    replicas are, outside of them; it is for the variables that there were when it was made.
    """
    unbuilt_savers: list[Any] = []
    build = tf.train.Saver.build

    def build_outside(saver: Any) -> None:
        if replica_id() is None:
            build(saver)
            return
        saver._var_list = _without_replicas(saver._var_list)
        unbuilt_savers.append(saver)

    with mock.patch.object(tf.train.Saver, "build", build_outside):
        yield
    for saver in unbuilt_savers:
        if isinstance(saver._var_list, dict):
            pairs = saver._var_list.items()
            saver._var_list = {name: _saved_by(name, value) for name, value in pairs}
        saver.build()


def _without_replicas(variables: Any) -> Any:
    """Returns what a Saver shall save, by the names that one device has for it."""
    if variables is None:
        keys = (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.SAVEABLE_OBJECTS)
        return [value for key in keys for value in tf.get_collection(key)]
    if not isinstance(variables, dict):
        return variables
    # ``variable.op.name`` is the name of the replica's copy.
    return {_COPY_ON_REPLICA.sub("", name): value for name, value in variables.items()}


def _saved_by(name: str, value: Any) -> Any:
    """Returns what a Saver takes for a value of a dict, whose key is the name to save it by."""
    if not isinstance(value, tf2.distribute.DistributedValues):
        return value
    (saveable,) = value._gather_saveables_for_checkpoint().values()
    return saveable(name)


def with_scaffold_of_all(spec: EstimatorSpec, specs: Sequence[EstimatorSpec]) -> EstimatorSpec:
    """Returns a spec whose Scaffold initialises the copies of all replicas.

    Returns:
        The spec with the same Scaffold, but for init_op, local_init_op, init_feed_dict and init_fn:
        they are those of all replicas.
    """
    scaffolds = [each.scaffold for each in specs if each.scaffold is not None]
    if spec.scaffold is None or len(scaffolds) < 2:
        return spec
    feeds: dict[Any, Any] = {}
    for scaffold in scaffolds:
        feeds.update(scaffold.init_feed_dict or {})
    together = tf.train.Scaffold(
        init_op=_grouped([scaffold.init_op for scaffold in scaffolds]),
        local_init_op=_grouped([scaffold.local_init_op for scaffold in scaffolds]),
        init_feed_dict=feeds or None,
        init_fn=_all_called([scaffold.init_fn for scaffold in scaffolds]),
        copy_from_scaffold=spec.scaffold,
    )
    return spec._replace(scaffold=together)


def _grouped(ops: Sequence[Any]) -> Any:
    """Returns the group of ops, None where they are the default."""
    chosen = [op for op in ops if op is not None]
    return tf.group(*chosen) if chosen else None


def _all_called(functions: Sequence[Any]) -> Callable[[Any, Any], None] | None:
    """Returns a Scaffold's init_fn that calls those of all replicas, in their order."""
    if not (chosen := [function for function in functions if function is not None]):
        return None

    def init_fn(scaffold: Any, session: Any) -> None:
        for function in chosen:
            function(session)

    return init_fn

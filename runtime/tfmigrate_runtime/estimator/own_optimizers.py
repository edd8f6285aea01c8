"""The program's own optimizers that override methods of ``Optimizer``, on several replicas.

An optimizer of TensorFlow reduces the gradients of the replicas in ``Optimizer.apply_gradients``,
and scales the loss in ``Optimizer.compute_gradients``. A subclass that assigns to the variables
itself (the AdamWeightDecayOptimizer of BERT), or calls ``tf.gradients``, never gets there: each
replica would train its own copy of the variables, on its own rows.
"""

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any
from unittest import mock

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import replicas

_LIBRARIES = ("tensorflow", "tfmigrate_runtime", "keras", "tf_keras")


@contextlib.contextmanager
def reducing_first(of_towers: bool) -> Iterator[None]:
    """Has the program's own optimizers called as on TensorFlow 1.15, while a graph is built.

    TowerOptimizer gave the optimizer it wrapped the scaled loss, and the sum of the towers'
    gradients, once; it never called its ``minimize``. With ``train_distribute``, one that does not
    reduce the gradients is an error, as assignments were on TensorFlow 1.15.

    Args:
        of_towers: whether the replicas represent towers.
    """
    base, context = tf.train.Optimizer, tf2.distribute.ReplicaContext
    init, apply, scale = base.__init__, base.apply_gradients, base._scale_loss
    merge_call = context.merge_call
    state = threading.local()  # each replica has a thread

    def init_own(self: Any, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        for name, called in replaced.items():
            if _is_own(type(self), name):
                setattr(self, name, functools.partial(called, self, getattr(self, name), state))

    def apply_of_base(self: Any, grads_and_vars: Any, *arguments: Any, **options: Any) -> Any:
        state.is_reduced = True
        if getattr(state, "is_sum", False):
            # All replicas have the sum, which is added up once more.
            count = replicas.replica_count(tf.distribute.get_strategy())
            grads_and_vars = [(None if g is None else g / count, v) for g, v in grads_and_vars]
        return apply(self, grads_and_vars, *arguments, **options)

    def scale_once(loss: Any) -> Any:
        return loss if getattr(state, "is_scaled", False) else scale(loss)

    def merge_call_noted(self: Any, merge_fn: Any, *arguments: Any, **options: Any) -> Any:
        # TensorFlow makes one to assign to the global step.
        is_own = not getattr(merge_fn, "__module__", "").startswith("tensorflow.")
        state.is_reduced = getattr(state, "is_reduced", False) or is_own
        return merge_call(self, merge_fn, *arguments, **options)

    replaced = _OF_TOWERS if of_towers else _OF_REPLICAS
    with (
        mock.patch.object(base, "__init__", init_own),
        mock.patch.object(base, "apply_gradients", apply_of_base),
        mock.patch.object(base, "_scale_loss", staticmethod(scale_once)),
        mock.patch.object(context, "merge_call", merge_call_noted),
    ):
        yield


def _is_own(kind: type, method: str) -> bool:
    owner = next(c for c in kind.__mro__ if method in vars(c))
    return owner.__module__.partition(".")[0] not in _LIBRARIES


def _of_replicas(optimizer: Any, own: Any, state: Any, *arguments: Any, **options: Any) -> Any:
    """Calls a method of the program, which has to reduce the gradients itself."""
    state.is_reduced = False
    result = own(*arguments, **options)
    if replicas.replica_id() is not None and not state.is_reduced:
        raise ValueError(
            f"{type(optimizer).__name__}.{own.__name__} updates variables itself, and does not "
            "sum the gradients of the replicas: each replica would train a separate copy. "
            "Override _apply_dense and _apply_sparse instead, or reduce the gradients first, in "
            "tf.distribute.get_replica_context().merge_call."
        )
    return result


def _of_towers(
    optimizer: Any, own: Any, state: Any, grads_and_vars: Any, *arguments: Any, **options: Any
) -> Any:
    """Calls the program's own ``apply_gradients`` with the sums of the towers' gradients."""
    if replicas.replica_id() is None or getattr(state, "is_sum", False):
        return own(grads_and_vars, *arguments, **options)
    sums = _reduced(list(grads_and_vars))
    state.is_sum = True
    try:
        return own(sums, *arguments, **options)
    finally:
        state.is_sum = False


def _scaled_before(
    optimizer: Any, own: Any, state: Any, loss: Any, *arguments: Any, **options: Any
) -> Any:
    """Calls the program's own ``compute_gradients`` with the loss scaled already."""
    if getattr(state, "is_scaled", False):
        return own(loss, *arguments, **options)
    scaled = optimizer._scale_loss(loss)
    state.is_scaled = True
    try:
        return own(scaled, *arguments, **options)
    finally:
        state.is_scaled = False


def _not_called(optimizer: Any, own: Any, state: Any, *arguments: Any, **options: Any) -> Any:
    """Minimizes as TowerOptimizer did, without the program's own ``minimize``."""
    return tf.train.Optimizer.minimize(optimizer, *arguments, **options)


def _reduced(grads_and_vars: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Returns the sums of the replicas' gradients; None where a variable has no gradient."""
    trained = [(gradient, v) for gradient, v in grads_and_vars if gradient is not None]

    def reduce(strategy: Any, pairs: Any) -> Any:
        return strategy.extended.batch_reduce_to(tf.distribute.ReduceOp.SUM, pairs)

    context = tf.distribute.get_replica_context()
    sums = iter(context.merge_call(reduce, args=(trained,)) if trained else ())
    return [(None if gradient is None else next(sums), v) for gradient, v in grads_and_vars]


_OF_TOWERS = {
    "apply_gradients": _of_towers,
    "compute_gradients": _scaled_before,
    "minimize": _not_called,
}
_OF_REPLICAS = {"apply_gradients": _of_replicas, "minimize": _of_replicas}

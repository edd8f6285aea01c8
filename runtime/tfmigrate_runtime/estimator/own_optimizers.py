"""The program's own optimizers whose ``apply_gradients`` updates the variables itself.

An optimizer of TensorFlow reduces the gradients of the replicas in ``Optimizer.apply_gradients``.
A subclass that assigns to the variables itself (the AdamWeightDecayOptimizer of BERT) never gets
there: each replica would train its own copy of the variables, on its own rows.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import replicas

_LIBRARIES = ("tensorflow", "tfmigrate_runtime", "keras", "tf_keras")


@contextlib.contextmanager
def reducing_first(of_towers: bool) -> Iterator[None]:
    """Reduces gradients before the program's own optimizer gets them, while a graph is built.

    TowerOptimizer gave the optimizer it wrapped the sum of the towers' gradients, once. With
    ``train_distribute``, such an optimizer is an error, as assignments were on TensorFlow 1.15.

    Args:
        of_towers: whether the replicas represent towers.
    """
    base, context = tf.train.Optimizer, tf2.distribute.ReplicaContext
    init, apply = base.__init__, base.apply_gradients
    merge_call = context.merge_call
    state = threading.local()  # each replica has a thread

    def init_own(self: Any, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        kind = type(self)
        if kind.apply_gradients is not apply_of_base and not _is_of_library(kind):
            own = self.apply_gradients
            applied = _of_towers if of_towers else _of_replicas
            self.apply_gradients = lambda *a, **o: applied(self, own, state, *a, **o)

    def apply_of_base(self: Any, grads_and_vars: Any, *arguments: Any, **options: Any) -> Any:
        state.is_reduced = True
        if getattr(state, "is_sum", False):
            # All replicas have the sum, which is added up once more.
            count = replicas.replica_count(tf.distribute.get_strategy())
            grads_and_vars = [(None if g is None else g / count, v) for g, v in grads_and_vars]
        return apply(self, grads_and_vars, *arguments, **options)

    def merge_call_noted(self: Any, merge_fn: Any, *arguments: Any, **options: Any) -> Any:
        # TensorFlow makes one to assign to the global step.
        is_own = not getattr(merge_fn, "__module__", "").startswith("tensorflow.")
        state.is_reduced = getattr(state, "is_reduced", False) or is_own
        return merge_call(self, merge_fn, *arguments, **options)

    base.__init__, base.apply_gradients = init_own, apply_of_base
    context.merge_call = merge_call_noted
    try:
        yield
    finally:
        base.__init__, base.apply_gradients = init, apply
        context.merge_call = merge_call


def _is_of_library(kind: type) -> bool:
    owner = next(c for c in kind.__mro__ if "apply_gradients" in vars(c))
    return owner.__module__.partition(".")[0] in _LIBRARIES


def _of_replicas(optimizer: Any, own: Any, state: Any, *arguments: Any, **options: Any) -> Any:
    """Calls the program's own ``apply_gradients``, which has to reduce the gradients itself."""
    state.is_reduced = False
    result = own(*arguments, **options)
    if replicas.replica_id() is not None and not state.is_reduced:
        raise ValueError(
            f"{type(optimizer).__name__}.apply_gradients updates variables itself, and does not "
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


def _reduced(grads_and_vars: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Returns the sums of the replicas' gradients; None where a variable has no gradient."""
    trained = [(gradient, v) for gradient, v in grads_and_vars if gradient is not None]

    def reduce(strategy: Any, pairs: Any) -> Any:
        return strategy.extended.batch_reduce_to(tf.distribute.ReduceOp.SUM, pairs)

    context = tf.distribute.get_replica_context()
    sums = iter(context.merge_call(reduce, args=(trained,)) if trained else ())
    return [(None if gradient is None else next(sums), v) for gradient, v in grads_and_vars]

"""The losses collection contained the losses of all towers built so far.

What it does:
    Reports `tf.losses.get_total_loss`, `tf.losses.get_losses` and `tf.get_collection` of
    `tf.GraphKeys.LOSSES` in a replicated model. With `--unsafe`, the program is migrated, and every
    replica sees only its own losses. This does not hold back a program that replicates its model
    only under a flag that is off by default: on one device it trains as before.

Why:
    Towers share graph collections: the second tower's total loss included the first tower's, so
    early towers counted several times (semantics.md, 1.10). The runtime keeps the losses of
    the replicas apart, as the author most likely intended. Regularization losses are not affected:
    they counted once, and still do. Collections that a session hook reads in its methods are not
    reported: the hook runs once for all replicas, and still sees all losses.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          loss = tf.losses.get_total_loss()
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          loss = tf.losses.get_total_loss()
          optimizer = tf.train.AdamOptimizer()
          return estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        strategy = tf.distribute.MirroredStrategy()
        model = estimator.Estimator(
            model_fn,
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Expect a different loss: with two towers it was (l0 + (l0 + l1)) / 2, now it is (l0 + l1) / 2.

Safety:
    Unsafe: gradients and the reported loss are smaller than before.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn import model_code
from tfmigrate.families.replicate_model_fn.flag_defaults import on_one_device, replicated_by_flag
from tfmigrate.resolve.calls import argument
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.UNSAFE

_READS = ("tensorflow.losses.get_total_loss", "tensorflow.losses.get_losses")
_GET = ("tensorflow.get_collection", "tensorflow.get_collection_ref")
_LOSSES = "tensorflow.GraphKeys.LOSSES"
_OF_RUNTIME = "expect a smaller loss: with two towers (l0 + l1) / 2, not (l0 + (l0 + l1)) / 2"
_LOGGED = "expect only the loss of the hook's replica in the log; training is not affected"
# Measured on TensorFlow 2.15.1: a replica sees the losses of the replicas before it, but they do
# not depend on its own copies of the variables.
_OF_ESTIMATOR = (
    "expect smaller gradients: with two towers those of (l0 + l1) / 2, not of "
    "(l0 + (l0 + l1)) / 2; the reported loss stays the same"
)


def check(program: Program) -> Drafts:
    """Yields a draft for every read of the losses collection."""
    for module, group in model_code.model_modules(program):
        flag = program.once(replicated_by_flag, group)
        for node, name in _reads(module):
            if model_code.within_function(module, node) and not model_code.in_session_hook(
                module, node
            ):
                yield drafted(
                    module,
                    node,
                    f"{name} included the losses of all towers built so far; "
                    "after migration, each replica sees only its losses" + on_one_device(flag),
                    _action(program, module, node),
                    group=group,
                    blocks=not flag,
                )


def _action(program: Program, module: Module, node: ast.expr) -> str:
    if program.estimator:
        return _OF_ESTIMATOR
    return _LOGGED if _is_only_logged(module, node) else _OF_RUNTIME


def _is_only_logged(module: Module, node: ast.AST) -> bool:
    """Returns whether a value is an argument of a hook, and so is not trained on."""
    while not isinstance(node, ast.stmt):
        node = module.parent(node)
        if isinstance(node, ast.Call) and model_code.is_session_hook(module, node.func):
            return True
    return False


def _reads(module: Module) -> Iterator[tuple[ast.expr, str]]:
    for use in module.uses_of(*_READS):
        yield use.node, use.qualified.replace("tensorflow.", "tf.", 1)
    for call in module.calls_of(*_GET):
        key = argument(call, 0, "key")
        is_text = isinstance(key, ast.Constant) and key.value == "losses"
        if is_text or (key is not None and module.resolve(key) == _LOSSES):
            yield call, "the losses collection"

"""The first tower was told from the others by variable reuse.

What it does:
    Reports code of a replicated model that reads `tf.get_variable_scope().reuse`, as in
    `is_chief = not tf.get_variable_scope().reuse`. The program is left as it is.

Why:
    Towers after the first were built with `reuse=True`; that a replica's scope has the same flag
    is an accident of TensorFlow's implementation and is not promised. The replica says which one
    it is: `tf.distribute.get_replica_context().replica_id_in_sync_group`.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          is_chief = not tf.get_variable_scope().reuse
          if is_chief:
            tf.summary.scalar('mean', tf.reduce_mean(features))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

What is left to you:
    Where the flag only guards summaries, take the guard away: both replicas may write them.
    Otherwise say what only the first replica does, by its id, and run tfmigrate again.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.findings import Severity
from tfmigrate.model_code import VARIABLE_SCOPE, model_modules
from tfmigrate.module import Module
from tfmigrate.names import AssignBinding, OtherBinding
from tfmigrate.program import Program

CODE = "TFM207"
NAME = "chief-by-reuse"
SEVERITY = Severity.MANUAL
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every read of a variable scope's reuse flag."""
    for module, group in model_modules(program):
        if not module.mentions(".reuse"):
            continue
        for flag in sorted(module.all(ast.Attribute), key=module.position):
            if flag.attr == "reuse" and _is_scope(module, flag.value):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=flag,
                    severity=SEVERITY,
                    message="the first tower is told from the others by variable reuse",
                    action="use tf.distribute.get_replica_context().replica_id_in_sync_group == 0, "
                    "or take the guard away, and run tfmigrate again",
                    group=group,
                    blocks=True,
                )


def _is_scope(module: Module, node: ast.expr) -> bool:
    """Says whether an expression is a variable scope, or a name bound to one."""
    if isinstance(node, ast.Call):
        return module.resolve(node.func) in (VARIABLE_SCOPE, "tensorflow.variable_scope")
    if not isinstance(node, ast.Name):
        return False
    found = module.names.scope_of[node].lookup(node.id)
    for binding in found[1] if found else ():
        if isinstance(binding, AssignBinding) and isinstance(binding.value, ast.Call):
            if _is_scope(module, binding.value):
                return True
        elif isinstance(binding, OtherBinding):
            item = module.parent(binding.node)
            if isinstance(item, ast.withitem) and _is_scope(module, item.context_expr):
                return True
    return False

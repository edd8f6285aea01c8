"""A TowerOptimizer is asked for the state of the towers.

What it does:
    Reports `optimizer._graph_state()` in code of a replicated model, and attributes of the class,
    such as `TowerOptimizer.has_been_used()`. The program is left as it is.

Why:
    The state told a tower which one it is. It belongs to TowerOptimizer, and the optimizer that
    takes its place has none. A replica says which one it is by
    `tf.distribute.get_replica_context().replica_id_in_sync_group`.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          if optimizer._graph_state().is_the_last_tower:
            tf.summary.scalar('mean', tf.reduce_mean(features))
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

What is left to you:
    Where the state only guards summaries or hooks, take the guard away. Otherwise say what one
    replica does, by its id, and run tfmigrate again.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.findings import Severity
from tfmigrate.model_code import model_modules
from tfmigrate.module import Module
from tfmigrate.program import Program

CODE = "TFM215"
NAME = "state-of-towers"
SEVERITY = Severity.MANUAL
TARGET = "2.16"

_STATE = "_graph_state"
_CLASS = "tensorflow.contrib.estimator.TowerOptimizer."


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every place that asks."""
    for module, group in model_modules(program):
        for node in _asked(module):
            yield Draft(
                code=CODE,
                module=module,
                node=node,
                severity=SEVERITY,
                message=f"`{node.attr}` asks a TowerOptimizer for the state of the towers",
                action="use tf.distribute.get_replica_context().replica_id_in_sync_group, or take "
                "the question away, and run tfmigrate again",
                group=group,
                blocks=True,
            )


def _asked(module: Module) -> list[ast.Attribute]:
    """Returns the attributes that only a TowerOptimizer has, in the order of the text."""
    found = [
        use.node
        for use in module.uses
        if use.qualified.startswith(_CLASS) and isinstance(use.node, ast.Attribute)
    ]
    if module.mentions(_STATE):
        known = {id(node) for node in found}
        state = [node for node in module.all(ast.Attribute) if node.attr == _STATE]
        found += [node for node in state if id(node) not in known]
    return sorted(found, key=module.position)

"""A replica_device_setter without effect is removed.

What it does:
    Removes `tf.train.replica_device_setter` and its `with tf.device(...)` where it had no effect:
    on one machine (no cluster and no ps_tasks: the setter is None), and around an Estimator or
    `tf.Graph().as_default()`, which create a graph that the setter never reached. The block is
    dedented. Inside another `tf.device` it stays under `tf.device(None)`, which is equivalent. A
    single-machine program that uses `tf.layers`, `tf.keras` or `tf.nn.rnn_cell` selects Keras 2
    (the package tf-keras) itself, because it does not import the runtime, which would do so.

Why:
    The setter had no effect, and would keep the program on TensorFlow 1.x. With Keras 3, TensorFlow
    2.16 and later have no `tf.layers`.

Example:
    Before::

        import tensorflow as tf

        with tf.device(tf.train.replica_device_setter()):
          x = tf.placeholder(tf.float32, [None, 10])
          y = tf.layers.dense(x, 1)

    After::

        import os

        import tensorflow.compat.v1 as tf

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
        tf.disable_v2_behavior()

        x = tf.placeholder(tf.float32, [None, 10])
        y = tf.layers.dense(x, 1)

What is left to you:
    Nothing. An Estimator still places its variables by its RunConfig.

Safety:
    Safe: every variable stays on its device.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.device_setter.plan import Conversion, Outcome, conversions
from tfmigrate.families.device_setter.setters import device_around, uses_device_setter
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import Code, Edit, RemoveWithItem, ReplaceExpression, ReplaceStatement
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_REASONS = {
    Outcome.ONE_MACHINE: "it had no effect without parameter servers",
    Outcome.ESTIMATOR: "it had no effect on the graph of the Estimator",
    Outcome.OTHER_GRAPH: "it had no effect on the new graph of its block",
}


def check(program: Program) -> Drafts:
    """Yields one draft for every device setter that is removed."""
    for module in program.mentioning("replica_device_setter"):
        if not uses_device_setter(module):
            continue
        for conversion in program.once(conversions, module):
            if (reason := _REASONS.get(conversion.outcome)) and not conversion.problems:
                yield drafted(
                    module,
                    conversion.setter.call,
                    f"replica_device_setter removed: {reason}",
                    edits=_edits(conversion),
                    group=group_of(program, module),
                    construct=group_of(program, module),
                )


def _edits(conversion: Conversion) -> Iterator[Edit]:
    module, setter = conversion.module, conversion.setter
    for block in setter.blocks:
        device = block.item.context_expr
        if device_around(module, block.statement):
            assert isinstance(device, ast.Call)
            yield ReplaceExpression(block.setter, Code("None"))
        else:
            yield RemoveWithItem(block.statement, block.item)
    for statement in (*setter.assignments, *setter.functions):
        yield ReplaceStatement(statement)

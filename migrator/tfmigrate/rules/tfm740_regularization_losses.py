"""Regularization losses that are averaged become tensors.

What it does:
    Takes the tensor of each regularization loss that is passed to
    `tf.train.ExponentialMovingAverage.apply`: what `tf.get_collection` or
    `tf.losses.get_regularization_losses` returned, alone or in a list with other losses.

Why:
    On TensorFlow 1.x, the collection `REGULARIZATION_LOSSES` had tensors. On TensorFlow 2,
    `tf.get_variable` adds objects that compute the loss when they are used, which cannot be
    averaged: AttributeError, "'_LazyEvalTensor' object has no attribute 'ref'".

Example:
    Before::

        import tensorflow as tf

        def averages(total_loss):
          losses = tf.get_collection(tf.GraphKeys.LOSSES)
          losses += tf.losses.get_regularization_losses()
          average = tf.train.ExponentialMovingAverage(0.9, name='avg')
          return average.apply(losses + [total_loss])

        def main(total_loss, server):
          op = averages(total_loss)
          with tf.Session(server.target) as sess:
            sess.run(op)

    After::

        import tensorflow.compat.v1 as tf

        def averages(total_loss):
          losses = tf.get_collection(tf.GraphKeys.LOSSES)
          losses += [loss.op.outputs[0] for loss in tf.losses.get_regularization_losses()]
          average = tf.train.ExponentialMovingAverage(0.9, name='avg')
          return average.apply(losses + [total_loss])

        def main(total_loss, server):
          op = averages(total_loss)
          with tf.Session(server.target) as sess:
            sess.run(op)

What is left to you:
    Nothing.

Safety:
    Safe: the tensors are those that TensorFlow 1.x had, by the same names.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import called_on
from tfmigrate.resolve.value_flow import holders
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity

SEVERITY = Severity.FIXED

_AVERAGE = "tensorflow.train.ExponentialMovingAverage"
_COLLECTION = "tensorflow.get_collection"
_LOSSES = "tensorflow.losses.get_regularization_losses"
_KEY = "tensorflow.GraphKeys.REGULARIZATION_LOSSES"


def check(program: Program) -> Drafts:
    """Yields one draft for every file that averages regularization losses."""
    for module in migrated(program, "ExponentialMovingAverage"):
        if not module.uses_of(_AVERAGE):
            continue
        if calls := [call for call in _regularization_losses(module) if _is_averaged(module, call)]:
            edits = [
                ReplaceExpression(call, Code("[loss.op.outputs[0] for loss in {0}]", (call,)))
                for call in calls
            ]
            yield file_draft(
                program, module, calls, edits, "averaged regularization losses -> tensors"
            )


def _regularization_losses(module: Module) -> Iterator[ast.Call]:
    """Yields the calls that return regularization losses, and are no iterable of a loop."""
    for call in module.calls_of(_COLLECTION, _LOSSES):
        if module.resolve(call.func) == _COLLECTION and not _is_key(module, call.args[:1]):
            continue
        if not isinstance(module.parent(call), (ast.comprehension, ast.For)):
            yield call


def _is_key(module: Module, keys: list[ast.expr]) -> bool:
    return any(
        key.value == "regularization_losses"
        if isinstance(key, ast.Constant)
        else module.resolve(key) == _KEY
        for key in keys
    )


def _is_averaged(module: Module, call: ast.Call) -> bool:
    """Returns whether a list that a call returns is passed to ``apply``."""
    for value in holders(module, call):
        use = module.parent(value)
        if isinstance(use, ast.Call) and value in use.args and called_on(use, "apply"):
            return True
    return False

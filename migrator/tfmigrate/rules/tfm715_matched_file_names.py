"""`tf.train.match_filenames_once(...)` is followed by `.value()`.

What it does:
    Appends `.value()` to calls of `tf.train.match_filenames_once`.

Why:
    The function returns a variable, which programs pass to `tf.train.string_input_producer`. That
    function tests `if not string_tensor`, and TensorFlow 2's resource variables cannot be used as a
    Python bool in a graph.

Example:
    Before::

        import tensorflow as tf

        def input_fn():
          names = tf.train.match_filenames_once('data/*.csv')
          queue = tf.train.string_input_producer(names, num_epochs=1)
          _, line = tf.TextLineReader().read(queue)
          return {'line': tf.train.batch([line], 8)}

        def main(model_fn):
          tf.estimator.Estimator(model_fn).train(input_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def input_fn():
          names = tf.train.match_filenames_once('data/*.csv').value()
          queue = tf.train.string_input_producer(names, num_epochs=1)
          _, line = tf.TextLineReader().read(queue)
          return {'line': tf.train.batch([line], 8)}

        def main(model_fn):
          estimator.Estimator(model_fn).train(input_fn)

What is left to you:
    Nothing.

Safety:
    Safe: the variable remains a local variable and is initialized with the others.
"""

import ast

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity
from tfmigrate.rulekit.tensorflow_import import tensorflow_import

SEVERITY = Severity.FIXED

_FUNCTION = "match_filenames_once"


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a training program with such a call."""
    for module in migrated(program, _FUNCTION):
        if not (calls := _calls(module)):
            continue
        read: list[Edit] = [ReplaceExpression(call, Code("{0}.value()", (call,))) for call in calls]
        yield file_draft(
            program,
            module,
            calls,
            (*read, *tensorflow_import(module, *(call.func for call in calls))),
            message=f"tf.train.{_FUNCTION}(...) -> tf.train.{_FUNCTION}(...).value()",
        )


def _calls(module: Module) -> list[ast.Call]:
    """Returns the calls whose result is used directly, without an attribute."""
    calls = module.calls_of(f"tensorflow.train.{_FUNCTION}")
    return [call for call in calls if not isinstance(module.parent(call), ast.Attribute)]

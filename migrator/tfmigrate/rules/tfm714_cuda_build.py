"""`tf.test.is_built_with_cuda()` becomes a check for a GPU.

What it does:
    Replaces the call in programs that train.

Why:
    TensorFlow 1.x had separate packages for CPUs and GPUs, and programs used this call to choose a
    `data_format`. TensorFlow 2 for Linux is always built with CUDA. On a machine without a GPU such
    a program would choose `channels_first`, which CPUs do not support.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          first = tf.test.is_built_with_cuda()
          data_format = 'channels_first' if first else 'channels_last'
          net = tf.layers.conv2d(features['image'], 8, 3, data_format=data_format)
          loss = tf.reduce_mean(net)
          return tf.estimator.EstimatorSpec(mode, loss=loss)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          first = bool(tf.config.experimental.list_physical_devices('GPU'))
          data_format = 'channels_first' if first else 'channels_last'
          net = tf.layers.conv2d(features['image'], 8, 3, data_format=data_format)
          loss = tf.reduce_mean(net)
          return estimator.EstimatorSpec(mode, loss=loss)

What is left to you:
    Nothing.

Safety:
    Safe: with a GPU both calls return True; without one, the program used the CPU package.
"""

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.rulekit.basics import Drafts, Program, Severity
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name

SEVERITY = Severity.FIXED

_QUESTION = "is_built_with_cuda"
_ANSWER = "bool({}.config.experimental.list_physical_devices('GPU'))"


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a training program with such a call."""
    for module in migrated(program, _QUESTION):
        if not (calls := module.calls_of(f"tensorflow.test.{_QUESTION}")):
            continue
        asked: list[Edit] = [
            ReplaceExpression(call, Code(_ANSWER.format(tensorflow_name(module, call.func))))
            for call in calls
        ]
        message = f"tf.test.{_QUESTION}() -> check for a GPU"
        asked += tensorflow_import(module, *(call.func for call in calls))
        yield file_draft(program, module, calls, asked, message)

"""A TensorFlow 2 program uses `tf.compat.v1.layers`, which needs Keras 2.

What it does:
    Reports `tf.compat.v1.layers` and `tf.compat.v1.nn.rnn_cell` in TensorFlow 2 programs that do
    not select Keras 2. A TensorFlow 1.x program that already uses `tensorflow.compat.v1` is not
    reported: TFM701 sets `TF_USE_LEGACY_KERAS` in the script that starts it.

Why:
    Since TensorFlow 2.16, `tf.keras` is Keras 3, and these names raise AttributeError ("`dense` is
    not available with Keras 3") when they are used. Selecting Keras 2 restores them, but changes
    every other Keras model of the program to Keras 2 as well.

Example:
    Before::

        import tensorflow as tf

        @tf.function
        def step(x):
          return tf.compat.v1.layers.dense(x, 1)

        if __name__ == '__main__':
          step(tf.ones([1, 2]))

What is left to you:
    Use `tf.keras.layers`, or set `TF_USE_LEGACY_KERAS=1` before TensorFlow is imported and install
    tf-keras.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.tf1.graph_mode import without_keras_2
from tfmigrate.families.tf1.keras_2 import kept_layers
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL


def check(program: Program) -> Drafts:
    """Yields a draft for the first such layer of each file."""
    for module in program.once(without_keras_2):
        use = kept_layers(module)[0]
        message = f"{ast.unparse(use.node)} needs Keras 2, and this program uses Keras 3"
        action = "use tf.keras.layers, or set TF_USE_LEGACY_KERAS=1 and install tf-keras"
        yield drafted(module, use.node, message, action)

"""A program of an Estimator becomes a Keras 3 model under a tf.distribute strategy.

What it does:
    With `--target keras`, turns the model function into a function that returns a compiled
    functional model, and `train` and `evaluate` of the Estimator into `fit` and `evaluate` of the
    model. `replicate_model_fn` becomes a MirroredStrategy. Names, comments, flags and functions
    stay.

Why:
    The result depends on TensorFlow and Keras alone: it has no `compat.v1`, no session and no
    import of tfmigrate_runtime.

Example:
    Before (with --target keras)::

        import tensorflow as tf


        def model_fn(features, labels, mode):
          net = tf.layers.dense(features['x'], 16, activation=tf.nn.relu)
          logits = tf.layers.dense(net, 3)
          loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
          optimizer = tf.train.AdamOptimizer(0.01)
          train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


        def input_fn():
          return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).repeat().batch(32)


        classifier = tf.estimator.Estimator(model_fn)
        classifier.train(input_fn, steps=100)

What is left to you:
    Nothing. `tfmigrate verify` compares the result with the original.

Safety:
    Safe: only what is known to compute the same is converted (docs/how_to/target_keras.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.native.conversion import Conversion
from tfmigrate.families.native.whole_program import conversion
from tfmigrate.model.findings import Severity
from tfmigrate.model.targets import KERAS
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM801"
NAME = "keras-model"
SEVERITY = Severity.FIXED
TARGET = KERAS
WHOLE = True


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file of a program that becomes a Keras model."""
    plan = program.once(conversion)
    if not isinstance(plan, Conversion):
        return
    for module, edits in plan.edits.items():
        if edits:
            yield Draft(
                code=CODE,
                module=module,
                node=module.tree,
                severity=SEVERITY,
                message="Estimator -> Keras 3 model",
                edits=tuple(edits),
                group="keras",
            )
    for module, node, message in plan.unsafe:
        yield Draft(CODE, module, node, Severity.UNSAFE, message, group="keras")

"""A Keras optimizer that nobody builds before the first step.

What it does:
    Reports an optimizer of a loop of one's own under a strategy that TFM514 cannot build: the
    model does not know the shape of its input when it is made, or is made elsewhere, or the
    optimizer was made outside of the strategy's scope after the model.

Why:
    An optimizer of Keras 3 makes its variables with the first step. Within the replicas of a
    `tf.function` that fails ("cond/Placeholder"), and an optimizer from outside of the scope fails
    in any case ("Mixing different tf.distribute.Strategy objects").

Example:
    Before::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
          model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
          optimizer = tf.keras.optimizers.Adam()

        def step(x, y):
          with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(x) - y)) / 64
          gradients = tape.gradient(loss, model.trainable_variables)
          optimizer.apply_gradients(zip(gradients, model.trainable_variables))

What is left to you:
    Give the model its input shape (`tf.keras.Input` as its first layer, or `model.build(shape)`),
    then call `optimizer.build(model.trainable_variables)`, all within `strategy.scope()`. Or ask
    for Keras 2 with TF_USE_LEGACY_KERAS=1 and the package tf-keras.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_loops import keras_loops
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.rules.tfm514_optimizer_not_built import edits_of

CODE = "TFM515"
NAME = "optimizer-cannot-be-built"
SEVERITY = Severity.MANUAL
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every optimizer that TFM514 leaves."""
    for module in program.once(keras_3_modules):
        for loop in keras_loops(module):
            if edits_of(module, loop):
                continue
            outside = loop.scopes[0] is None
            yield Draft(
                code=CODE,
                module=module,
                node=loop.optimizer,
                severity=SEVERITY,
                message="the optimizer is "
                + "made outside of strategy.scope(), and " * outside
                + "not built before the first step, where Keras 3 cannot make its variables",
                action="in the scope, give the model its input shape, then call "
                "optimizer.build(model.trainable_variables)",
            )

"""A Keras optimizer is not built before the first step, and TFM514 cannot add the call.

What it does:
    Reports the optimizer of a custom training loop under a strategy when the input shape of the
    model is unknown at its creation, the model is created elsewhere, or the optimizer is created
    outside the strategy's scope and after the model.

Why:
    A Keras 3 optimizer creates its variables in the first step. In a replica, within a
    `tf.function`, that fails with "cond/Placeholder". An optimizer that was created outside the
    scope always fails, with "Mixing different tf.distribute.Strategy objects".

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
    Inside `strategy.scope()`, give the model its input shape (`tf.keras.Input` as its first layer,
    or `model.build(shape)`), then call `optimizer.build(model.trainable_variables)`. Or use Keras
    2: install tf-keras and set TF_USE_LEGACY_KERAS=1.

Safety:
    Nothing is changed.
"""

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_loops import keras_loops
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted
from tfmigrate.rules.tfm514_optimizer_not_built import edits_of

SEVERITY = Severity.MANUAL
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Drafts:
    """Yields a draft for every optimizer that TFM514 cannot build."""
    for module in program.once(keras_3_modules):
        for loop in keras_loops(module):
            if edits_of(module, loop):
                continue
            outside = loop.scopes[0] is None
            yield drafted(
                module,
                loop.optimizer,
                "the Keras optimizer is "
                + "created outside strategy.scope() and " * outside
                + "not built before the first step; Keras 3 cannot create its variables in a "
                "replica",
                "in the scope, give the model its input shape, then call "
                "optimizer.build(model.trainable_variables)",
            )

"""The loss of a replica is not divided by the global batch, or is divided twice.

What it does:
    Reports a function given to `strategy.run` whose gradients are of a loss of single examples
    (a Keras loss with reduction NONE, or a loss function such as
    `tf.keras.losses.mean_squared_error`) that is averaged in a way which does not fit several
    replicas.

Why:
    Optimizers add the gradients of the replicas up. So the loss of a replica has to be the sum
    over its examples, divided by the global batch: undivided, a vector or a sum makes steps as
    large as the batch; the mean over the replica's examples makes them N times as large with N
    replicas; a mean that is then divided by the global batch is divided twice.

Example:
    Before::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
          loss_object = tf.keras.losses.BinaryCrossentropy(reduction='none')

        def train_step(x, y):
          with tf.GradientTape() as tape:
            loss = tf.reduce_mean(loss_object(y, model(x)))
          gradients = tape.gradient(loss, model.trainable_variables)
          update(gradients)

        def distributed_step(x, y):
          strategy.run(train_step, args=(x, y))

What is left to you:
    `tf.nn.compute_average_loss(losses, global_batch_size=...)` is the right average. It changes how
    the program trains; the learning rate may have been chosen for the wrong one.

Safety:
    Nothing is changed: TensorFlow 2.0 computed the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.distribute.keras_loops import replica_functions
from tfmigrate.families.distribute.loss_scale import wrong_scales
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM517"
NAME = "loss-of-replicas"
SEVERITY = Severity.MANUAL
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every loss that gradients are taken of and whose scale is wrong."""
    for module in program.mentioning("GradientTape"):
        for function in replica_functions(module):
            for node, problem in wrong_scales(module, function):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=node,
                    severity=SEVERITY,
                    message=problem,
                    action="use tf.nn.compute_average_loss(losses, global_batch_size=...)",
                )

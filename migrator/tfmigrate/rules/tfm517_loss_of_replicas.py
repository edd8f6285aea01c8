"""The loss of a replica is not divided by the global batch size, or is divided twice.

What it does:
    Checks functions that are passed to `strategy.run` and compute gradients of a per-example loss
    (a Keras loss with reduction NONE, or a function such as
    `tf.keras.losses.mean_squared_error`). Reports a reduction of that loss that is wrong with
    several replicas.

Why:
    Optimizers sum the gradients of the replicas. So the loss of a replica must be the sum over its
    examples, divided by the global batch size. An undivided vector or sum scales the step by the
    batch size. The mean over the replica's examples scales it by the number of replicas. A mean
    that is then divided by the global batch size is divided twice.

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
    Use `tf.nn.compute_average_loss(losses, global_batch_size=...)`. That changes how the program
    trains: its learning rate may have been tuned for the wrong scale.

Safety:
    Nothing is changed: TensorFlow 2.0 computes the same as later versions.
"""

from tfmigrate.families.distribute.keras_loops import replica_functions
from tfmigrate.families.distribute.loss_scale import wrong_scales
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL


def check(program: Program) -> Drafts:
    """Yields a draft for every loss with gradients whose scale is wrong."""
    for module in program.mentioning("GradientTape"):
        for function in replica_functions(module):
            for node, problem in wrong_scales(module, function):
                action = "use tf.nn.compute_average_loss(losses, global_batch_size=...)"
                yield drafted(module, node, problem, action)

"""A program of a session becomes training steps with a GradientTape.

What it does:
    With `--target keras`, turns the graph of a program into a function that computes its tensors,
    the training operation into `train_step`, and `session.run` into calls of these functions.
    Placeholders become their arguments. Names, comments, flags and functions stay.

Why:
    The result depends on TensorFlow and Keras alone: it has no `compat.v1`, no session and no
    import of tfmigrate_runtime.

Example:
    Before (with --target keras)::

        import tensorflow as tf

        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.Variable(tf.zeros([4, 1]), name='w')
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss)

        with tf.Session() as sess:
          sess.run(tf.global_variables_initializer())
          for features, labels in batches:
            _, value = sess.run([train_op, loss], feed_dict={x: features, y: labels})
            print('%.4f' % value)

    After::

        import keras
        import tensorflow as tf

        x = tf.TensorSpec([None, 4], tf.float32)
        y = tf.TensorSpec([None, 1], tf.float32)
        w = tf.Variable(tf.zeros([4, 1]), name='w')


        def model(x, y):
          loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
          return loss


        trainable_variables = [w]
        optimizer = keras.optimizers.Adam(0.1, beta_2=0.999000013, epsilon=1e-8)
        optimizer.build(trainable_variables)


        @tf.function(input_signature=[x, y])
        def train_step(x, y):
          with tf.GradientTape() as tape:
            loss = model(x, y)
          gradients = tape.gradient(loss, trainable_variables)
          optimizer.apply_gradients(zip(gradients, trainable_variables))
          return loss


        for features, labels in batches:
          value = train_step(features, labels)
          print('%.4f' % value)

What is left to you:
    Nothing. `tfmigrate verify` compares the result with the original.

Safety:
    Safe: only what is known to compute the same is converted (docs/how_to/target_keras_steps.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.model.findings import Severity
from tfmigrate.model.targets import KERAS
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM803"
NAME = "training-step"
SEVERITY = Severity.FIXED
TARGET = KERAS
WHOLE = True


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file of a program that gets training steps."""
    # Imported here, not at the start of every run: the conversion is 125 modules.
    from tfmigrate.families.native.conversion import Conversion, drafts_of
    from tfmigrate.families.native_steps.whole_program import step_conversion

    plan = program.once(step_conversion)
    if isinstance(plan, Conversion):
        yield from drafts_of(plan, program, CODE, "session -> training steps with a GradientTape")

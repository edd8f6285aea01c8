"""--target keras keeps moving averages of variables, and tensors of the global step."""

from __future__ import annotations

import ast

import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
PROGRAM = """import numpy as np
import tensorflow as tf

DECAY = 0.99


def main():
    x = tf.placeholder(tf.float32, [None, 3])
    global_step = tf.train.get_or_create_global_step()
    w = tf.Variable(tf.zeros([3, 1]), name='w')
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(DECAY, global_step)
    with tf.control_dependencies([train_op]):
        update = averages.apply(tf.trainable_variables())
    saver = tf.train.Saver()

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(10):
            _, value = sess.run([update, loss], {x: np.ones([8, 3])})
            print('%.4f' % value)
        saver.save(sess, '/tmp/model' + '/model.ckpt')


main()
"""
TOWERS = """import numpy as np
import tensorflow as tf

NUM_GPUS = 2
IMAGES = np.ones([160, 3], np.float32)


def average_gradients(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        averaged.append((tf.add_n([g for g, _ in pairs]) / NUM_GPUS, pairs[0][1]))
    return averaged


def tower_loss(images):
    w = tf.get_variable('w', [3, 1])
    return tf.reduce_mean(tf.square(tf.matmul(images, w) - 1.0))


def main():
    step = tf.Variable(0, trainable=False)
    rate = tf.train.exponential_decay(0.1, tf.cast(step, tf.int32), 8, 0.5)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    all_images = tf.constant(IMAGES)
    tower_grads = []
    for i in range(NUM_GPUS):
        with tf.device('/gpu:%d' % i):
            with tf.variable_scope('net', reuse=i > 0):
                rows = (step * NUM_GPUS + i) * 8 + tf.range(8)
                loss = tower_loss(tf.gather(all_images, rows % 160))
                tower_grads.append(optimizer.compute_gradients(loss))
    apply_op = optimizer.apply_gradients(average_gradients(tower_grads), global_step=step)
    ema = tf.train.ExponentialMovingAverage(0.99, step)
    ema_op = ema.apply(tf.trainable_variables())
    train_op = tf.group(apply_op, ema_op)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(10):
            _, value = sess.run([train_op, loss])
            print('%.4f' % value)


main()
"""


def converted(text: str, *edits: tuple[str, str]) -> str:
    after = migrated(changed(text, *edits), target=TARGET)
    ast.parse(after)
    for word in ("Session", "compat", "tfmigrate", "tf.group", "control_dependencies", "no_op"):
        assert word not in after, word
    return after


def refused(text: str, *edits: tuple[str, str]) -> str:
    """Returns the reason why a changed program keeps its default form."""
    text = changed(text, *edits)
    (finding,) = found(text, "TFM802", target=TARGET)
    assert not found(text, "TFM803", target=TARGET)
    return finding.message


def test_a_training_step_updates_the_averages() -> None:
    after = converted(PROGRAM)
    assert (
        """
    optimizer.build(trainable_variables)
    averages = tf.train.ExponentialMovingAverage(DECAY, optimizer.iterations)
    averages.apply(trainable_variables)  # makes the averages
    moving_averages = [averages.average(v) for v in trainable_variables]

    @tf.function(input_signature=[x])
    def train_step(x):
        with tf.GradientTape() as tape:
            loss = model(x)
        gradients = tape.gradient(loss, trainable_variables)
        optimizer.apply_gradients(zip(gradients, trainable_variables))
        averages.apply(trainable_variables)
        return loss
"""
        in after
    )
    assert "variables=[*trainable_variables, *moving_averages])" in after


def test_towers_update_the_averages_outside_of_the_replicas() -> None:
    after = converted(TOWERS)
    assert (
        """
        apply_averaged(strategy, optimizer, average_gradients(tower_grads))
        with strategy.scope():
            ema.apply(trainable_variables)
"""
        in after
    )
    assert "        ema = tf.train.ExponentialMovingAverage(0.99, optimizer.iterations)\n" in after
    assert "ema.average(" not in after  # no checkpoint has them


def test_the_global_step_of_a_tower_is_that_of_the_optimizer() -> None:
    after = converted(TOWERS)
    assert "rows = (tf.cast(optimizer.iterations, tf.int32) * NUM_GPUS + i) * 8" in after
    assert "schedules.ExponentialDecay(0.1, 8, 0.5)" in after
    after = converted(TOWERS, ("(step * NUM", "(tf.to_int32(step) * NUM"))
    assert "rows = (tf.cast(optimizer.iterations, tf.int32) * NUM_GPUS + i) * 8" in after


def test_a_model_of_the_global_step_is_traced_below_its_optimizer() -> None:
    after = converted(
        PROGRAM,
        ("    w = tf.Variable(tf.zeros([3, 1]), name='w')\n", ""),
        ("tf.matmul(x, w) - 1.0))", "f(x))) / tf.to_float(global_step + 1)"),
        (
            "\ndef main",
            "\ndef f(x):\n    return tf.matmul(x, tf.get_variable('w', [3, 1]))\n\n\ndef main",
        ),
        ("    optimizer = tf.train.GradientDescentOptimizer(0.1)\n", ""),
        ("optimizer.minimize", "tf.train.GradientDescentOptimizer(0.1).minimize"),
    )
    assert "tf.cast(tf.cast(optimizer.iterations, tf.int64) + 1, tf.float32)" in after
    assert after.index("optimizer = keras") < after.index("get_concrete_function")


NO_OP = (
    ("    with tf.control_dependencies([train_op]):\n        update", "    averaged"),
    (
        "    saver =",
        "    with tf.control_dependencies([train_op, averaged]):\n"
        "        update = tf.no_op(name='train')\n    saver =",
    ),
)


def test_an_operation_without_effect_may_join_both() -> None:
    assert converted(PROGRAM, *NO_OP) == converted(PROGRAM)


def test_a_group_may_join_both() -> None:
    after = converted(
        PROGRAM,
        ("    with tf.control_dependencies([train_op]):\n        update", "    averaged"),
        ("    saver =", "    update = tf.group(train_op, averaged)\n    saver ="),
    )
    assert after == converted(PROGRAM)


def test_a_group_of_the_training_alone_is_the_training() -> None:
    after = converted(
        TOWERS,
        ("    ema = tf.train.ExponentialMovingAverage(0.99, step)\n", ""),
        ("    ema_op = ema.apply(tf.trainable_variables())\n", ""),
        ("tf.group(apply_op, ema_op)", "tf.group(apply_op)"),
    )
    assert "value = train_step()" in after


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((("sess.run([update,", "sess.run([train_op,"),), "does not update the moving averages"),
        ((("DECAY, global_step)", "DECAY, global_step, zero_debias=True)"),), "`zero_debias`"),
        ((("DECAY, global_step)", "DECAY, 100)"),), "is not the global step"),
        ((("(DECAY, global_step)", "(loss, global_step)"),), "is a tensor"),
        ((("tf.trainable_variables()", "[w]"),), "not written as all trained ones"),
        ((("tf.trainable_variables()", ""),), "not written as all trained ones"),
        (
            (("minimize(loss, global_step=global_step)", "minimize(loss)"),),
            "does not count this global step",
        ),
        (
            (("    saver =", "    mean = averages.average(w)\n    saver ="),),
            "used in another way than to update",
        ),
        (
            (
                ("([train_op])", "([loss])"),
                ("run([update,", "run([train_op, update,"),
            ),
            "`loss` runs with the training operation",
        ),
        (
            (
                (
                    "    train_op = optimizer",
                    "    with tf.control_dependencies([loss]):\n        train_op = optimizer",
                ),
            ),
            "run before the training operation",
        ),
        (
            (
                ("    with tf.control_dependencies([train_op]):\n        update", "    update"),
                (
                    "    averages =",
                    "    more = tf.train.ExponentialMovingAverage(0.9)\n    averages =",
                ),
            ),
            "of several kinds",
        ),
        (
            (
                (
                    "loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))",
                    "loss = tf.reduce_mean(tf.layers.dense(x, 1, name='out'))",
                ),
            ),
            "moving averages of the variables of layers",
        ),
        (
            (
                ("square(tf.matmul(x, w) - 1.0))", "square(x)) * tf.to_float(global_step)"),
                ("loss, global_step=global_step", "loss"),
                ("(DECAY, global_step)", "(DECAY)"),
            ),
            "does not count this global step",
        ),
    ],
)
def test_other_averages_are_refused(edits: tuple[tuple[str, str], ...], reason: str) -> None:
    assert reason in refused(PROGRAM, *edits)


def test_averages_of_each_tower_are_refused() -> None:
    message = refused(
        TOWERS,
        ("    ema = tf.train.ExponentialMovingAverage(0.99, step)\n", ""),
        ("    ema_op = ema.apply(tf.trainable_variables())\n", ""),
        (
            "                rows =",
            "                ema = tf.train.ExponentialMovingAverage(0.99, step)\n"
            "                ema_op = ema.apply(tf.trainable_variables())\n"
            "                rows =",
        ),
    )
    assert "ExponentialMovingAverage would be combined over the replicas" in message

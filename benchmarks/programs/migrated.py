"""What original.py becomes."""

import sys
import tempfile

import tensorflow.compat.v1 as tf
from benchmark_data import BATCH, CLASSES, Clock, rows

from tfmigrate_runtime import estimator

MODEL, STEPS = sys.argv[1], int(sys.argv[2])
KIND = sys.argv[3] if len(sys.argv) > 3 else "CPU"  # of the devices
DEVICES = int(sys.argv[4]) if len(sys.argv) > 4 else 2
WARM_UP = 100


def network(features, training):
    with tf.variable_scope("network"):
        if MODEL == "dense":
            net = tf.layers.dense(features, 64, activation=tf.nn.relu)
        else:
            net = tf.layers.conv2d(features, 8, 3, padding="same", use_bias=False)
            net = tf.layers.batch_normalization(net, momentum=0.9, training=training)
            net = tf.layers.flatten(tf.layers.max_pooling2d(tf.nn.relu(net), 2, 2))
        return tf.layers.dense(net, CLASSES)


def model_fn(features, labels, mode):
    logits = network(features, mode == estimator.ModeKeys.TRAIN)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.AdamOptimizer(0.01)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(rows(MODEL))
    return data.repeat().batch(BATCH, drop_remainder=True).prefetch(8)


class AfterWarmUp(tf.train.SessionRunHook):
    """Starts the clock when the session is warm; the time to build the graph does not count."""

    def __init__(self, clock):
        self.clock = clock
        self.steps = 0

    def after_run(self, run_context, run_values):
        self.steps += 1
        if self.steps == WARM_UP:
            self.clock.start()

    def steps_without_me(self, global_step):
        return 0 if self.steps < WARM_UP else STEPS

    def end(self, session):
        self.clock.print_rate(STEPS)


def main():
    strategy = tf.distribute.MirroredStrategy(
        ["/device:%s:%d" % (KIND, index) for index in range(DEVICES)]
    )
    config = estimator.RunConfig(train_distribute=strategy, global_batch=True)
    classifier = estimator.Estimator(model_fn, tempfile.mkdtemp(), config)
    classifier.train(input_fn, hooks=[AfterWarmUp(Clock())], steps=WARM_UP + STEPS)


if __name__ == "__main__":
    main()

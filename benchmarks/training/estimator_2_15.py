"""The model under tf.estimator's own last release, 2.15, and MirroredStrategy."""

import tempfile

import tensorflow as tf
from network import network
from rows import BATCH, DEVICE, REPLICAS, STEPS, WARM_UP, Clock, rows

v1 = tf.compat.v1


def model_fn(features, labels, mode):
    with v1.variable_scope("model"):
        logits = network(features, mode == tf.estimator.ModeKeys.TRAIN)
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = v1.train.AdamOptimizer(0.01)
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(rows())
    return data.repeat().batch(BATCH // REPLICAS, drop_remainder=True).prefetch(8)


class AfterWarmUp(tf.estimator.SessionRunHook):
    """Starts the clock when the session is warm; the time to build the graph does not count."""

    def __init__(self, clock):
        self.clock = clock
        self.steps = 0

    def after_run(self, run_context, run_values):
        self.steps += 1
        if self.steps == WARM_UP:
            self.clock.start()

    def end(self, session):
        self.clock.print_rate()


def main():
    devices = ["/device:%s:%d" % (DEVICE, index) for index in range(REPLICAS)]
    strategy = tf.distribute.MirroredStrategy(devices) if REPLICAS > 1 else None
    config = tf.estimator.RunConfig(
        train_distribute=strategy,
        session_config=v1.ConfigProto(device_count={"CPU": REPLICAS}, allow_soft_placement=True),
    )
    classifier = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), config)
    classifier.train(input_fn, hooks=[AfterWarmUp(Clock())], steps=WARM_UP + STEPS)


if __name__ == "__main__":
    main()

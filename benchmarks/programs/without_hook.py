"""original.py without its hook: what `tfmigrate --target keras` turns into migrated_keras.py."""

import sys
import tempfile

import tensorflow as tf
from benchmark_data import BATCH, CLASSES, Clock, rows

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
    logits = network(features, mode == tf.estimator.ModeKeys.TRAIN)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.01))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(rows(MODEL))
    return data.repeat().batch(BATCH, drop_remainder=True).prefetch(8)


def main():
    devices = ["/device:%s:%d" % (KIND, index) for index in range(DEVICES)]
    config = tf.estimator.RunConfig(
        session_config=tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    )
    classifier = tf.estimator.Estimator(
        tf.contrib.estimator.replicate_model_fn(model_fn, devices=devices),
        tempfile.mkdtemp(),
        config,
    )
    classifier.train(input_fn, steps=WARM_UP)
    clock = Clock()
    clock.start()
    classifier.train(input_fn, steps=STEPS)
    clock.print_rate(STEPS)


if __name__ == "__main__":
    main()

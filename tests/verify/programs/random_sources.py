"""Trains, and keeps what every kind of random number was at each step in a variable of its name.

On one machine, or with --job_name as a task of a cluster. No source has a seed but those that must.
"""

import argparse
import os
import random

import numpy as np

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tf.keras of TensorFlow 1.x
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--steps", type=int, default=10)
FLAGS = parser.parse_args()
SHAPE = [4]


def ops():
    image = tf.reshape(tf.linspace(0.0, 1.0, 48), [4, 4, 3])
    ones = tf.ones([4])
    return {
        "uniform": tf.random_uniform([4]),
        "normal": tf.random_normal([4]),
        "truncated": tf.truncated_normal([4]),
        "integers": tf.to_float(tf.random_uniform([4], 0, 1000, tf.int32)),
        "shuffle": tf.random_shuffle(tf.range(4.0)),
        "multinomial": tf.to_float(tf.multinomial(tf.zeros([1, 9]), 4)[0]),
        "gamma": tf.random_gamma([4], 2.0),
        "poisson": tf.random_poisson([5.0], [4])[:, 0],
        "dropout": tf.nn.dropout(ones, keep_prob=0.5),
        "layers_dropout": tf.layers.dropout(ones, 0.5, training=True),
        "keras_dropout": tf.keras.layers.Dropout(0.5)(ones, training=True),
        "keras_noise": tf.keras.layers.GaussianNoise(1.0)(ones, training=True),
        "crop": tf.random_crop(tf.range(40.0), [4]),
        "flip": tf.image.random_flip_left_right(image)[0, :, 0],
        "brightness": tf.image.random_brightness(image, 0.5)[0, :, 0],
        "contrast": tf.image.random_contrast(image, 0.2, 1.8)[0, :, 0],
        "hue": tf.image.random_hue(image, 0.4)[0, :, 0],
        "map_fn": tf.map_fn(lambda row: row * tf.random_uniform([]), ones),
        "while_loop": tf.while_loop(
            lambda i, total: i < 3,
            lambda i, total: (i + 1, total + tf.random_normal([4])),
            [0, tf.zeros([4])],
        )[1],
        "cond": tf.cond(
            tf.random_uniform([]) < 0.5, lambda: tf.random_normal([4]), lambda: tf.zeros([4])
        ),
        "scan": tf.scan(lambda total, row: total * 0.5 + tf.random_normal([]), ones),
        "rnn_dropout": rnn_output(),
        "bounding_box": tf.to_float(
            tf.image.sample_distorted_bounding_box(
                [60, 60, 3], tf.constant([[[0.1, 0.1, 0.9, 0.9]]]), min_object_covered=0.1
            )[2][0, 0]
        ),
        "fractional_pool": tf.nn.fractional_max_pool(
            tf.reshape(tf.range(400.0), [1, 20, 20, 1]), [1.0, 1.5, 1.5, 1.0]
        )[0][0, 3, :4, 0],
        "stateless": tf.random.stateless_uniform([4], seed=[3, 4]),
    }


def rnn_output():
    cell = tf.nn.rnn_cell.BasicRNNCell(4)
    dropped = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=0.5)
    return tf.nn.dynamic_rnn(dropped, tf.ones([1, 5, 4]), dtype=tf.float32)[0][0, -1]


def numpy_draws():
    drawn = tf.py_func(lambda: np.random.rand(4).astype(np.float32), [], tf.float32)
    drawn.set_shape([4])
    return drawn


def python_rows():
    while True:
        yield np.float32([random.random() for _ in range(4)])


def datasets():
    data = tf.data.Dataset
    numbers = data.range(20).map(tf.to_float)
    jitter = lambda row: row + tf.random_uniform([])  # noqa: E731
    return {
        "shuffled": numbers.shuffle(8).repeat().batch(4),
        "shuffled_once": numbers.shuffle(8, reshuffle_each_iteration=False).repeat().batch(4),
        "shuffled_again": numbers.shuffle(8, reshuffle_each_iteration=True).repeat().batch(4),
        "repeated_shuffled": numbers.repeat().shuffle(8).batch(4).prefetch(2),
        "mapped": numbers.map(jitter).repeat().batch(4),
        "mapped_batched": numbers.repeat().map(jitter).batch(4),
        "mapped_in_parallel": numbers.map(jitter, num_parallel_calls=4).repeat().batch(4),
        "map_and_batch": numbers.repeat().apply(tf.data.experimental.map_and_batch(jitter, 4)),
        "interleaved": data.range(5)
        .repeat()
        .interleave(lambda i: data.from_tensors(tf.to_float(i)).shuffle(2).map(jitter), 2)
        .batch(4),
        "parallel_files": data.range(6)
        .repeat()
        .apply(
            tf.data.experimental.parallel_interleave(
                lambda i: data.from_tensors(tf.to_float(i)).map(jitter), 3, sloppy=True
            )
        )
        .batch(4),
        "sampled": tf.data.experimental.sample_from_datasets(
            [numbers.repeat(), numbers.map(lambda x: -x).repeat()], [0.5, 0.5]
        ).batch(4),
    }


def train_op():
    step = tf.train.get_or_create_global_step()
    drawn = ops()
    for name, dataset in datasets().items():
        drawn[name] = tf.data.make_one_shot_iterator(dataset).get_next()
    # One of each: two threads that draw from the same generator would do so in any order.
    drawn.update(numpy_in_py_func=numpy_draws(), python_in_generator=generated(python_rows))
    kept = []
    for name, value in drawn.items():
        holder = tf.get_variable(
            "drawn/" + name, SHAPE, trainable=False, initializer=tf.zeros_initializer()
        )
        kept.append(holder.assign(tf.reshape(value, SHAPE)))
    hidden = tf.layers.dense(tf.ones([2, 3]), 4, name="layers")
    hidden = tf.keras.layers.Dense(4, name="keras")(hidden)
    loss = tf.reduce_mean(tf.square(hidden - 1.0))
    with tf.control_dependencies(kept):
        return tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)


def generated(rows):
    dataset = tf.data.Dataset.from_generator(rows, tf.float32, [4]).prefetch(2)
    iterator = tf.data.make_initializable_iterator(dataset)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def main():
    target, chief, device = "", True, None
    if FLAGS.job_name:
        cluster = tf.train.ClusterSpec(
            {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
        )
        server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
        if FLAGS.job_name == "ps":
            server.join()
        target, chief = server.target, FLAGS.task_index == 0
        device = tf.train.replica_device_setter(
            worker_device="/job:worker/task:" + str(FLAGS.task_index), cluster=cluster
        )
    with tf.device(device):
        train = train_op()
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
    with tf.train.MonitoredTrainingSession(target, chief, hooks=hooks) as session:
        while not session.should_stop():
            session.run(train)


if __name__ == "__main__":
    main()

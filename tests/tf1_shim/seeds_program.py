"""Builds graphs with a seed of their own; prints the seeds of their random ops, and numbers drawn.

It runs on TensorFlow 1.15 as it is: seeds_1_15.json holds what it printed there (1.15.5), by

    python tests/tf1_shim/seeds_program.py > tests/tf1_shim/seeds_1_15.json
"""

import json

import numpy as np
import tensorflow as tf

layers = tf.layers
cells = tf.nn.rnn_cell


def images():
    return tf.placeholder(tf.float32, [None, 8, 8, 1])


def normal():
    return tf.random_normal([1])


def cnn():
    x = layers.conv2d(images(), 4, 3, activation=tf.nn.relu)
    x = layers.flatten(layers.max_pooling2d(layers.conv2d(x, 4, 3), 2, 2))
    x = layers.dropout(layers.dense(x, 8), 0.4, training=True)
    return layers.dense(x, 2), normal()


def norms(shape, training):
    return layers.batch_normalization(tf.ones(shape), training=training), normal()


def rnn():
    dropped = cells.DropoutWrapper(cells.GRUCell(2), 0.5, 0.5)
    cell = cells.MultiRNNCell([dropped, cells.LSTMCell(2)])
    tf.nn.dynamic_rnn(cell, tf.ones([2, 3, 2]), dtype=tf.float32)
    both = cells.GRUCell(2), cells.BasicLSTMCell(2)
    tf.nn.bidirectional_dynamic_rnn(*both, inputs=tf.ones([2, 3, 2]), dtype=tf.float32)
    return layers.dense(tf.ones([1, 2]), 2)


def initializers():
    for number, name in enumerate(
        ("truncated_normal", "zeros", "random_normal", "random_uniform", "orthogonal", "ones")
    ):
        initializer = getattr(tf, name + "_initializer")()
        tf.get_variable(str(number), [2, 2], initializer=initializer)
    for name in ("glorot_normal", "glorot_uniform"):
        tf.get_variable(name, [2, 2], initializer=getattr(tf, name + "_initializer")())
    tf.get_variable("default", [2, 2])


def dropouts():
    tf.nn.dropout(tf.placeholder(tf.float32, [None, 3]), keep_prob=tf.placeholder(tf.float32, []))
    tf.nn.dropout(tf.ones([2, 3]), rate=0.3, noise_shape=[2, 1])
    layers.dropout(tf.ones([2]), 0.5, training=tf.placeholder(tf.bool, []))
    return normal()


def regularized(kind):
    x = tf.ones([2, 2])
    return layers.dense(
        x, 2, kernel_regularizer=getattr(tf.keras.regularizers, kind)(0.1)
    ), normal()


GRAPHS = {
    "uniform": lambda: (tf.random_uniform([2]), tf.random_uniform([2], 0, 5), normal()),
    "integers": lambda: (tf.random_uniform([2], 1, 5, tf.int32), normal()),
    "shuffle": lambda: (tf.random_shuffle([1, 2]), normal()),
    "variables": lambda: (tf.Variable(tf.truncated_normal([2, 2])), normal()),
    "initializers": initializers,
    "dense": lambda: layers.dense(layers.dense(tf.ones([1, 3]), 2, activation=tf.nn.relu), 2),
    "dense of sequences": lambda: (
        layers.dense(tf.placeholder(tf.float32, [None, 3, 3]), 2),
        normal(),
    ),
    "dense of known": lambda: (layers.dense(tf.ones([2, 3, 3]), 2), normal()),
    "conv1d": lambda: (layers.conv1d(tf.ones([1, 5, 2]), 3, 2), normal()),
    "cnn": cnn,
    "norm training": lambda: norms([2, 4, 4, 3], True),
    "norm inference": lambda: norms([2, 4, 4, 3], False),
    "norm by placeholder": lambda: norms([2, 4, 4, 3], tf.placeholder(tf.bool, [])),
    "norm of vectors": lambda: norms([2, 3], True),
    "dropouts": dropouts,
    "l1": lambda: regularized("l1"),
    "l2": lambda: regularized("l2"),
    "rnn": rnn,
    "global step": lambda: (tf.train.get_or_create_global_step(), normal()),
    "dataset": lambda: (
        tf.data.Dataset.range(5).shuffle(5).batch(1).make_one_shot_iterator().get_next(),
        normal(),
    ),
    "flips": lambda: (
        tf.image.random_flip_left_right(tf.ones([3, 3, 3])),
        tf.image.random_brightness(tf.ones([3, 3, 3]), 0.2),
        normal(),
    ),
    "keras": lambda: (
        tf.keras.layers.Dropout(0.5)(tf.keras.layers.Dense(2)(tf.keras.Input([3]))),
        normal(),
    ),
}


def seeds_of(build):
    """Returns the two seeds of every random op that a function builds."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        build()
        return [
            [op.name, op.get_attr("seed"), op.get_attr("seed2")]
            for op in graph.get_operations()
            if "seed2" in op.node_def.attr
        ]


def drawn():
    """Returns numbers of one graph: with a seed, without one, of a data set, of a layer."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(5)
        rows = tf.data.Dataset.range(10).shuffle(10).batch(10)
        random_rows = tf.data.Dataset.range(3).map(lambda _: tf.random_uniform([])).batch(3)
        tensors = [
            tf.random_normal([2], seed=1),
            tf.random_normal([2]),
            tf.random_uniform([2]),
            rows.make_one_shot_iterator().get_next(),
            random_rows.make_one_shot_iterator().get_next(),
            layers.dense(tf.ones([1, 3]), 2),
            tf.nn.dropout(tf.ones([6]), keep_prob=0.5),
        ]
        session.run(tf.global_variables_initializer())
        return [np.asarray(value).tolist() for value in session.run(tensors)]


def trained():
    """Returns the losses and names of the weights of a Keras model with dropout."""
    tf.keras.backend.clear_session()
    tf.set_random_seed(11)
    keras = tf.keras.layers
    model = tf.keras.Sequential(
        [
            keras.Dense(4, activation="relu", input_shape=(3,)),
            keras.BatchNormalization(),
            keras.Dropout(0.5),
            keras.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    x = np.random.RandomState(0).rand(16, 3).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0)
    losses = [float(loss) for loss in history.history["loss"]]
    lstm = keras.LSTM(2)
    lstm(tf.keras.Input([4, 3]))
    return {"losses": losses, "weights": [weight.name for weight in model.weights + lstm.weights]}


said = {
    "seeds": {name: seeds_of(build) for name, build in GRAPHS.items()},
    "drawn": drawn(),
    "keras": trained(),
}
print(json.dumps(said, indent=1, sort_keys=True))

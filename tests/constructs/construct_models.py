"""Recurrent cells, control flow, tables, columns, and ways to make variables and sessions."""

from __future__ import annotations

import os

import numpy as np
import tensorflow.compat.v1 as tf
from construct_library import WIDTH, finish


def _sequence(features):
    """Float32 [rows, 4, WIDTH]: four looked up vectors a row."""
    table = tf.get_variable("table", [10, WIDTH], initializer=tf.random_normal_initializer())
    return tf.nn.embedding_lookup(table, features["ids"])


def lstm(library, features, labels, mode):
    with tf.variable_scope("model"):
        cell = tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, num_proj=3)
        outputs, _ = tf.nn.dynamic_rnn(
            cell, _sequence(features), features["lengths"], dtype=tf.float32
        )
        output = tf.layers.dense(outputs[:, -1], 1, name="output")
    return finish(library, mode, labels, output)


def stacked_cells(library, features, labels, mode):
    with tf.variable_scope("model"):
        cells = [
            tf.nn.rnn_cell.BasicLSTMCell(4),
            tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(4)),
            tf.nn.rnn_cell.BasicRNNCell(3),
        ]
        cell = tf.nn.rnn_cell.MultiRNNCell(cells)
        start = cell.zero_state(tf.shape(features["ids"])[0], tf.float32)
        outputs, _ = tf.nn.dynamic_rnn(cell, _sequence(features), initial_state=start)
        output = tf.layers.dense(outputs[:, -1], 1, name="output")
    return finish(library, mode, labels, output)


def cells_with_dropout(library, features, labels, mode):
    keep = 0.8 if mode == library.estimator.ModeKeys.TRAIN else 1.0
    with tf.variable_scope("model"):
        cell = tf.nn.rnn_cell.DropoutWrapper(
            tf.nn.rnn_cell.GRUCell(4), output_keep_prob=keep, seed=3
        )
        outputs, _ = tf.nn.dynamic_rnn(cell, _sequence(features), dtype=tf.float32)
        output = tf.layers.dense(outputs[:, -1], 1, name="output")
    return finish(library, mode, labels, output)


def bidirectional(library, features, labels, mode):
    with tf.variable_scope("model"):
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(
            tf.nn.rnn_cell.GRUCell(3),
            tf.nn.rnn_cell.GRUCell(3),
            _sequence(features),
            features["lengths"],
            dtype=tf.float32,
        )
        joined = tf.concat(outputs, 2)
        output = tf.layers.dense(tf.reduce_mean(joined, 1), 1, name="output")
    return finish(library, mode, labels, output)


def static_rnn(library, features, labels, mode):
    with tf.variable_scope("model"):
        steps = tf.unstack(_sequence(features), num=4, axis=1)
        outputs, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(4), steps, dtype=tf.float32)
        output = tf.layers.dense(outputs[-1], 1, name="output")
    return finish(library, mode, labels, output)


def cond(library, features, labels, mode):
    """One of two branches, each with a variable, by the global step and by the data."""
    with tf.variable_scope("model"):
        hidden = tf.layers.dense(features["x"], 4, activation=tf.tanh, name="hidden")
        even = tf.equal(tf.train.get_global_step() % 2, 0)
        scale = tf.get_variable("scale", [4], initializer=tf.ones_initializer())
        hidden = tf.cond(even, lambda: hidden * scale, lambda: hidden - scale)
        positive = tf.reduce_sum(features["x"]) > 0
        hidden = tf.cond(
            positive,
            lambda: tf.layers.dense(hidden, 4, name="if_positive"),
            lambda: tf.layers.dense(hidden, 4, name="if_not"),
        )
        output = tf.layers.dense(hidden, 1, name="output")
    return finish(library, mode, labels, output)


def while_loop(library, features, labels, mode):
    with tf.variable_scope("model"):
        hidden = tf.layers.dense(features["x"], 4, name="hidden")
        kernel = tf.get_variable("kernel", [4, 4])

        def body(count, state):
            return count + 1, tf.tanh(tf.matmul(state, kernel)) + 0.1 * state

        _, hidden = tf.while_loop(lambda count, state: count < 3, body, [0, hidden])
        output = tf.layers.dense(hidden, 1, name="output")
    return finish(library, mode, labels, output)


def partitioned(library, features, labels, mode):
    """A table and a layer whose variables are split over three and two partitions."""
    with tf.variable_scope("model"):
        table = tf.get_variable(
            "table",
            [10, 3],
            partitioner=tf.fixed_size_partitioner(3),
            regularizer=tf.nn.l2_loss,
        )
        looked_up = tf.nn.embedding_lookup(table, features["ids"], partition_strategy="div")
        joined = tf.concat([features["x"], tf.reduce_sum(looked_up, 1)], 1)
        with tf.variable_scope("layers", partitioner=tf.fixed_size_partitioner(2)):
            hidden = tf.layers.dense(joined, 4, activation=tf.tanh, name="hidden")
        output = tf.layers.dense(hidden, 1, name="output")
    return finish(library, mode, labels, output, tf.train.MomentumOptimizer(0.02, 0.9))


def lookup_tables(library, features, labels, mode):
    """A table of a tensor's words and one of a file's, both with out of vocabulary buckets."""
    path = os.path.join(library.folder, "words.txt")
    with open(path, "w") as stream:
        stream.write("red\ngreen\nblue\n")
    with tf.variable_scope("model"):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(
                tf.constant(["red", "blue"]), tf.constant([0, 1], tf.int64)
            ),
            2,
        )
        of_file = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(
                path,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            num_oov_buckets=2,
        )
        columns = [
            tf.one_hot(table.lookup(features["words"]), 3),
            tf.one_hot(of_file.lookup(features["words"]), 5),
        ]
        output = tf.layers.dense(tf.concat(columns, 1), 1, name="output")
    return finish(library, mode, labels, output)


def feature_columns(library, features, labels, mode):
    column = tf.feature_column
    x = column.numeric_column("x", shape=WIDTH)
    words = column.categorical_column_with_vocabulary_list(
        "words", ["red", "green", "blue"], num_oov_buckets=1
    )
    hashed = column.categorical_column_with_hash_bucket("colours", 7)
    lengths = column.bucketized_column(column.numeric_column("lengths"), [2.0, 3.0])
    ids = column.categorical_column_with_identity("ids", 10)
    features = dict(features, colours=features["words"])
    columns = [
        x,
        lengths,
        column.indicator_column(words),
        column.embedding_column(hashed, 3),
        column.embedding_column(ids, 2, combiner="sqrtn"),
        column.indicator_column(column.crossed_column(["words", lengths], 11)),
    ]
    with tf.variable_scope("model"):
        deep = tf.feature_column.input_layer(features, columns)
        wide = tf.feature_column.linear_model(features, [lengths, words, hashed])
        output = tf.layers.dense(deep, 1, name="output") + wide
    return finish(library, mode, labels, output, tf.train.AdagradOptimizer(0.1))


def shared_columns(library, features, labels, mode):
    column = tf.feature_column
    first = column.categorical_column_with_vocabulary_list("words", ["red", "green"])
    second = column.categorical_column_with_vocabulary_list("colours", ["red", "green"])
    columns = column.shared_embedding_columns([first, second], 3)
    features = {"words": features["words"], "colours": tf.reverse(features["words"], [0])}
    with tf.variable_scope("model"):
        output = tf.layers.dense(column.input_layer(features, columns), 1, name="output")
    return finish(library, mode, labels, output)


def exponential_moving_average(library, features, labels, mode):
    """Averages of the weights, which evaluation restores in their place."""
    with tf.variable_scope("model"):
        hidden = tf.layers.dense(features["x"], 4, activation=tf.tanh, name="hidden")
        output = tf.layers.dense(hidden, 1, name="output")
    averages = tf.train.ExponentialMovingAverage(0.8, tf.train.get_global_step())
    if mode == library.estimator.ModeKeys.EVAL:
        saver = tf.train.Saver(averages.variables_to_restore())
        return finish(library, mode, labels, output, scaffold=tf.train.Scaffold(saver=saver))

    def with_averages(train_op):
        with tf.control_dependencies([train_op]):
            return averages.apply(tf.trainable_variables())

    return finish(library, mode, labels, output, after=with_averages)


def averaged_loss(library, features, labels, mode):
    """The average of a tensor, which cifar10's lineage shows as a summary."""
    with tf.variable_scope("model"):
        output = tf.layers.dense(features["x"], 1, name="output")
        loss = tf.losses.mean_squared_error(labels, output)
        averages = tf.train.ExponentialMovingAverage(0.5, name="average")
        update = averages.apply([loss])
        tf.summary.scalar("average", averages.average(loss))
    if mode != library.estimator.ModeKeys.TRAIN:
        return finish(library, mode, labels, output, loss=loss)
    return finish(library, mode, labels, output, loss=loss, after=lambda op: tf.group(op, update))


def raw_variables(library, features, labels, mode):
    """tf.Variable, as the tutorials of 2016 had it: towers made a copy each (1.15)."""
    with tf.name_scope("model"):
        kernel = tf.Variable(tf.truncated_normal([WIDTH, 4], stddev=0.5), name="kernel")
        bias = tf.Variable(tf.zeros([4]), name="bias")
        output_kernel = tf.Variable(tf.random_uniform([4, 1], -1.0, 1.0), name="output")
        hidden = tf.tanh(tf.matmul(features["x"], kernel) + bias)
        counter = tf.Variable(0.5, trainable=False, name="constant")
        output = tf.matmul(hidden, output_kernel) * counter
    return finish(library, mode, labels, output)


def custom_getter(library, features, labels, mode):
    """A getter that hands the model functions of its variables."""

    def doubled(getter, *arguments, **options):
        return 2.0 * getter(*arguments, **options)

    with tf.variable_scope("model", custom_getter=doubled):
        kernel = tf.get_variable("kernel", [WIDTH, 4])
        hidden = tf.tanh(tf.matmul(features["x"], kernel))
        output = tf.matmul(hidden, tf.get_variable("output", [4, 1]))
    return finish(library, mode, labels, output)


def averaging_getter(library, features, labels, mode):
    """A getter that gives the averages of the variables, in evaluation's copy of the model."""
    averages = tf.train.ExponentialMovingAverage(0.7)

    def averaged(getter, *arguments, **options):
        return averages.average(getter(*arguments, **options))

    def network(**options):
        with tf.variable_scope("model", **options):
            kernel = tf.get_variable("kernel", [WIDTH, 1])
            return tf.matmul(features["x"], kernel)

    output = network()

    def apply(train_op=None):
        with tf.control_dependencies([] if train_op is None else [train_op]):
            return averages.apply(tf.trainable_variables())

    if mode == library.estimator.ModeKeys.EVAL:
        apply()
        output = network(reuse=True, custom_getter=averaged)
    return finish(library, mode, labels, output, after=apply)


def init_from_checkpoint(library, features, labels, mode):
    """Weights that start from another checkpoint."""
    path = os.path.join(library.folder, "pretrained")
    if not os.path.exists(path + ".index"):
        _write_checkpoint(path)
    with tf.variable_scope("model"):
        hidden = tf.layers.dense(features["x"], 4, activation=tf.tanh, name="hidden")
        output = tf.layers.dense(hidden, 1, name="output")
    if mode == library.estimator.ModeKeys.TRAIN:
        tf.train.init_from_checkpoint(
            path, {"old/kernel": "model/hidden/kernel", "bias": "model/hidden/bias"}
        )
    return finish(library, mode, labels, output)


def _write_checkpoint(path):
    with tf.Graph().as_default(), tf.Session() as session:
        values = np.linspace(-1, 1, WIDTH * 4).reshape(WIDTH, 4).astype(np.float32)
        kernel = tf.get_variable("old/kernel", initializer=tf.constant(values))
        bias = tf.get_variable("bias", initializer=tf.constant([0.1, -0.2, 0.3, 0.4]))
        session.run(tf.global_variables_initializer())
        tf.train.Saver([kernel, bias]).save(session, path, write_meta_graph=False)


def scaffold_fields(library, features, labels, mode):
    """A Scaffold with an init_fn, a local_init_op and a saver of its own."""
    with tf.variable_scope("model"):
        kernel = tf.get_variable("kernel", [WIDTH, 1])
        offset = tf.get_variable(
            "offset",
            initializer=tf.constant(0.0),
            trainable=False,
            collections=[tf.GraphKeys.LOCAL_VARIABLES],
        )
        output = tf.matmul(features["x"], kernel) + offset
    value = tf.placeholder(tf.float32, [WIDTH, 1])
    assign = kernel.assign(value)

    def init_fn(scaffold, session):
        del scaffold
        session.run(assign, {value: np.full([WIDTH, 1], 0.25, np.float32)})

    scaffold = None
    if mode == library.estimator.ModeKeys.TRAIN:
        scaffold = tf.train.Scaffold(
            init_fn=init_fn,
            local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()),
            saver=tf.train.Saver(max_to_keep=2),
        )
    return finish(library, mode, labels, output, scaffold=scaffold)


CONSTRUCTS = {
    function.__name__: function
    for function in (
        lstm,
        stacked_cells,
        cells_with_dropout,
        bidirectional,
        static_rnn,
        cond,
        while_loop,
        partitioned,
        lookup_tables,
        feature_columns,
        shared_columns,
        exponential_moving_average,
        averaged_loss,
        raw_variables,
        custom_getter,
        averaging_getter,
        init_from_checkpoint,
        scaffold_fields,
    )
}

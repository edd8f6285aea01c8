"""Deprecated names and arguments that compat.v1 still has."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
width = x.get_shape()[1].value
weight = tf.get_variable("weight", [width, 2], initializer=tf.ones_initializer)
table = tf.get_variable("table", [3, 2], initializer=tf.constant_initializer(0.5))
tf.set_random_seed(3)
outputs = {
    "product": tf.nn.xw_plus_b(x, weight, tf.zeros([2])),
    "dropped": tf.nn.dropout(x, keep_prob=1.0),
    "kept": tf.reduce_mean(tf.nn.dropout(tf.ones([1000, 40]), 0.999999, seed=1)),
    "sum": tf.reduce_sum(x, reduction_indices=[1], keep_dims=True),
    "expanded": tf.expand_dims(x, dim=1),
    "squeezed": tf.squeeze(tf.expand_dims(x, 1), squeeze_dims=[1]),
    "softmax": tf.nn.softmax(x, dim=0),
    "argmax": tf.arg_max(x, dimension=1),
    "float": tf.to_float(tf.to_int32(x)),
    "normal": tf.nn.l2_normalize(x, dim=1),
    "embedded": tf.nn.embedding_lookup(table, tf.constant([2, 0])),
    "moments": tf.nn.moments(x, [0], keep_dims=True)[1],
    "norm": tf.norm(x, ord=2, axis=1, keep_dims=True),
    "reversed": tf.reverse_sequence(x, [2, 3], seq_dim=1, batch_dim=0),
    "width": tf.constant(width),
}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    result = session.run(outputs, {x: [[1.0, 2.0, 0.5, 4.0], [0.1, -1.0, 3.0, 2.5]]})

"""The input of a network, made by the columns of tf.contrib.layers."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import layers

tf.disable_v2_behavior()


def rising(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(float(np.prod(shape)), dtype=tf.float32), shape) / 10.0


kind = layers.sparse_column_with_keys("kind", keys=["bag", "pen", "toy"])
shop = layers.sparse_column_with_hash_bucket("shop", hash_bucket_size=7)
size = layers.sparse_column_with_integerized_feature("size", bucket_size=4)
age = layers.real_valued_column("age", normalizer=lambda x: (x - 10.0) / 5.0)
columns = [
    age,
    layers.real_valued_column("price", dimension=2, default_value=[1.0, 2.0]),
    layers.bucketized_column(age, boundaries=[5, 10, 15]),
    layers.one_hot_column(kind),
    layers.embedding_column(shop, dimension=2, initializer=rising),
    layers.embedding_column(
        layers.weighted_sparse_column(size, "weight"), 3, combiner="sum", initializer=rising
    ),
]
columns += layers.shared_embedding_columns(
    [
        layers.sparse_column_with_hash_bucket("first", 5),
        layers.sparse_column_with_hash_bucket("second", 5),
    ],
    dimension=2,
    initializer=rising,
)
words = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["bag", "toy", "none"], [3, 2])
features = {
    "age": tf.constant([[4.0], [10.0], [40.0]]),
    "price": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    "kind": words,
    "shop": tf.constant([["north"], ["south"], [""]]),
    "size": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 6, 3], tf.int64), [3, 2]),
    "weight": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.5, 2.0, 1.0], [3, 2]),
    "first": words,
    "second": tf.constant([["a", "b"], ["", "c"], ["", ""]]),
}
parts = {}
network = layers.input_from_feature_columns(features, columns, scope="input", cols_to_outs=parts)
linear, _, _ = layers.weighted_sum_from_feature_columns(features, columns[:1], num_outputs=1)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    result = {
        "input": session.run(network),
        "linear": session.run(linear),
        "one_hot": session.run(parts[columns[3]]),
        "variables": sorted(variable.op.name for variable in tf.trainable_variables()),
        "drawn": 1 / np.sqrt(len(columns)),
    }

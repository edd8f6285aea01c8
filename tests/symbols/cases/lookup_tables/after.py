"""Tables of tf.contrib.lookup."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import lookup
from tfmigrate_runtime.lookup import HashTable
from tfmigrate_runtime.lookup import index_to_string_table_from_tensor

tf.disable_v2_behavior()

words = tf.constant(["lake", "palmer", "emerson", "and"])
table = lookup.index_table_from_tensor(
    mapping=tf.constant(["emerson", "lake", "palmer"]), num_oov_buckets=5, default_value=-1
)
plain = lookup.index_table_from_tensor(["emerson", "lake"], default_value=7)
names = index_to_string_table_from_tensor(["emerson", "lake"], default_value="UNKNOWN")
squares = HashTable(
    tf.lookup.KeyValueTensorInitializer(
        tf.constant([1, 2, 3], tf.int64), tf.constant([1.0, 4.0, 9.0])
    ),
    -1.0,
)
shared = HashTable(
    tf.lookup.KeyValueTensorInitializer(["a"], [1], tf.string, tf.int64),
    default_value=0,
    shared_name="letters",
)
counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-5)
dense = tf.lookup.experimental.DenseHashTable(
    key_dtype=tf.int64, value_dtype=tf.int64, default_value=-1, empty_key=0, deleted_key=-2
)
with tf.Session() as session:
    session.run(tf.tables_initializer())
    session.run(shared.init)
    session.run(counts.insert(tf.constant(["x", "y"]), tf.constant([3, 4], tf.int64)))
    session.run(dense.insert(tf.constant([11, 12], tf.int64), tf.constant([1, 2], tf.int64)))
    result = {
        "ids": session.run(table.lookup(words)),
        "size": session.run(table.size()),
        "plain": session.run(plain.lookup(words)),
        "names": [
            name.decode() for name in session.run(names.lookup(tf.constant([1, 0, 5], tf.int64)))
        ],
        "squares": session.run(squares.lookup(tf.constant([3, 9, 1], tf.int64))),
        "shared": session.run(shared.lookup(tf.constant(["a", "b"]))),
        "counts": session.run(counts.lookup(tf.constant(["y", "z"]))),
        "dense": session.run(dense.lookup(tf.constant([12, 13], tf.int64))),
    }

"""A mean of word vectors, whose gradients are sparse."""

import tensorflow as tf
from rows import CLASSES, WORDS


def network(features, training):
    vectors = tf.get_variable(
        "vectors", shape=[WORDS, 32], initializer=tf.random_uniform_initializer(-0.1, 0.1)
    )
    bag = tf.reduce_mean(tf.nn.embedding_lookup(vectors, features), axis=1)
    return tf.layers.dense(bag, CLASSES)

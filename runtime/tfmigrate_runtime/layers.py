"""tf.contrib.layers on TensorFlow 2."""

from __future__ import annotations

from tf_slim.layers import *  # noqa: F403

from tfmigrate_runtime.slim.tf_slim_import import load_tf_slim

load_tf_slim()


def embed_sequence(ids, vocab_size=None, embed_dim=None, scope=None):
    import tensorflow.compat.v1 as tf

    with tf.variable_scope(scope, "EmbedSequence", [ids]):
        return tf.nn.embedding_lookup(tf.get_variable("embeddings", [vocab_size, embed_dim]), ids)

"""tf.contrib.proto."""

import tensorflow.compat.v1 as tf

__all__ = ["decode_proto", "encode_proto"]

decode_proto = tf.io.decode_proto
encode_proto = tf.io.encode_proto

"""tf.contrib.autograph: what tf.autograph has of it."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_ops import api

__all__ = [
    "AutoGraphError", "Feature", "StackTraceMapper", "convert", "converted_call", "do_not_convert",
    "set_loop_options", "to_code", "to_graph",
]  # fmt: skip

AutoGraphError = api.AutoGraphError
Feature = tf.autograph.experimental.Feature
StackTraceMapper = api.StackTraceMapper
convert = api.convert
converted_call = api.converted_call
do_not_convert = tf.autograph.experimental.do_not_convert
set_loop_options = tf.autograph.experimental.set_loop_options
to_code = tf.autograph.to_code
to_graph = tf.autograph.to_graph

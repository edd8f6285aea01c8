"""Names that were never public and that many programs import."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import seq2seq
from tfmigrate_runtime import layers as optimizers
from tfmigrate_runtime import learn as run_config
from tfmigrate_runtime import rnn as core_rnn_cell
from tfmigrate_runtime.rnn import _linear
from tfmigrate_runtime import seq2seq as attention_wrapper
from tfmigrate_runtime import data as threadpool
from tensorflow.python.util import function_utils as util

tf.disable_eager_execution()

X = tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
Y = tf.constant(np.arange(9, dtype=np.float32).reshape(3, 3) - 4)
half = tf.constant_initializer(0.5)

with tf.variable_scope("one"):
    one = _linear([X, Y], 4, True, tf.constant_initializer(3.0), half)
with tf.variable_scope("two", initializer=tf.constant_initializer(0.25)):
    two = core_rnn_cell._linear(X, 2, bias=False)
with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
    three = core_rnn_cell._linear([Y], 4, True, kernel_initializer=half)
with tf.variable_scope("again", initializer=half):
    layer = core_rnn_cell._Linear([X, Y], 2, True, tf.constant_initializer(1.0))
    again = layer([layer([X, Y]), Y])
try:
    _linear(tf.expand_dims(X, 0), 2, True)
except ValueError as error:
    refused = str(error)[:36]

memory = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 2, 2) / 10)
with tf.variable_scope("attention", initializer=half):
    mechanism = seq2seq.LuongAttention(2, memory)
attended = attention_wrapper._compute_attention(
    mechanism, X, mechanism.initial_state(3, tf.float32), attention_layer=None
)
clipped = optimizers._clip_gradients_by_norm(zip([X, Y], ["x", "y"]), 3.0)

pool = threadpool.PrivateThreadPool(2, display_name="input", max_intra_op_parallelism=1)
data = threadpool.override_threadpool(tf.data.Dataset.range(5).map(lambda i: i * i, 4), pool)
iterator = tf.data.make_initializable_iterator(data.batch(5))
element = iterator.get_next()
spec = tf.DeviceSpec.from_string("/job:worker")
spec.merge_from(tf.DeviceSpec.from_string("/task:3/cpu:0"))

with tf.Session() as session:
    session.run([tf.global_variables_initializer(), iterator.initializer])
    result = {
        "names": sorted(v.op.name for v in tf.global_variables()),
        "one": session.run(one),
        "two": session.run(two),
        "three": session.run(three),
        "again": session.run(again),
        "attended": session.run(attended[0]),
        "alignments": session.run(attended[1]),
        "clipped": session.run(clipped[0][0]),
        "clipped_too": session.run(clipped[1][0]),
        "elements": session.run(element),
        "refused": refused,
        "uid": run_config._DEFAULT_UID_WHITE_LIST,
        "arguments": list(util.fn_args(lambda features, labels, mode: None)),
        "device": spec.to_string(),
    }

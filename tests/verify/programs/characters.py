"""A recurrent network whose state goes from batch to batch, with dropout inside of its loop."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
CODES, LENGTH, ROWS, UNITS = 9, 6, 8, 7
x, y = tf.placeholder(tf.int32, [ROWS, None]), tf.placeholder(tf.int32, [ROWS, None])
lengths = tf.placeholder(tf.int32, [ROWS])
begin = tf.placeholder(tf.float32, [ROWS, UNITS])
keep = tf.placeholder_with_default(1.0, [])

uniform = tf.random_uniform_initializer(-0.5, 0.5)
table = tf.get_variable("table", [CODES, 5], initializer=uniform)
cell = tf.nn.rnn_cell.GRUCell(UNITS)
cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=keep)
inputs = tf.nn.embedding_lookup(table, x)
outputs, end = tf.nn.dynamic_rnn(cell, inputs, lengths, initial_state=begin)
w = tf.get_variable("w", [UNITS, CODES], initializer=tf.orthogonal_initializer())
logits = tf.matmul(tf.reshape(outputs, [-1, UNITS]), w)
logits = tf.reshape(logits, [ROWS, -1, CODES])
mask = tf.sequence_mask(lengths, tf.shape(x)[1], dtype=tf.float32)
entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
loss = tf.reduce_sum(entropy * mask) / ROWS
rate = tf.Variable(0.5, trainable=False)
slower = rate.assign(rate * 0.7)
step = tf.train.get_or_create_global_step()
optimizer = tf.train.AdadeltaOptimizer(rate, rho=0.9, epsilon=1e-4)
variables = tf.trainable_variables()
gradients = tf.gradients(loss, variables)
gradients, norm = tf.clip_by_global_norm(gradients, 0.2)
train = optimizer.apply_gradients(zip(gradients, variables, strict=True), step)

rng = np.random.RandomState(5)
text = rng.randint(0, CODES, [ROWS, 61])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        state = np.zeros([ROWS, UNITS])
        for part in range(0, 5 * LENGTH, LENGTH):
            count = rng.randint(3, LENGTH + 1, ROWS)
            fed = {x: text[:, part : part + LENGTH], y: text[:, part + 1 : part + LENGTH + 1]}
            fed.update({lengths: count, begin: state})
            state, value, _ = session.run([end, loss, train], {**fed, keep: 0.8})
        session.run(slower)
        print(session.run(loss, {**fed, begin: 0 * state}))

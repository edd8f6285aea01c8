"""A small network that learns from the softened answers of a larger one, which is trained first."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
TEMPERATURE, SHARE = 4.0, 0.3
x, y = tf.placeholder(tf.float32, [None, 8]), tf.placeholder(tf.int64, [None])


def layer(x, units, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [x.shape[1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, kernel) + bias


def network(x, units, name):
    with tf.variable_scope(name):
        return layer(tf.nn.elu(layer(x, units, "hidden")), 3, "logits")


teacher, student = network(x, 16, "teacher"), network(x, 6, "student")
t_loss = tf.losses.sparse_softmax_cross_entropy(y, teacher)
t_variables = tf.trainable_variables("teacher")
t_train = tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True).minimize(
    t_loss, var_list=t_variables
)
soft = tf.nn.softmax(tf.stop_gradient(teacher) / TEMPERATURE)
of_soft = tf.nn.softmax_cross_entropy_with_logits_v2(labels=soft, logits=student / TEMPERATURE)
s_loss = SHARE * tf.losses.sparse_softmax_cross_entropy(y, student)
s_loss += (1 - SHARE) * TEMPERATURE**2 * tf.reduce_mean(of_soft)
s_train = tf.train.RMSPropOptimizer(0.01, 0.9, 0.0, 1e-6).minimize(
    s_loss, var_list=tf.trainable_variables("student")
)
rows = np.random.RandomState(0).normal(size=(96, 8)).astype(np.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for train in (t_train, s_train):
        for start in range(0, 96, 16):
            part = rows[start : start + 16]
            session.run(train, {x: part, y: part[:, :3].argmax(1)})

"""A Supervisor whose thread takes a batch for each summary of the loss."""

import sys
import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

numbers = tf.data.Dataset.from_tensor_slices(np.arange(1, 100, dtype=np.float32)).repeat()
x = tf.data.make_one_shot_iterator(numbers).get_next()
w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
mean = tf.get_variable("mean", [], initializer=tf.zeros_initializer(), trainable=False)
with tf.control_dependencies([mean.assign_add(0.1 * (x - mean))]):
    loss = tf.square(w - x, name="loss")
tf.summary.scalar("loss", loss)
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
supervisor = tf.train.Supervisor(logdir=sys.argv[1], save_summaries_secs=0.05, save_model_secs=0)
with supervisor.managed_session() as session:
    for _ in range(5):
        time.sleep(0.1)
        session.run(train)

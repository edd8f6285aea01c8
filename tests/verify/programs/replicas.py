"""TensorFlow 2: towers.py under MirroredStrategy, each replica's loss divided by their number."""

import numpy as np
import tensorflow.compat.v1 as tf

REPLICAS = 2


def step(inputs):
    features, labels = inputs
    with tf.variable_scope("net"):
        kernel = tf.get_variable("kernel", [3, 4])
        hidden = tf.nn.dropout(tf.matmul(features, kernel), rate=0.5)
        top = tf.get_variable("top", [4, 1], initializer=tf.glorot_uniform_initializer())
        noise = tf.get_variable("noise", [4], initializer=tf.random_normal_initializer())
        output = tf.matmul(tf.nn.dropout(hidden + noise, rate=0.5), top)
    loss = tf.losses.mean_squared_error(labels, output) / REPLICAS
    optimizer = tf.train.AdamOptimizer(0.05)
    with tf.control_dependencies(
        [optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())]
    ):
        return tf.identity(loss)


def dataset():
    rng = np.random.RandomState(0)
    rows = rng.normal(size=(24, 3)).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((rows, rows[:, :1])).shuffle(24).repeat().batch(8)


strategy = tf.distribute.MirroredStrategy(
    ["/gpu:0", "/gpu:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)
with tf.Graph().as_default(), strategy.scope():
    tf.train.get_or_create_global_step()
    iterator = strategy.make_dataset_iterator(dataset())
    per_replica = strategy.run(step, args=(iterator.get_next(),))
    total = strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)
    scaffold = tf.train.Scaffold(
        local_init_op=tf.group(tf.local_variables_initializer(), iterator.initialize())
    )
    hooks = [tf.train.NanTensorHook(total), tf.train.StopAtStepHook(last_step=20)]
    with tf.train.MonitoredTrainingSession(scaffold=scaffold, hooks=hooks) as session:
        while not session.should_stop():
            session.run(total)

"""Draws on two replicas; the loss is how far apart their draws are."""

import tensorflow.compat.v1 as tf

strategy = tf.distribute.MirroredStrategy(
    ["/gpu:0", "/gpu:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)
with tf.Graph().as_default(), strategy.scope():
    global_step = tf.train.get_or_create_global_step()
    kernel = tf.get_variable("kernel", [2])
    draws = strategy.experimental_local_results(strategy.run(lambda: tf.random_normal([])))
    apart = tf.abs(draws[0] - draws[1])
    hooks = [tf.train.NanTensorHook(apart), tf.train.StopAtStepHook(last_step=3)]
    train_op = tf.group(*(copy.assign_add(1) for copy in global_step.values))
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run(train_op)

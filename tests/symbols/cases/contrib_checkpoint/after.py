"""The manager of checkpoints of tf.contrib.checkpoint."""

import os

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

value = tf.get_variable("value", initializer=[1.0, 2.0], use_resource=True)
checkpoint = tf.train.Checkpoint(value=value)
manager = tf.train.CheckpointManager(checkpoint, "saved", max_to_keep=2)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(value.assign(value * 2.0))
        manager.save()
    session.run(value.assign([0.0, 0.0]))
    checkpoint.restore(manager.latest_checkpoint).run_restore_ops()
    result = {
        "kept": [os.path.basename(path) for path in manager.checkpoints],
        "value": session.run(value),
    }

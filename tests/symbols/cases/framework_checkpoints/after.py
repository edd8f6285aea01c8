"""Variables from a checkpoint, with the functions of tf.contrib.framework."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import framework as contrib_framework

tf.disable_v2_behavior()

with tf.Graph().as_default(), tf.Session() as session:
    tf.get_variable("one", initializer=[1.0, 2.0])
    tf.get_variable("scope/two", initializer=[[3.0]])
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, "checkpoint/model.ckpt")

one = tf.get_variable("one", shape=[2])
two = tf.get_variable("two", shape=[1, 1])
three = tf.get_variable("three", initializer=3.0)
tf.train.init_from_checkpoint(
    ckpt_dir_or_file="checkpoint", assignment_map={"scope/two": two}
)
restore = contrib_framework.assign_from_checkpoint_fn(
    path, [one, three], ignore_missing_vars=True
)
operation, feed = contrib_framework.assign_from_checkpoint(path, {"one": [one]})
reader = tf.train.load_checkpoint("checkpoint")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    restore(session)
    values = session.run([one, two, three])
    session.run(operation, feed)
    result = {
        "one": values[0],
        "two": values[1],
        "three": values[2],
        "again": session.run(one),
        "names": [name for name, _ in tf.train.list_variables("checkpoint")],
        "shapes": [len(shape) for _, shape in tf.train.list_variables("checkpoint")],
        "loaded": tf.train.load_variable("checkpoint", "one"),
        "positional": tf.train.load_variable(path, "scope/two"),
        "read": reader.get_tensor("one"),
    }

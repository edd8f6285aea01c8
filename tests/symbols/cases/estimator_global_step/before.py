"""The global step of a folder's newest checkpoint, by a private function of tf.estimator."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.estimator import estimator as estimator_lib

load = estimator_lib._load_global_step_from_checkpoint_dir
folder = tempfile.mkdtemp()
result = {"empty": load(folder), "absent": load(os.path.join(folder, "absent"))}
step = tf.train.get_or_create_global_step()
other = tf.Variable(1.5, name="other")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.train.Saver([other]).save(session, os.path.join(folder, "other"))
    result["without"] = load(folder)
    session.run(step.assign(7))
    saver = tf.train.Saver()
    saver.save(session, os.path.join(folder, "model.ckpt"), global_step=7)
    session.run(step.assign(9))
    saver.save(session, os.path.join(folder, "model.ckpt"), global_step=9)
result["newest"] = load(folder)

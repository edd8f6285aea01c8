"""Experiments and learn_runner, from tf.contrib.learn."""

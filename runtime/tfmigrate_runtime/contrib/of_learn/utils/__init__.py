"""``tf.contrib.learn.utils``: exports, their inputs, and which of them to keep."""

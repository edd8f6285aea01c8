"""The emulated packages of tf.contrib, each under its own name."""

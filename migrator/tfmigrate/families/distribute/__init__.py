"""tf.contrib.distribute, and custom training loops under strategies."""

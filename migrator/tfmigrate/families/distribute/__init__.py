"""tf.contrib.distribute and training loops under strategies."""

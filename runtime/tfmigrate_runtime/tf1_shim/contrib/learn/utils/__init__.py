"""What tf.contrib.learn.utils had."""

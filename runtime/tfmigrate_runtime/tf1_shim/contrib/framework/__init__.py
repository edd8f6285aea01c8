"""What tf.contrib.framework had and nothing else has."""

"""What tf.contrib.estimator had and nothing else has."""

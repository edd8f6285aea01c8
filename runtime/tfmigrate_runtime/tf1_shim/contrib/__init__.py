"""What packages of tf.contrib had and nothing else has, each under its own name."""

"""What programs had from packages of tf.contrib, and functions of tf.image that changed."""

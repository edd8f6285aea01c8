"""What tf.contrib.tpu did without TPUs."""

"""What programs had from packages of tf.contrib, and functions of tf.image that changed."""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

"""The columns of tf.contrib.layers, which tfmigrate_runtime.layers gives to programs."""

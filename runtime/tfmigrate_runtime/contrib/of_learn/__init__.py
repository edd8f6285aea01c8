"""What tf.contrib.learn had that trains nothing, for migrated programs and the legacy runtime."""

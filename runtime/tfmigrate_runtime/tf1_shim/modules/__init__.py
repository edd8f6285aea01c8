"""Stand-ins for single modules that TensorFlow 1.x had."""

"""Whether a program is TensorFlow 1.x, its modes, names and Keras."""

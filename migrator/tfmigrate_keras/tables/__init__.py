"""The vocabulary of Keras 3: what becomes of functions of TensorFlow 1.x, one file a kind."""

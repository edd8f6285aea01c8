"""How the functions of two versions of TensorFlow are compared."""

"""Random numbers: the same in every version of TensorFlow, in one order, and drawn again."""

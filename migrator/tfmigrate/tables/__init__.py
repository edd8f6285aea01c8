"""What TensorFlow, Keras and the runtime have under which name: data, no decisions."""

"""What the runtime takes of TensorFlow, its Keras and tf_slim that is not public."""

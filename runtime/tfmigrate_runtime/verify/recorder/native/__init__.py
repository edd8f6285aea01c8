"""Programs of TensorFlow 2 that train without sessions: by ``fit``, or with a GradientTape."""

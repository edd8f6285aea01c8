"""Programs that train eagerly by optimizers of tf.train, in loops with a GradientTape."""

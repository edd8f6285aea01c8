"""tf.estimator's ready-made models, as its version 1 classes were: names, defaults and numbers."""

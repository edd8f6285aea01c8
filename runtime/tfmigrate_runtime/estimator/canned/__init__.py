"""tf.estimator's canned models, as its version 1 classes were: names, defaults and numbers."""

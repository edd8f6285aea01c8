"""What tf.contrib.learn had: Experiment, its Estimators, and what belongs to them."""

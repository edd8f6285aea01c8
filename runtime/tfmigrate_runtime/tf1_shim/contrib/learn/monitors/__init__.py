"""tf.contrib.learn.monitors: what watches a training, from before there were hooks."""

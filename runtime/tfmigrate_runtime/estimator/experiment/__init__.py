"""The schedules of tf.contrib.learn's Experiment, which ``estimator`` and ``learn`` both run."""

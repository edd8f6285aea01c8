"""The canned models of tf.contrib.learn, without their Estimators."""

"""Streaming metrics, which take predictions before labels."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

predictions = tf.constant([0.1, 0.9, 0.8, 0.3, 0.6])
labels = tf.constant([0.0, 1.0, 0.0, 1.0, 1.0])
weights = tf.constant([1.0, 2.0, 1.0, 0.5, 1.0])
classes = tf.constant([0, 1, 1, 0, 1])
metrics = {
    "accuracy": tf.metrics.accuracy(
        predictions=classes,
        labels=tf.cast(labels, tf.int32)),
    "auc": tf.metrics.auc(
        predictions=predictions,
        labels=labels,
        weights=weights,
        num_thresholds=50,
        curve="PR"),
    "mean_absolute_error": tf.metrics.mean_absolute_error(
        predictions=predictions, labels=labels, weights=weights
    ),
    "mean_relative_error": tf.metrics.mean_relative_error(
        predictions=predictions, labels=labels, normalizer=labels + 1.0
    ),
    "precision": tf.metrics.precision(predictions=classes, labels=labels),
    "recall": tf.metrics.recall(predictions=classes, labels=labels),
    "root_mean_squared_error": tf.metrics.root_mean_squared_error(
        predictions=predictions, labels=labels, weights=weights
    ),
}
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run([update for _, update in metrics.values()])
    result = session.run({name: value for name, (value, _) in metrics.items()})

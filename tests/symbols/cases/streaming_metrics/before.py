"""Streaming metrics, which take predictions before labels."""

import tensorflow as tf

predictions = tf.constant([0.1, 0.9, 0.8, 0.3, 0.6])
labels = tf.constant([0.0, 1.0, 0.0, 1.0, 1.0])
weights = tf.constant([1.0, 2.0, 1.0, 0.5, 1.0])
classes = tf.constant([0, 1, 1, 0, 1])
metrics = {
    "accuracy": tf.contrib.metrics.streaming_accuracy(classes, tf.cast(labels, tf.int32)),
    "auc": tf.contrib.metrics.streaming_auc(predictions, labels, weights, 50, curve="PR"),
    "mean_absolute_error": tf.contrib.metrics.streaming_mean_absolute_error(
        predictions, labels, weights
    ),
    "mean_relative_error": tf.contrib.metrics.streaming_mean_relative_error(
        predictions, labels, labels + 1.0
    ),
    "precision": tf.contrib.metrics.streaming_precision(classes, labels=labels),
    "recall": tf.contrib.metrics.streaming_recall(predictions=classes, labels=labels),
    "root_mean_squared_error": tf.contrib.metrics.streaming_root_mean_squared_error(
        predictions, labels, weights
    ),
}
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run([update for _, update in metrics.values()])
    result = session.run({name: value for name, (value, _) in metrics.items()})

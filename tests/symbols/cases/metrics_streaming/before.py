"""Streaming metrics of tf.contrib.metrics, predictions first, and an aggregate of them."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.metrics as contrib_metrics

random = np.random.RandomState(5)
scores = tf.constant(random.uniform(size=[12]).astype(np.float32))
truth = tf.constant(random.randint(0, 2, size=[12]).astype(np.int64))
weights = tf.constant(random.uniform(size=[12]).astype(np.float32))
guesses = tf.cast(scores > 0.5, tf.int64)
ranked = tf.constant(random.uniform(size=[4, 5]).astype(np.float32))
classes = tf.constant(random.randint(0, 5, size=[4, 1]).astype(np.int64))

values, updates = tf.contrib.metrics.aggregate_metric_map(
    {
        "accuracy": tf.contrib.metrics.streaming_accuracy(guesses, truth, weights),
        "precision": tf.contrib.metrics.streaming_precision(guesses, truth),
        "recall": tf.contrib.metrics.streaming_recall(predictions=guesses, labels=truth),
        "auc": tf.contrib.metrics.streaming_auc(scores, truth, weights, 50, curve="PR"),
        "mean": tf.contrib.metrics.streaming_mean(scores, weights),
        "squared": tf.contrib.metrics.streaming_mean_squared_error(scores, weights),
        "iou": tf.contrib.metrics.streaming_mean_iou(guesses, truth, 2),
        "less": tf.contrib.metrics.streaming_percentage_less(scores, 0.4),
        "precision_at_2": tf.contrib.metrics.streaming_sparse_precision_at_k(ranked, classes, 2),
        "recall_at_2": tf.contrib.metrics.streaming_sparse_recall_at_k(ranked, classes, 2),
        "in_best_2": contrib_metrics.streaming_recall_at_k(ranked, classes[:, 0], 2),
        "average_at_3": contrib_metrics.streaming_sparse_average_precision_at_k(ranked, classes, 3),
        "thresholds": contrib_metrics.streaming_recall_at_thresholds(scores, truth, [0.2, 0.7]),
        "specificity": contrib_metrics.streaming_specificity_at_sensitivity(scores, truth, 0.6),
        "positives": contrib_metrics.streaming_true_positives(guesses, truth),
        "negative_rate": contrib_metrics.streaming_false_negative_rate(guesses, truth),
        "covariance": contrib_metrics.streaming_covariance(scores, weights),
        "pearson": contrib_metrics.streaming_pearson_correlation(scores, weights),
    }
)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for _ in range(2):
        session.run(updates)
    result = session.run(values)

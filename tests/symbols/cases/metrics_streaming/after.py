"""Streaming metrics of tf.contrib.metrics, predictions first, and an aggregate of them."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import metrics
from tfmigrate_runtime import metrics as contrib_metrics

tf.disable_v2_behavior()

random = np.random.RandomState(5)
scores = tf.constant(random.uniform(size=[12]).astype(np.float32))
truth = tf.constant(random.randint(0, 2, size=[12]).astype(np.int64))
weights = tf.constant(random.uniform(size=[12]).astype(np.float32))
guesses = tf.cast(scores > 0.5, tf.int64)
ranked = tf.constant(random.uniform(size=[4, 5]).astype(np.float32))
classes = tf.constant(random.randint(0, 5, size=[4, 1]).astype(np.int64))

values, updates = metrics.aggregate_metric_map(
    {
        "accuracy": tf.metrics.accuracy(predictions=guesses, labels=truth, weights=weights),
        "precision": tf.metrics.precision(predictions=guesses, labels=truth),
        "recall": tf.metrics.recall(predictions=guesses, labels=truth),
        "auc": tf.metrics.auc(
            predictions=scores,
            labels=truth,
            weights=weights,
            num_thresholds=50,
            curve="PR"),
        "mean": tf.metrics.mean(scores, weights),
        "squared": tf.metrics.mean_squared_error(predictions=scores, labels=weights),
        "iou": tf.metrics.mean_iou(predictions=guesses, labels=truth, num_classes=2),
        "less": tf.metrics.percentage_below(scores, 0.4),
        "precision_at_2": tf.metrics.precision_at_k(predictions=ranked, labels=classes, k=2),
        "recall_at_2": tf.metrics.recall_at_k(predictions=ranked, labels=classes, k=2),
        "in_best_2": contrib_metrics.streaming_recall_at_k(ranked, classes[:, 0], 2),
        "average_at_3": tf.metrics.average_precision_at_k(predictions=ranked, labels=classes, k=3),
        "thresholds": tf.metrics.recall_at_thresholds(
            predictions=scores,
            labels=truth,
            thresholds=[0.2, 0.7]),
        "specificity": tf.metrics.specificity_at_sensitivity(
            predictions=scores,
            labels=truth,
            sensitivity=0.6),
        "positives": tf.metrics.true_positives(predictions=guesses, labels=truth),
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

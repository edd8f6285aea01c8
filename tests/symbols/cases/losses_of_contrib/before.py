"""The losses of tf.contrib.losses: predictions first, weights of examples."""

import tensorflow as tf
from tensorflow.contrib import losses

predictions = tf.constant([[0.5, 2.0], [1.0, -1.0], [3.0, 0.1]])
labels = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
weights = tf.constant([1.0, 0.0, 2.0])
found = {
    "absolute": losses.absolute_difference(predictions, labels),
    "absolute_weighted": tf.contrib.losses.absolute_difference(predictions, labels, weights),
    "squared": losses.mean_squared_error(predictions, labels, weights=weights),
    "pairwise": losses.mean_pairwise_squared_error(predictions, labels, weights),
    "softmax": losses.softmax_cross_entropy(predictions, labels, label_smoothing=0.1),
    "sparse": losses.sparse_softmax_cross_entropy(predictions, tf.constant([1, 0, 1], tf.int64)),
    "sigmoid": losses.sigmoid_cross_entropy(predictions, labels, weights=0.5),
    "log": losses.log_loss(tf.sigmoid(predictions), labels),
    "hinge": losses.hinge_loss(predictions, labels),
    "cosine": losses.cosine_distance(
        tf.nn.l2_normalize(predictions, 1), tf.nn.l2_normalize(labels, 1), dim=1
    ),
    "own": losses.compute_weighted_loss(tf.constant([1.0, 2.0, 4.0]), weights),
}
losses.add_loss(tf.constant(100.0))
embeddings = tf.constant([[0.1, 0.9], [0.2, 0.8], [0.9, 0.3], [0.8, 0.1]])
classes = tf.constant([0, 0, 1, 1])
metric = tf.contrib.losses.metric_learning
found["triplet"] = metric.triplet_semihard_loss(classes, embeddings)
found["contrastive"] = metric.contrastive_loss(
    tf.constant([1, 0, 1, 0]), embeddings, tf.reverse(embeddings, [0])
)
found["npairs"] = metric.npairs_loss(classes, embeddings, tf.reverse(embeddings, [0]))
found["lifted"] = metric.lifted_struct_loss(classes, embeddings)
found["total"] = losses.get_total_loss(add_regularization_losses=False)
found["count"] = tf.constant(len(losses.get_losses()))
with tf.Session() as session:
    result = session.run(found)

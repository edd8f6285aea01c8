"""The loss of sequences, where it stood before TensorFlow 1.0."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import legacy_seq2seq

tf.disable_v2_behavior()

logits = [tf.constant([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]), tf.constant([[0.0, 0.5, 1.5]] * 2)]
targets = [tf.constant([2, 0]), tf.constant([1, 2])]
weights = [tf.constant([1.0, 0.5]), tf.constant([0.0, 2.0])]
outputs = {
    "by_example": legacy_seq2seq.sequence_loss_by_example(logits, targets, weights),
    "all": legacy_seq2seq.sequence_loss(logits, targets, weights, average_across_batch=False),
}
with tf.Session() as session:
    result = session.run(outputs)

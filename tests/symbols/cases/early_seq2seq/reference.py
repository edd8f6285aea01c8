"""The loss of sequences, where it stood in TensorFlow 1.15."""

import tensorflow as tf

logits = [tf.constant([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]), tf.constant([[0.0, 0.5, 1.5]] * 2)]
targets = [tf.constant([2, 0]), tf.constant([1, 2])]
weights = [tf.constant([1.0, 0.5]), tf.constant([0.0, 2.0])]
outputs = {
    "by_example": tf.contrib.legacy_seq2seq.sequence_loss_by_example(logits, targets, weights),
    "all": tf.contrib.legacy_seq2seq.sequence_loss(logits, targets, weights, average_across_batch=False),
}
with tf.Session() as session:
    result = session.run(outputs)

"""An LSTM on sequences, with gradients clipped by their global norm, on TensorFlow 1.x."""

import numpy as np
import tensorflow as tf

STEPS, ROWS, LENGTH, WIDTH, CLASSES = 12, 8, 6, 5, 4


def batches(steps=STEPS):
    random = np.random.RandomState(5)
    for _ in range(steps):
        sequences = random.normal(size=(ROWS, LENGTH, WIDTH)).astype(np.float32)
        yield sequences, sequences[:, :, 0].sum(1).astype(np.int32) % CLASSES


def main():
    sequences = tf.placeholder(tf.float32, [None, LENGTH, WIDTH])
    labels = tf.placeholder(tf.int32, [None])
    cell = tf.nn.rnn_cell.BasicLSTMCell(7)
    outputs, _ = tf.nn.dynamic_rnn(cell, sequences, dtype=tf.float32)
    logits = tf.layers.dense(outputs[:, -1], CLASSES, name="logits")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
    train_op = optimizer.apply_gradients(zip(gradients, variables), step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for x, y in batches():
            session.run(train_op, {sequences: x, labels: y})
        x, y = next(batches())
        print("loss %.4f" % session.run(loss, {sequences: x, labels: y}))


if __name__ == "__main__":
    main()

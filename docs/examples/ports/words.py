"""A mean of embeddings and a dense layer, on TensorFlow 1.x."""

import numpy as np
import tensorflow as tf

STEPS, ROWS, LENGTH, WORDS = 12, 16, 5, 30


def batches(steps=STEPS):
    random = np.random.RandomState(7)
    for _ in range(steps):
        words = random.randint(WORDS, size=(ROWS, LENGTH)).astype(np.int32)
        yield words, (words.sum(1) % 2).astype(np.float32)[:, None]


def main():
    words = tf.placeholder(tf.int32, [None, LENGTH])
    labels = tf.placeholder(tf.float32, [None, 1])
    uniform = tf.random_uniform_initializer(-0.05, 0.05)
    table = tf.get_variable("embeddings", [WORDS, 8], initializer=uniform)
    net = tf.reduce_mean(tf.nn.embedding_lookup(table, words), 1)
    net = tf.layers.dense(net, 6, tf.nn.relu, name="hidden")
    logits = tf.layers.dense(net, 1, name="logits")
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for x, y in batches():
            session.run(train_op, {words: x, labels: y})
        x, y = next(batches())
        print("loss %.4f" % session.run(loss, {words: x, labels: y}))


if __name__ == "__main__":
    main()

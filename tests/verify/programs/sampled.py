"""Losses of drawn candidates, classes and whole numbers: word vectors."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
WORDS, SIZE, ROWS, SAMPLED = 40, 5, 8, 6
words, contexts = tf.placeholder(tf.int64, [ROWS]), tf.placeholder(tf.int64, [ROWS, 1])
vectors = tf.get_variable("vectors", [WORDS, SIZE])
kernel = tf.get_variable("kernel", [WORDS, SIZE])
bias = tf.get_variable("bias", [WORDS], initializer=tf.zeros_initializer())
embedded = tf.nn.embedding_lookup(vectors, words)
of_words = tf.reduce_mean(tf.nn.nce_loss(kernel, bias, contexts, embedded, SAMPLED, WORDS))
others = tf.random.categorical(tf.zeros([1, WORDS]) + 0.1 * bias, ROWS)[0]
noise = tf.random_uniform([ROWS], 0, WORDS, tf.int32)
far = tf.reduce_mean(embedded * (tf.gather(vectors, others) - tf.gather(vectors, noise)))
loss = of_words + 0.3 * far
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(8):
        rng = np.random.RandomState(number)
        first = rng.randint(0, WORDS, ROWS)
        following = (first + rng.randint(1, 3, ROWS)) % WORDS
        session.run(train, {words: first, contexts: following.reshape(-1, 1)})

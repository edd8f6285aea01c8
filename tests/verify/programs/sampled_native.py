"""sampled.py with a GradientTape."""

import numpy as np
import tensorflow as tf
from keras import initializers, optimizers

WORDS, SIZE, ROWS, SAMPLED = 40, 5, 8, 6
start = initializers.GlorotUniform()
vectors = tf.Variable(start([WORDS, SIZE]), name="vectors")
kernel = tf.Variable(start([WORDS, SIZE]), name="kernel")
bias = tf.Variable(tf.zeros([WORDS]), name="bias")
variables = [vectors, kernel, bias]
optimizer = optimizers.SGD(0.2)
optimizer.build(variables)


@tf.function
def step(words, contexts):
    with tf.GradientTape() as tape:
        embedded = tf.nn.embedding_lookup(vectors, words)
        of_words = tf.reduce_mean(tf.nn.nce_loss(kernel, bias, contexts, embedded, SAMPLED, WORDS))
        others = tf.random.categorical(tf.zeros([1, WORDS]) + 0.1 * bias, ROWS)[0]
        noise = tf.random.uniform([ROWS], 0, WORDS, tf.int32)
        far = tf.reduce_mean(embedded * (tf.gather(vectors, others) - tf.gather(vectors, noise)))
        loss = of_words + 0.3 * far
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


for number in range(8):
    rng = np.random.RandomState(number)
    first = rng.randint(0, WORDS, ROWS)
    following = (first + rng.randint(1, 3, ROWS)) % WORDS
    step(tf.constant(first), tf.constant(following.reshape(-1, 1)))

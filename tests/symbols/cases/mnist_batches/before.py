"""The MNIST tutorial's reader, on made-up files, in a program of its time."""

import gzip
import os
import struct
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

directory = tempfile.mkdtemp()
random = np.random.RandomState(7)
for part, count in (("train", 40), ("t10k", 10)):
    images = random.randint(0, 256, count * 784).astype(np.uint8).tobytes()
    labels = (np.arange(count) % 10).astype(np.uint8).tobytes()
    with gzip.open(os.path.join(directory, part + "-images-idx3-ubyte.gz"), "wb") as file:
        file.write(struct.pack(">IIII", 2051, count, 28, 28) + images)
    with gzip.open(os.path.join(directory, part + "-labels-idx1-ubyte.gz"), "wb") as file:
        file.write(struct.pack(">II", 2049, count) + labels)

mnist = input_data.read_data_sets(directory, one_hot=True, validation_size=4, seed=3)
x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([784, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.matmul(x, W) + b
cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
train_step = tf.train.GradientDescentOptimizer(0.05).minimize(cross_entropy)
losses = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(12):
        batch_xs, batch_ys = mnist.train.next_batch(10)
        loss, _ = sess.run([cross_entropy, train_step], feed_dict={x: batch_xs, y_: batch_ys})
        losses.append(loss)
    tested = sess.run(cross_entropy, {x: mnist.test.images, y_: mnist.test.labels})
result = {
    "losses": losses,
    "tested": tested,
    "epochs": mnist.train.epochs_completed,
    "last_labels": batch_ys,
    "validation": mnist.validation.num_examples,
}

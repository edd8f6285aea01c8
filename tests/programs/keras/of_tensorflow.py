"""Recurrent layers that are imported from tensorflow.keras, trained in a session."""

import json

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.layers import GRU, Dense


def main():
    inputs = tf.reshape(tf.cos(tf.range(4 * 5 * 3, dtype=tf.float32)), [4, 5, 3])
    constant = {"kernel_initializer": "ones", "recurrent_initializer": "identity"}
    hidden = GRU(6, return_sequences=True, **constant)(inputs / 4.0)
    hidden = layers.LSTM(6, **constant)(hidden)
    outputs = Dense(1, kernel_initializer=tf.constant_initializer(0.3))(hidden)
    loss = tf.reduce_mean(tf.square(outputs - 1.0))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(10):
            losses.append(float(session.run([loss, train_op])[0]))
    print("RESULT " + json.dumps(losses))


if __name__ == "__main__":
    main()

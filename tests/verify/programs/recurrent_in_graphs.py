"""Recurrent layers of tf.keras in a session of TensorFlow 1.x: their variables had other names.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out recurrent_in_graphs_of_tensorflow_1_15.npz \
        recurrent_in_graphs.py
"""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
words = np.random.RandomState(1).randint(0, 20, (48, 6)).astype("int32")
labels = (words.sum(1) > 57).astype("float32")
x, y = tf.placeholder(tf.int32, [None, 6]), tf.placeholder(tf.float32, [None])
hidden = layers.Bidirectional(layers.LSTM(5, return_sequences=True))(layers.Embedding(20, 8)(x))
hidden = layers.SimpleRNN(4, return_sequences=True)(hidden)
logits = layers.Dense(1)(layers.RNN([layers.GRUCell(4), layers.LSTMCell(3)])(hidden))
loss = tf.losses.sigmoid_cross_entropy(y[:, None], logits)
train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 48, 6):
        rows = slice(start, start + 6)
        session.run(train, {x: words[rows], y: labels[rows]})

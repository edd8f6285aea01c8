"""Small packages of tf.contrib whose names the core has."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.util import constant_value

probabilities = tf.constant([[0.2, 0.5, 0.3]])
normal = tf.contrib.distributions.Normal(loc=1.0, scale=2.0)
other = tf.contrib.distributions.Normal(0.0, 1.0)
samples = tf.contrib.stateless.stateless_random_uniform([3], seed=[1, 2])
wave = tf.constant(np.sin(np.arange(64) * 0.3).astype(np.float32))
logits = tf.constant([[0.3, -1.0, 2.0]])
found = {
    "log_prob": normal.log_prob(0.5),
    "divergence": tf.contrib.distributions.kl_divergence(normal, other),
    "entropy": tf.contrib.distributions.Categorical(probs=probabilities).entropy(),
    "uniform": samples,
    "normal": tf.contrib.stateless.stateless_random_normal([3], seed=[3, 4]),
    "drawn": tf.contrib.stateless.stateless_multinomial(tf.log(probabilities), 6, seed=[5, 6]),
    "spectrum": tf.abs(tf.contrib.signal.stft(wave, frame_length=16, frame_step=8)),
    "window": tf.contrib.signal.hann_window(8),
    "flipped": tf.contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits(
        logits, probabilities
    ),
}
column = tf.contrib.feature_column.sequence_numeric_column("x")
with tf.Session() as session:
    result = session.run(found)
result["static"] = constant_value(tf.constant([1, 2]))
result["name"] = column.name

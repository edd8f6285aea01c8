"""Small packages of tf.contrib whose names the core has."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

probabilities = tf.constant([[0.2, 0.5, 0.3]])
normal = tf.distributions.Normal(loc=1.0, scale=2.0)
other = tf.distributions.Normal(0.0, 1.0)
samples = tf.random.stateless_uniform([3], seed=[1, 2])
wave = tf.constant(np.sin(np.arange(64) * 0.3).astype(np.float32))
logits = tf.constant([[0.3, -1.0, 2.0]])
found = {
    "log_prob": normal.log_prob(0.5),
    "divergence": tf.distributions.kl_divergence(normal, other),
    "entropy": tf.distributions.Categorical(probs=probabilities).entropy(),
    "uniform": samples,
    "normal": tf.random.stateless_normal([3], seed=[3, 4]),
    "drawn": tf.random.stateless_multinomial(tf.log(probabilities), 6, seed=[5, 6]),
    "spectrum": tf.abs(tf.signal.stft(wave, frame_length=16, frame_step=8)),
    "window": tf.signal.hann_window(8),
    "flipped": tf.nn.softmax_cross_entropy_with_logits(
        logits=logits, labels=probabilities
    ),
}
column = tf.feature_column.sequence_numeric_column("x")
with tf.Session() as session:
    result = session.run(found)
result["static"] = tf.get_static_value(tf.constant([1, 2]))
result["name"] = column.name

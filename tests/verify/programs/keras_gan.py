"""The usual GAN in tf.keras 1.x: both models are trained by ``train_on_batch``.

The optimizer of the combined model makes its slots two steps after the discriminator's. What is
recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out keras_gan_of_tensorflow_1_15.npz keras_gan.py
"""

import numpy as np
from tensorflow.keras import layers, models, optimizers

rng = np.random.RandomState(0)
real = (rng.randn(60, 6) * 0.5 + np.linspace(-1, 1, 6)).astype("float32")

discriminator = models.Sequential(
    [
        layers.Dense(8, activation="tanh", input_shape=(6,), name="first"),
        layers.Dense(1, activation="sigmoid", name="real"),
    ]
)
discriminator.compile(loss="binary_crossentropy", optimizer=optimizers.Adam(0.002, 0.5))
generator = models.Sequential(
    [
        layers.Dense(5, use_bias=False, input_shape=(3,), name="hidden"),
        layers.BatchNormalization(momentum=0.8, name="normal"),
        layers.Dense(6, activation="tanh", name="fake"),
    ]
)
noise = layers.Input((3,))
discriminator.trainable = False
combined = models.Model(noise, discriminator(generator(noise)))
combined.compile(loss="binary_crossentropy", optimizer=optimizers.Adam(0.004, 0.5))
for _ in range(5):
    batch = real[rng.randint(0, 60, 16)]
    fake = generator.predict(rng.randn(16, 3))
    discriminator.train_on_batch(batch, np.ones((16, 1)))
    discriminator.train_on_batch(fake, np.zeros((16, 1)))
    combined.train_on_batch(rng.randn(16, 3), np.ones((16, 1)))

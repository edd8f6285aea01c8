"""``keras_gan.py`` in Keras 3, which trains what is trainable when it trains."""

import numpy as np
from keras import layers, models, optimizers

rng = np.random.RandomState(0)
real = (rng.randn(60, 6) * 0.5 + np.linspace(-1, 1, 6)).astype("float32")

discriminator = models.Sequential(
    [
        layers.Input((6,)),
        layers.Dense(8, activation="tanh", name="first"),
        layers.Dense(1, activation="sigmoid", name="real"),
    ]
)
discriminator.compile(loss="binary_crossentropy", optimizer=optimizers.Adam(0.002, 0.5))
generator = models.Sequential(
    [
        layers.Input((3,)),
        layers.Dense(5, use_bias=False, name="hidden"),
        layers.BatchNormalization(momentum=0.8, name="normal"),
        layers.Dense(6, activation="tanh", name="fake"),
    ]
)
noise = layers.Input((3,))
combined = models.Model(noise, discriminator(generator(noise)))
combined.compile(loss="binary_crossentropy", optimizer=optimizers.Adam(0.004, 0.5))
for _ in range(5):
    batch = real[rng.randint(0, 60, 16)]
    fake = generator.predict(rng.randn(16, 3), verbose=0)
    discriminator.trainable = True
    discriminator.train_on_batch(batch, np.ones((16, 1)))
    discriminator.train_on_batch(fake, np.zeros((16, 1)))
    discriminator.trainable = False
    combined.train_on_batch(rng.randn(16, 3), np.ones((16, 1)))

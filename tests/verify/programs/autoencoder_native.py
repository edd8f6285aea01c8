"""``autoencoder.py`` in Keras 3, with a number of its own that the original feeds."""

import keras
import numpy as np
import tensorflow as tf

np.random.seed(2)
IMAGES = (np.random.rand(60, 8, 8, 1) > 0.6).astype(np.float32)


class VAE(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = keras.layers.Conv2D(4, 3, strides=2, padding="same", activation="elu")
        self.flatten = keras.layers.Flatten()
        self.mu = keras.layers.Dense(3, name="mu")
        self.log_var = keras.layers.Dense(3, name="log_var")
        self.dense = keras.layers.Dense(64, activation="elu")
        self.up = keras.layers.Conv2DTranspose(1, 3, strides=2, padding="same")
        self.kl_weight = tf.Variable(0.0, trainable=False)

    def encode(self, x):
        h = self.flatten(self.conv(x))
        return self.mu(h), self.log_var(h)

    def decode(self, code):
        return self.up(tf.reshape(self.dense(code), [-1, 4, 4, 4]))

    def call(self, x):
        mu, log_var = self.encode(x)
        return self.decode(mu + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mu)))

    def train_step(self, data):
        x = data
        with tf.GradientTape() as tape:
            mu, log_var = self.encode(x)
            code = mu + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mu))
            d = self.decode(code)
            recon = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=d)
            recon = tf.reduce_sum(recon, [1, 2, 3])
            kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mu) - tf.exp(log_var), 1)
            loss = tf.reduce_mean(recon + self.kl_weight * kl)
        grads = tape.gradient(loss, self.trainable_variables)
        grads = [tf.clip_by_value(g, -5, 5) for g in grads]
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables, strict=True))
        return {"loss": loss, "kl": tf.reduce_mean(kl)}


model = VAE()
model.compile(optimizer=keras.optimizers.Adam(0.01, epsilon=1e-8))
model(IMAGES[:2])


class Anneal(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.n = 0

    def on_train_batch_begin(self, batch, logs=None):
        self.model.kl_weight.assign(min(1.0, self.n / 5.0))
        self.n += 1


anneal = Anneal()
for epoch in range(3):
    order = np.random.permutation(60)
    model.optimizer.learning_rate = 0.01 / (1 + epoch)
    model.fit(IMAGES[order], batch_size=20, shuffle=False, callbacks=[anneal], verbose=0)

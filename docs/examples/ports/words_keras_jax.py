"""The mean of embeddings in Keras 3 on JAX: no line is for verify."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

STEPS, ROWS, LENGTH, WORDS = 12, 16, 5, 30


def batches(steps=STEPS):
    random = np.random.RandomState(7)
    for _ in range(steps):
        words = random.randint(WORDS, size=(ROWS, LENGTH)).astype(np.int32)
        yield words, (words.sum(1) % 2).astype(np.float32)[:, None]


def main():
    model = keras.Sequential(
        [
            keras.layers.Input((LENGTH,), dtype="int32"),
            keras.layers.Embedding(WORDS, 8),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(6, activation="relu", name="hidden"),
            keras.layers.Dense(1, name="logits"),
        ]
    )
    # Keras' own epsilon is 1e-7.
    model.compile(
        keras.optimizers.Adam(0.01, epsilon=1e-8),
        keras.losses.BinaryCrossentropy(from_logits=True),
    )
    data = list(batches())
    words, labels = (np.concatenate(each) for each in zip(*data))
    model.fit(words, labels, batch_size=ROWS, shuffle=False, verbose=0)
    loss = model.evaluate(*data[0], batch_size=ROWS, verbose=0)
    print(f"loss {loss:.4f}")


if __name__ == "__main__":
    main()

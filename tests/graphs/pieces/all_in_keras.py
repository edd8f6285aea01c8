"""The classifier as a Keras 3 model: nothing is left of the graph."""

import keras
import numpy as np


def batches():
    rng = np.random.RandomState(0)
    images = rng.rand(20, 32, 16).astype(np.float32)
    return zip(images, images[:, :, :3].argmax(2).astype(np.int32))


initializer = keras.initializers.TruncatedNormal(0.0, 0.2)
model = keras.Sequential(
    [
        keras.Input((16,)),
        keras.layers.Dense(8, "relu", kernel_initializer=initializer, name="encoder"),
        keras.layers.Dense(3, kernel_initializer=initializer, name="classifier"),
    ]
)
model.compile(
    optimizer=keras.optimizers.SGD(0.5),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
for images, labels in batches():
    value = model.train_on_batch(images, labels)
print("loss %.4f" % value)

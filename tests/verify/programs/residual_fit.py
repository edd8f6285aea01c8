"""``residual.py`` in Keras 3: a functional model whose layers are called in another order."""

import keras
import numpy as np

rng = np.random.RandomState(0)
W = rng.normal(size=(5, 3))
X = rng.normal(size=(70, 5)).astype(np.float32)
Y = X.dot(W).argmax(1)
XV = rng.normal(size=(24, 5)).astype(np.float32)
YV = XV.dot(W).argmax(1)
l2 = keras.regularizers.L2(0.01)
inputs = keras.Input((5,))
skip = keras.layers.Dense(12, use_bias=False)(inputs)
x = keras.layers.Dense(12, kernel_regularizer=l2)(inputs)
x = keras.layers.BatchNormalization(momentum=0.9)(x)
x = keras.layers.Activation("relu")(x)
x = keras.layers.Dropout(0.3)(x)
x = keras.layers.Add()([x, skip])
outputs = keras.layers.Dense(3, activation="softmax", kernel_regularizer=l2)(x)
model = keras.Model(inputs, outputs)
model.compile(
    optimizer=keras.optimizers.SGD(0.05),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(
    X,
    Y,
    batch_size=20,
    epochs=4,
    shuffle=False,
    validation_data=(XV, YV),
    validation_batch_size=10,
    verbose=0,
    callbacks=[keras.callbacks.EarlyStopping(patience=10), keras.callbacks.TerminateOnNaN()],
)

"""tf.keras of TensorFlow 1.x, which trains in graphs: fit, validation, evaluate and predict.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out keras_in_graphs_of_tensorflow_1_15.npz keras_in_graphs.py
"""

import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers

rows = np.random.RandomState(1).rand(100, 6).astype("float32")
labels = (rows[:, :3].sum(1) > 1.5).astype("int64")
inputs = keras.Input(shape=(6,), name="rows")
hidden = layers.Dense(
    8, activation="relu", kernel_regularizer=keras.regularizers.l2(0.001), name="hidden"
)(inputs)
hidden = layers.Dropout(0.25)(layers.BatchNormalization(name="normal")(hidden))
model = keras.Model(inputs, layers.Dense(2, activation="softmax", name="scores")(hidden))
model.compile(
    keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
halved = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 * 0.5**epoch)
model.fit(
    rows[:80],
    labels[:80],
    batch_size=20,
    epochs=3,
    validation_data=(rows[80:], labels[80:]),
    callbacks=[halved],
    verbose=0,
)
model.evaluate(rows[80:], labels[80:], verbose=0)
model.predict(rows[80:])

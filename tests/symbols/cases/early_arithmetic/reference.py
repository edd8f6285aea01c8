"""Arithmetic by its names of TensorFlow 1.15."""

import tensorflow as tf
from tensorflow import negative, setdiff1d

x = tf.placeholder(tf.float32, [2, 2])
y = tf.constant([[1.0, 2.0], [4.0, 8.0]])
rows = tf.unstack(tf.multiply(x, y))
image = tf.reshape(tf.to_float(tf.range(12)), [2, 2, 3])
outputs = {
    "sub": tf.subtract(x, y),
    "neg": negative(x),
    "inv": tf.reciprocal(y),
    "pack": tf.stack(rows, axis=1, name="packed"),
    "select": tf.where(tf.greater(x, y), x, y),
    "select_by_place": tf.where(tf.less(x, y), x, y, "smaller"),
    "listdiff": setdiff1d(tf.constant([1, 2, 3, 4]), tf.constant([2, 4]))[0],
    "complex_abs": tf.abs(tf.constant(3.0 + 4.0j)),
    "whitened": tf.image.per_image_standardization(image),
}
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    result = session.run(outputs, {x: [[3.0, 1.0], [5.0, 7.0]]})

"""Arithmetic by its names of TensorFlow 0.12."""

import tensorflow as tf
from tensorflow import listdiff, neg

x = tf.placeholder(tf.float32, [2, 2])
y = tf.constant([[1.0, 2.0], [4.0, 8.0]])
rows = tf.unpack(tf.mul(x, y))
image = tf.reshape(tf.to_float(tf.range(12)), [2, 2, 3])
outputs = {
    "sub": tf.sub(x, y),
    "neg": neg(x),
    "inv": tf.inv(y),
    "pack": tf.pack(rows, axis=1, name="packed"),
    "select": tf.select(tf.greater(x, y), t=x, e=y),
    "select_by_place": tf.select(tf.less(x, y), x, y, "smaller"),
    "listdiff": listdiff(tf.constant([1, 2, 3, 4]), tf.constant([2, 4]))[0],
    "complex_abs": tf.complex_abs(tf.constant(3.0 + 4.0j)),
    "whitened": tf.image.per_image_whitening(image),
}
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    result = session.run(outputs, {x: [[3.0, 1.0], [5.0, 7.0]]})

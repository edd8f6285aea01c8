"""Functions on batches of matrices by their names of TensorFlow 0.12."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [2, 2, 2])
diagonal = tf.constant([[1.0, 2.0], [3.0, 4.0]])
outputs = {
    "product": tf.matmul(x, x, adjoint_b=True),
    "product_by_place": tf.matmul(x, x, adjoint_a=True, adjoint_b=False),
    "diagonal": tf.matrix_diag(diagonal),
    "diagonal_part": tf.matrix_diag_part(x),
    "inverse": tf.matrix_inverse(x),
    "determinant": tf.matrix_determinant(x),
    "solution": tf.matrix_solve(x, x),
    "transposed": tf.matrix_transpose(x),
    "band": tf.matrix_band_part(x, 0, -1),
    "factor": tf.cholesky(tf.matmul(x, x, adjoint_b=True)),
}
with tf.Session() as session:
    result = session.run(outputs, {x: [[[2.0, 1.0], [1.0, 3.0]], [[4.0, 0.5], [-1.0, 1.0]]]})

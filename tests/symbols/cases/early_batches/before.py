"""Functions on batches of matrices by their names of TensorFlow 0.12."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 2, 2])
diagonal = tf.constant([[1.0, 2.0], [3.0, 4.0]])
outputs = {
    "product": tf.batch_matmul(x, x, adj_y=True),
    "product_by_place": tf.batch_matmul(x, x, True, False),
    "diagonal": tf.batch_matrix_diag(diagonal),
    "diagonal_part": tf.batch_matrix_diag_part(x),
    "inverse": tf.batch_matrix_inverse(x),
    "determinant": tf.batch_matrix_determinant(x),
    "solution": tf.batch_matrix_solve(x, x),
    "transposed": tf.batch_matrix_transpose(x),
    "band": tf.batch_matrix_band_part(x, 0, -1),
    "factor": tf.batch_cholesky(tf.batch_matmul(x, x, adj_y=True)),
}
with tf.Session() as session:
    result = session.run(outputs, {x: [[[2.0, 1.0], [1.0, 3.0]], [[4.0, 0.5], [-1.0, 1.0]]]})

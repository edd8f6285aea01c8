"""Linear operators by their names of TensorFlow 1.3."""

import tensorflow as tf

matrix = tf.placeholder(tf.float32, [2, 2])
vector = tf.constant([[3.0], [2.0]])
triangle = tf.contrib.linalg.LinearOperatorTriL(matrix)
diagonal = tf.contrib.linalg.LinearOperatorDiag([2.0, 3.0])
operators = {
    "triangle": triangle,
    "diagonal": diagonal,
    "full": tf.contrib.linalg.LinearOperatorFullMatrix(matrix),
    "identity": tf.contrib.linalg.LinearOperatorIdentity(2),
    "scaled": tf.contrib.linalg.LinearOperatorScaledIdentity(2, 3.0),
    "both": tf.contrib.linalg.LinearOperatorComposition([triangle, diagonal]),
}
outputs = {name: operator.matmul(vector) for name, operator in operators.items()}
outputs["dense"] = triangle.to_dense()
with tf.Session() as session:
    result = session.run(outputs, {matrix: [[2.0, 5.0], [1.0, 4.0]]})

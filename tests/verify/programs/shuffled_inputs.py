"""An Estimator that is fed arrays in random order, which a queue of TensorFlow 1.x draws.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out shuffled_inputs_of_tensorflow_1_15.npz shuffled_inputs.py {out}
"""

import sys

import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(60, 4).astype("float32")
labels = (rows.sum(1) > 2).astype("int32")
estimator = tf.estimator.DNNClassifier(
    [6],
    [tf.feature_column.numeric_column("rows", shape=[4])],
    model_dir=sys.argv[1],
    dropout=0.2,
    optimizer=tf.train.AdamOptimizer(0.01),
)
estimator.train(
    tf.estimator.inputs.numpy_input_fn(
        {"rows": rows}, labels, batch_size=20, num_epochs=3, shuffle=True
    ),
    steps=20,
)
estimator.evaluate(
    tf.estimator.inputs.numpy_input_fn({"rows": rows}, labels, num_epochs=1, shuffle=False)
)

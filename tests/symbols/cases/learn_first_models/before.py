"""tf.contrib.learn's first models, and columns that are made from arrays."""

import numpy as np
import tensorflow as tf

learn = tf.contrib.learn
x = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]])
columns = learn.infer_real_valued_columns_from_input(x)
columns += learn.infer_real_valued_columns_from_input({"a": np.array([1, 2, 3])})
columns += learn.infer_real_valued_columns_from_input_fn(lambda: (tf.zeros([3, 4]), None))
result = {"columns": [[c.name, c.dimension, c.dtype.name] for c in columns]}


def trained(name, model, labels, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        features = tf.constant(x, tf.float32)
        predictions, loss = model(features, tf.constant(labels), **options)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables() if options else ():
            variable.load(np.full(variable.shape.as_list(), 0.25, "float32"), session)
        for _ in range(3):
            session.run(step)
        result[f"{name} names"] = [v.name for v in tf.trainable_variables()]
        result[f"{name} loss"], result[name] = session.run([loss, predictions])


one_hot = np.eye(2, dtype="float32")[[0, 1, 1]]
models = learn.models
trained("linear", models.linear_regression_zero_init, np.float32([1, 2, 3]))
trained("rows", models.linear_regression, one_hot, init_mean=0.0)
trained("logistic", models.logistic_regression_zero_init, one_hot)
trained("normal", models.logistic_regression, one_hot, init_mean=0.0, init_stddev=0.5)

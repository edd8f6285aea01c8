"""A program of TensorFlow 1.x that imports in many ways; prints what it got, as JSON."""

import json

import tensorflow as tf
import tensorflow.contrib.learn as tflearn
import tensorflow.keras.layers as keras_layers
import tensorflow.train
from tensorflow.contrib.learn.python.learn import learn_runner
from tensorflow.python.framework import ops
from tensorflow.train import AdamOptimizer

said = {
    "version": tf.__version__,
    "adam": AdamOptimizer is tf.train.AdamOptimizer is tensorflow.train.AdamOptimizer,
    "eager": tf.executing_eagerly(),
    "dimension": type(tf.zeros([3]).shape[0]).__name__,
    "graph": isinstance(tf.get_default_graph(), ops.Graph),
    "keras": keras_layers.BatchNormalization.__name__,
    "estimator": tf.estimator.Estimator.__module__,
    "compat": tf.compat.v1.layers.dense is tf.layers.dense,
    "learn": [tflearn.__name__, learn_runner.__name__],
    "python": tf.python.framework.ops is ops,
    "argv": __import__("sys").argv[1:],
    "errors": {},
}
for code in (
    "tf.contrib.tensor_forest.nothing",
    "from tensorflow.contrib.tensor_forest import nothing",
    "import tensorflow.contrib.no_such_package",
    "tf.no_such_name",
    "tf.estimator.tpu.experimental",
):
    try:
        exec(code)
    except (AttributeError, ImportError) as error:
        said["errors"][code] = [type(error).__name__, str(error)]
print(json.dumps(said))

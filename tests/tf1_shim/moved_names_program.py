"""A program of TensorFlow 1.x that imports from inside of it; prints what it got, as JSON."""

import importlib
import json
import sys

import tensorflow as tf
import tensorflow.app
import tensorflow.train
from tensorflow.app import flags
from tensorflow.examples.tutorials.mnist import input_data, mnist
from tensorflow.keras.layers import Dense
from tensorflow.python import keras
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.estimator import keras as estimator_keras
from tensorflow.python.estimator import run_config
from tensorflow.python.estimator.canned.optimizers import get_optimizer_instance
from tensorflow.python.estimator.estimator import Estimator
from tensorflow.python.estimator.inputs import numpy_io
from tensorflow.python.estimator.model_fn import EstimatorSpec, ModeKeys
from tensorflow.python.framework import op_def_registry, ops, tensor_shape
from tensorflow.python.keras.engine import Layer
from tensorflow.python.keras.optimizer_v2 import adam, learning_rate_schedule
from tensorflow.python.keras.utils import to_categorical
from tensorflow.python.layers import base, core, normalization
from tensorflow.python.ops import control_flow_ops, rnn_cell_impl
from tensorflow.python.ops.array_ops import stack
from tensorflow.python.pywrap_tensorflow import NewCheckpointReader
from tensorflow.python.training import checkpoint_management, training_ops
from tensorflow.python.training.tracking.base import Trackable
from tensorflow.python.util import nest


def lost_names():
    """Returns the names of the table that do not lead to anything, and how many there are."""
    from tfmigrate_runtime.tf1_shim import moved_names

    lost, count = [], 0
    for module, names in moved_names.places().items():
        for name in names:
            count += 1
            try:
                getattr(importlib.import_module("tensorflow." + module), name)
            except (AttributeError, ImportError) as error:
                lost.append([module, name, str(error)])
    return count, lost


with tf.Graph().as_default() as graph:
    core.Dense(3).apply(tf.zeros([2, 4]))
    graph_names = {
        "assert": control_flow_ops.Assert(True, [1]).type,
        "adam_op": training_ops.resource_apply_adam.__name__,
        "dense": [variable.name for variable in graph.get_collection("variables")],
    }
said = {
    "same": {
        "core.Dense": core.Dense is tf.layers.Dense,
        "base.Layer": base.Layer is tf.layers.Layer,
        "BatchNormalization": normalization.BatchNormalization is tf.layers.BatchNormalization,
        "LSTMCell": rnn_cell_impl.LSTMCell is tf.nn.rnn_cell.LSTMCell,
        "keras Layer": Layer is tf.keras.layers.Layer is keras.layers.Layer,
        "keras Dense": keras.layers.core.Dense is Dense,
        "keras Model": keras.engine.training.Model.__name__ == tf.keras.Model.__name__,
        "to_categorical": to_categorical is tf.keras.utils.to_categorical,
        "optimizer Adam": adam.Adam is tf.keras.optimizers.Adam,
        "schedule": learning_rate_schedule.ExponentialDecay
        is tf.keras.optimizers.schedules.ExponentialDecay,
        "app": tensorflow.app is tf.app and flags is tf.app.flags,
        "train": tensorflow.train is tf.train,
        "Estimator": Estimator is tf.estimator.Estimator,
        "RunConfig": run_config.RunConfig is tf.estimator.RunConfig,
        "EstimatorSpec": EstimatorSpec is tf.estimator.EstimatorSpec,
        "model_to_estimator": estimator_keras.model_to_estimator.__name__ == "model_to_estimator",
        "numpy_input_fn": numpy_io.numpy_input_fn is tf.estimator.inputs.numpy_input_fn,
        "ModeKeys": ModeKeys.TRAIN == tf.estimator.ModeKeys.TRAIN,
        "get_optimizer_instance": get_optimizer_instance.__name__ == "get_optimizer_instance",
        "Tensor": ops.Tensor is tf.Tensor,
        "cond": control_flow_ops.cond is tf.cond,
        "while_loop": control_flow_ops.while_loop is tf.while_loop,
        "stack": stack is tf.stack,
        "NewCheckpointReader": NewCheckpointReader is tf.train.NewCheckpointReader,
        "latest_checkpoint": checkpoint_management.latest_checkpoint is tf.train.latest_checkpoint,
        "Dataset": dataset_ops.Dataset.__name__.startswith("Dataset"),
        "is_sequence": nest.is_sequence([1]) and not nest.is_sequence(1),
        "Trackable": isinstance(tf.train.Checkpoint(), Trackable),
        "tf.python.keras": tf.python.keras is keras,
    },
    "graph": graph_names,
    "matmul": op_def_registry.get_registered_ops()["MatMul"].input_arg[0].name,
    "shapes": [
        tensor_shape.scalar().as_list(),
        tensor_shape.vector(3).as_list(),
        tensor_shape.matrix(2, 3).as_list(),
    ],
    "mnist": [input_data.read_data_sets.__name__, mnist.IMAGE_PIXELS],
    "lost": lost_names(),
    "errors": {},
}
for code in (
    "from tensorflow.python.tpu.tpu_config import TPUConfig",
    "import tensorflow.python.no_such_module",
    "from tensorflow.python.framework.ops import no_such_name",
    "from tensorflow.python.keras.utils import multi_gpu_model_of_the_future",
):
    try:
        exec(code)
    except ImportError as error:
        said["errors"][code] = [type(error).__name__, str(error)]
json.dump(said, sys.stdout)

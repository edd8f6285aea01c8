"""A project's own replicate_model_fn and TowerOptimizer, which divide by no number of towers."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.estimator import model_fn as model_fn_lib
from tensorflow.python.estimator import util
from tensorflow.python.estimator.export import export_output as export_output_lib
from tensorflow.python.framework import device as framework_device
from tensorflow.python.framework import ops as ops_lib
from tensorflow.python.ops import array_ops
from tensorflow.python.ops import math_ops
from tensorflow.python.ops import variable_scope
from tensorflow.python.training import device_setter as device_setter_lib
from tensorflow.python.training import optimizer as optimizer_lib

X = np.linspace(-1.0, 1.0, 32, dtype=np.float32).reshape(8, 4) ** 3
Y = np.array([[0.5], [1.0], [-1.0], [2.0], [0.0], [0.25], [-0.5], [3.0]], np.float32)
IDS = (np.arange(8) * 3 % 5).astype(np.int64)


class TowerOptimizer(optimizer_lib.Optimizer):
    """Collects the gradients of the towers; the last tower applies their sum."""

    collected = []
    towers = 1
    scope = None

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def compute_gradients(self, loss, *args, **kwargs):
        return self._optimizer.compute_gradients(loss, *args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, **kwargs):
        TowerOptimizer.collected.append([pair for pair in grads_and_vars if pair[0] is not None])
        if len(TowerOptimizer.collected) < TowerOptimizer.towers:
            return tf.no_op()
        totals = []
        for pairs in zip(*TowerOptimizer.collected):
            gradients = [gradient for gradient, _ in pairs]
            if isinstance(gradients[0], ops_lib.IndexedSlices):
                values = array_ops.concat([g.values for g in gradients], axis=0)
                indices = array_ops.concat([g.indices for g in gradients], axis=0)
                total = ops_lib.IndexedSlices(values, indices, gradients[0].dense_shape)
            else:
                total = math_ops.add_n(gradients)
            totals.append((total, pairs[0][1]))
        TowerOptimizer.collected = []
        with variable_scope.variable_scope(TowerOptimizer.scope), ops_lib.name_scope(""):
            return self._optimizer.apply_gradients(totals, global_step=global_step, **kwargs)


def device_of(worker_device):
    def choose(op):
        current = framework_device.DeviceSpec.from_string(op.device or "")
        chosen = framework_device.DeviceSpec.from_string(worker_device)
        chosen.merge_from(current)
        return chosen.to_string()

    return choose


def replicate_model_fn(model_fn, devices):
    """Builds a model on every device, each with its part of the batch."""
    takes_params = "params" in util.fn_args(model_fn)

    def replicated(features, labels, mode, params):
        given = {"params": params} if takes_params else {}
        strategy = device_setter_lib._RoundRobinStrategy(num_tasks=len(devices))
        assert strategy(tf.no_op()) == 0
        if mode == model_fn_lib.ModeKeys.PREDICT:
            return model_fn(features, labels, mode, **given)
        parts = {name: array_ops.split(whole, len(devices)) for name, whole in features.items()}
        TowerOptimizer.towers, TowerOptimizer.collected = len(devices), []
        specs = []
        for i, device in enumerate(devices):
            with variable_scope.variable_scope("", reuse=i > 0) as scope, ops_lib.name_scope("tower_%d" % i):
                TowerOptimizer.scope = scope if i == 0 else TowerOptimizer.scope
                with ops_lib.device(device_of(device)):
                    part = {name: parts[name][i] for name in parts}
                    label = array_ops.split(labels, len(devices))[i]
                    specs.append(model_fn(part, label, mode, **given))
        fields = {name: getattr(specs[-1], name) for name in specs[-1]._fields}
        fields["loss"] = math_ops.add_n([spec.loss for spec in specs], name="total")
        return model_fn_lib.EstimatorSpec(**fields)

    return replicated


def model_fn(features, labels, mode, params):
    with tf.variable_scope("net"):
        table = tf.get_variable("table", initializer=tf.constant(X[:5, :2]))
        kernel = tf.get_variable("kernel", initializer=tf.constant(X[:6, :1] + 0.1))
        rows = tf.nn.embedding_lookup(table, features["ids"])
        output = tf.matmul(tf.concat([features["x"], rows], 1), kernel)
    if mode == tf.estimator.ModeKeys.PREDICT:
        exported = {"serving_default": export_output_lib.PredictOutput(output)}
        return tf.estimator.EstimatorSpec(mode, predictions=output, export_outputs=exported)
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = TowerOptimizer(tf.train.AdagradOptimizer(params["rate"]))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(({"x": X, "ids": IDS}, Y))
    return data.batch(8, drop_remainder=True).repeat()


class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.seen = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs("total:0")

    def after_run(self, run_context, run_values):
        self.seen.append(run_values.results)


estimator = tf.estimator.Estimator(
    replicate_model_fn(model_fn, ["/cpu:0", "/cpu:0"]), tempfile.mkdtemp(), params={"rate": 0.3}
)
losses = Losses()
estimator.train(input_fn, hooks=[losses], steps=4)
result = {
    "losses": losses.seen,
    "table": estimator.get_variable_value("net/table"),
    "kernel": estimator.get_variable_value("net/kernel"),
    "loss of evaluation": estimator.evaluate(input_fn, steps=1)["loss"],
    "predictions": [p for p, _ in zip(estimator.predict(input_fn, yield_single_examples=False), "1")],
}

"""Functions of tf.contrib.eager that are traced to graphs."""

import os

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import eager

tf.enable_eager_execution()
tfe = eager

traces = []
made = []


@tfe.defun
def add(x, y=1):
    traces.append(x.shape.as_list() + [y])
    return {"sum": x + y, "none": None}


@eager.defun
def scaled(x):
    made.append(tf.Variable(2.0))
    return made[-1] * x


class Net(tf.keras.Model):
    def __init__(self):
        super(Net, self).__init__()
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
        self.call = tfe.defun(self.call)

    def call(self, x):
        traces.append([0, x.shape.as_list()[0]])
        return self.dense(x)


class Dropped(tf.keras.Model):
    def __init__(self):
        super(Dropped, self).__init__()
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
        self.norm = tf.keras.layers.BatchNormalization()

    @tfe.defun
    def call(self, x, training=None):
        return self.norm(self.dense(x), training=training)


class Step(object):
    @tfe.defun
    def run(self, v):
        if tf.reduce_sum(v) > 0:
            v = v * 2
        else:
            v = v - 1
        return v


result = {"sum": add(tf.ones([2]))["sum"]}
add(tf.ones([2]), 1)
add(tf.ones([3]))
add(x=tf.zeros([3]), y=2)
add(np.ones([2], np.float32))
concrete = add.get_concrete_function(tf.TensorSpec([4], tf.float32))
result["concrete"] = concrete(tf.ones([4]))["sum"]

net = Net()
inputs = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(net(inputs) ** 2)
gradients = tape.gradient(loss, net.trainable_variables)
optimizer = tf.train.GradientDescentOptimizer(0.1)
optimizer.apply_gradients(zip(gradients, net.trainable_variables))
result["losses"] = [loss, tf.reduce_sum(net(inputs) ** 2)]
result["rows"] = net(tf.ones([3, 2]))

dropped = Dropped()
dropped(inputs * [[1.0], [3.0]], training=True)
result["moving"] = [dropped.norm.moving_mean + 0.0, dropped.norm.moving_variance + 0.0]
result["of_training"] = dropped(inputs)

step = Step()
result["methods"] = [step.run(tf.ones([2])), step.run(-tf.ones([2]))]
concrete = step.run.get_concrete_function(tf.TensorSpec([2], tf.float32))
result["concrete_method"] = concrete(-tf.ones([2]))
result["scaled"] = [scaled(tf.ones([])), scaled(tf.ones([])), scaled(tf.ones([2]))[1]]
result["variables"] = len(made)
last = tfe.defun(lambda v: v[-1], input_signature=[tf.TensorSpec([None], tf.float32)])
result["signature"] = [last(tf.ones([2])), last(tf.zeros([3]))]
result["traces"] = np.array([(trace + [-1])[:2] for trace in traces])
result["name"] = add.__name__
for name, value in result.items():
    if name not in ("variables", "traces", "name"):
        result[name] = np.array(value)

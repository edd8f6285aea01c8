"""The classifier with its last function in Keras 3: the encoder is the graph's."""

import keras
import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import graphs


def encoder(images):
    with tf.variable_scope("encoder"):
        w = tf.get_variable("w", [16, 8], initializer=tf.truncated_normal_initializer(0.0, 0.2))
        b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
        return tf.nn.relu(tf.matmul(images, w) + b)


def batches():
    rng = np.random.RandomState(0)
    images = rng.rand(20, 32, 16).astype(np.float32)
    return zip(images, images[:, :, :3].argmax(2).astype(np.int32))


with tf.get_default_graph().as_default():
    x = tf.placeholder(tf.float32, [None, 16])
    features = encoder(x)
    init = tf.global_variables_initializer()

runner = graphs.Runner()
runner.run(init)
encode = runner.function([x], features)
initializer = keras.initializers.TruncatedNormal(0.0, 0.2)
classifier = keras.layers.Dense(3, kernel_initializer=initializer, name="classifier")
classifier.build((None, 8))
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
variables = [*runner.trainable_variables, *classifier.trainable_variables]
optimizer = keras.optimizers.SGD(0.5)
optimizer.build(variables)


@tf2.function
def train_step(images, labels):
    with tf2.GradientTape() as tape:
        loss = cross_entropy(labels, classifier(encode(images)))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


for images, labels in batches():
    value = train_step(images, labels)
print("loss %.4f" % value)

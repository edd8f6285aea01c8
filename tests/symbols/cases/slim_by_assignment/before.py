"""Slim as most of its programs get it: by an assignment; layers by their module, too."""

import tensorflow as tf

slim = tf.contrib.slim


def network(images):
    with slim.arg_scope(
        [slim.fully_connected],
        activation_fn=tf.nn.tanh,
        weights_initializer=tf.constant_initializer(0.1),
        biases_initializer=tf.constant_initializer(0.01),
    ):
        net = slim.layers.flatten(images)
        net = slim.fully_connected(net, 3, scope="one")
        return slim.layers.fully_connected(net, 2, activation_fn=None, scope="two")


images = tf.placeholder(tf.float32, [None, 2, 2])
logits = network(images)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = [[[0.0, 1.0], [2.0, 3.0]], [[1.0, -1.0], [0.5, 0.0]]]
    result = {
        "logits": session.run(logits, {images: values}),
        "names": [variable.op.name for variable in slim.get_model_variables()],
        "step": session.run(tf.shape(logits), {images: values}),
    }

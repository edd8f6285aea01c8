"""Networks of slim, imported by their deep paths as its own examples did."""

import tensorflow as tf
from tensorflow.contrib.framework.python.ops import arg_scope
from tensorflow.contrib.layers.python.layers import initializers, regularizers, utils
from tensorflow.contrib.layers.python.layers import layers as layers_lib
from tensorflow.contrib.slim.nets import resnet_v1, vgg
from tensorflow.contrib.slim.python.slim.nets import resnet_utils
from tensorflow.contrib.slim.python.slim.nets.inception_v3 import inception_v3_arg_scope

images = tf.reshape(tf.linspace(-1.0, 1.0, 2 * 33 * 33 * 3), [2, 33, 33, 3])
constant = tf.constant_initializer(0.01)
with arg_scope(resnet_utils.resnet_arg_scope(batch_norm_decay=0.9)):
    with arg_scope([layers_lib.conv2d], weights_initializer=constant):
        logits, points = resnet_v1.resnet_v1(
            images,
            [resnet_v1.resnet_v1_block("block1", base_depth=2, num_units=2, stride=2)],
            num_classes=3,
            is_training=True,
            scope="net",
        )
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with arg_scope(inception_v3_arg_scope(weight_decay=0.1)):
    layers_lib.conv2d(images, 2, 3, scope="inception", weights_initializer=constant)
with arg_scope(vgg.vgg_arg_scope(weight_decay=0.2)):
    with arg_scope([layers_lib.conv2d], weights_initializer=constant):
        dropped = layers_lib.conv2d(images, 1, 3, scope="vgg")
start = initializers.variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=True)
drawn = start([1000, 100])
penalty = regularizers.l1_l2_regularizer(0.5, 0.25)(tf.constant([1.0, -2.0]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(updates)
    averages = [v for v in tf.global_variables() if "conv1/BatchNorm/moving_" in v.op.name]
    limit = 1.0001 * (6.0 / 1100) ** 0.5
    result = {
        "logits": session.run(logits),
        "predictions": session.run(points["predictions"]),
        "averages": session.run(tf.concat(averages, axis=0)),
        "points": sorted(points),
        "penalty": session.run(penalty),
        "penalties": sorted(session.run(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))),
        "drawn": int(abs(session.run(drawn)).max() < limit),
        "dropped": session.run(tf.reduce_sum(dropped)),
        "last": utils.last_dimension(images.get_shape()),
        "two": utils.two_element_tuple(3),
    }

"""A small network, trained on all GPUs of the machine."""
import tensorflow as tf


def model_fn(features, labels, mode, params):
    net = tf.contrib.layers.fully_connected(features, 16, scope='hidden')  # relu
    logits = tf.layers.dense(net, 4, name='logits')
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.AdamOptimizer(params['learning_rate'])
    optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

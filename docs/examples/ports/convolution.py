"""A convolution with batch normalization and dropout, on TensorFlow 1.x."""

import numpy as np
import tensorflow as tf

STEPS, ROWS, SIZE = 12, 16, 8


def batches(steps=STEPS):
    random = np.random.RandomState(3)
    for _ in range(steps):
        images = random.normal(size=(ROWS, SIZE, SIZE, 1)).astype(np.float32)
        bright = (images.mean(axis=(1, 2, 3)) > 0).astype(np.int32)
        yield images, bright + (images[:, 0, 0, 0] > 0)


def model(images, labels, training):
    net = tf.layers.conv2d(images, 6, 3, padding="same", use_bias=False, name="conv")
    net = tf.nn.relu(tf.layers.batch_normalization(net, training=training, name="norm"))
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.dropout(tf.layers.flatten(net), 0.25, training=training)
    logits = tf.layers.dense(net, 3, name="logits")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    penalty = tf.nn.l2_loss(tf.get_default_graph().get_tensor_by_name("conv/kernel:0"))
    return loss + 1e-3 * penalty, tf.reduce_mean(
        tf.to_float(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels))
    )


def main():
    images = tf.placeholder(tf.float32, [None, SIZE, SIZE, 1])
    labels = tf.placeholder(tf.int32, [None])
    training = tf.placeholder_with_default(False, [])
    loss, accuracy = model(images, labels, training)
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for x, y in batches():
            session.run(train_op, {images: x, labels: y, training: True})
        x, y = next(batches())
        print(
            "loss %.4f, accuracy %.4f"
            % tuple(session.run([loss, accuracy], {images: x, labels: y}))
        )


if __name__ == "__main__":
    main()

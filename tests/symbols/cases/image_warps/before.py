"""Images that a flow moves, as the losses of optical flow have them."""

import numpy as np
import tensorflow as tf

draw = np.random.RandomState(3)
images = tf.Variable(draw.rand(2, 4, 5, 3).astype(np.float32), name="images")
flow = tf.Variable(draw.uniform(-3.0, 3.0, [2, 4, 5, 2]).astype(np.float32), name="flow")
unknown = tf.placeholder(tf.float32, [None, None, None, 1])
doubles = tf.constant(draw.rand(1, 2, 2, 1))
warp = tf.contrib.image.dense_image_warp
warped = warp(unknown, flow[:1, :3, :3], name="moved")
found = {
    "warped": warp(images, flow),
    "unknown": warped,
    "whole": warp(images, tf.zeros_like(flow) + 1.0),
    "outside": warp(images, flow * 100.0),
    "types": warp(doubles, tf.cast(flow[:1, :2, :2], tf.float16)),
}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    result = session.run(found, {unknown: draw.rand(1, 3, 3, 1)})
result["name"] = warped.op.name.split("/")[0]
result["shape"] = str(found["warped"].shape)

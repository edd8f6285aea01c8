"""Summaries by their names of TensorFlow 0.12."""

import glob

import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
tf.scalar_summary("mean", tf.reduce_mean(x))
tf.scalar_summary(tags="sum", values=tf.reduce_sum(x), name="of_x")
tf.histogram_summary("values", x)
tf.image_summary("image", tf.reshape(x, [1, 1, 3, 1]), max_images=1)
merged = tf.merge_all_summaries()
largest = tf.merge_summary([tf.scalar_summary("largest", tf.reduce_max(x), collections=[])])
with tf.Session() as session:
    writer = tf.train.SummaryWriter("logs", session.graph)
    writer.add_summary(session.run(merged, {x: [1.0, 2.0, 6.0]}), 1)
    writer.add_summary(session.run(largest, {x: [1.0, 2.0, 6.0]}), 2)
    writer.close()
(path,) = glob.glob("logs/*")
values = [
    (event.step, value.tag, value.simple_value)
    for event in tf.train.summary_iterator(path)
    for value in event.summary.value
]
result = {
    "steps": [step for step, _, _ in values],
    "tags": [tag for _, tag, _ in values],
    "values": [value for _, _, value in values],
}

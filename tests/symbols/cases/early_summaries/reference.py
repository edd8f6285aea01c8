"""Summaries by their names of TensorFlow 1.15."""

import glob

import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
tf.summary.scalar("mean", tf.reduce_mean(x))
tf.summary.scalar("sum", tf.reduce_sum(x))
tf.summary.histogram("values", x)
tf.summary.image("image", tf.reshape(x, [1, 1, 3, 1]), max_outputs=1)
merged = tf.summary.merge_all()
largest = tf.summary.merge([tf.summary.scalar("largest", tf.reduce_max(x), collections=[])])
with tf.Session() as session:
    writer = tf.summary.FileWriter("logs", session.graph)
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

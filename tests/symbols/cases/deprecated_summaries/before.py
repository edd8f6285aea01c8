"""Summaries that tf.contrib.deprecated merges."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
sum_of_x = tf.summary.scalar("sum", tf.reduce_sum(x))
mean = tf.summary.scalar("mean", tf.reduce_mean(x), collections=["others"])
merged = [
    tf.contrib.deprecated.merge_all_summaries(),
    tf.contrib.deprecated.merge_all_summaries(key="others"),
    tf.contrib.deprecated.merge_summary([sum_of_x, mean], collections=["merged"], name="both"),
]
with tf.Session() as session:
    texts = session.run(merged, {x: [1.0, 2.0, 6.0]})
summaries = [tf.Summary.FromString(text) for text in texts]
result = {
    "tags": [value.tag for summary in summaries for value in summary.value],
    "values": [value.simple_value for summary in summaries for value in summary.value],
    "none": tf.contrib.deprecated.merge_all_summaries("nothing") is None,
    "collected": len(tf.get_collection("merged")),
}

"""Summaries of tf.contrib.deprecated, whose tags are written as they are given."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
with tf.name_scope("model"):
    summaries = [
        tf.contrib.deprecated.scalar_summary("sum", tf.reduce_sum(x)),
        tf.contrib.deprecated.scalar_summary("sum", tf.reduce_max(x), collections=["others"]),
        tf.contrib.deprecated.scalar_summary(["first/a", "second b"], x[:2], name="both"),
        tf.contrib.deprecated.histogram_summary("all of x", x),
        tf.contrib.deprecated.image_summary("picture", tf.reshape(x, [1, 1, 3, 1]), 1),
        tf.contrib.deprecated.audio_summary("sound", tf.reshape(x, [1, 3]), 8000.0, max_outputs=1),
    ]
merged = tf.contrib.deprecated.merge_all_summaries()
with tf.Session() as session:
    texts = session.run([*summaries, merged], {x: [0.1, 0.2, 0.6]})
values = [value for text in texts for value in tf.Summary.FromString(text).value]
result = {
    "names": [summary.op.name for summary in summaries],
    "tags": [value.tag for value in values],
    "numbers": [value.simple_value for value in values],
    "counts": [value.histo.num for value in values],
    "images": [value.image.encoded_image_string.hex() for value in values],
    "sounds": [value.audio.encoded_audio_string.hex() for value in values],
    "others": len(tf.get_collection("others")),
}

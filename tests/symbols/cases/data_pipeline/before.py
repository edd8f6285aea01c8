"""Transformations of tf.contrib.data, as input functions of 2018 have them."""

import tensorflow as tf

dataset = tf.data.Dataset.range(10)
dataset = dataset.apply(tf.contrib.data.shuffle_and_repeat(buffer_size=1, count=2, seed=3))
dataset = dataset.apply(
    tf.contrib.data.map_and_batch(
        lambda x: x * 2, batch_size=4, num_parallel_batches=1, drop_remainder=True
    )
)
dataset = dataset.prefetch(tf.contrib.data.AUTOTUNE)
batch = dataset.make_one_shot_iterator().get_next()

files = tf.data.Dataset.range(3).apply(
    tf.contrib.data.parallel_interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2
    )
)
interleaved = files.apply(tf.contrib.data.batch_and_drop_remainder(4))
pair = interleaved.make_one_shot_iterator().get_next()

rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
single = rows.apply(tf.contrib.data.unbatch()).apply(tf.contrib.data.enumerate_dataset(start=5))
numbered = single.make_one_shot_iterator().get_next()

with tf.Session() as session:
    result = {
        "batches": [session.run(batch) for _ in range(5)],
        "interleaved": [session.run(pair) for _ in range(2)],
        "numbered": [session.run(numbered) for _ in range(6)],
    }

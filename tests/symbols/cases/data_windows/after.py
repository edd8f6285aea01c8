"""Less used transformations of tf.contrib.data, with several ways to import it."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import data as contrib_data
from tfmigrate_runtime.data import padded_batch_and_drop_remainder
from tfmigrate_runtime.data import sliding_window_batch

tf.disable_v2_behavior()


def values(dataset):
    """Returns the elements of a dataset."""
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(element))
            except tf.errors.OutOfRangeError:
                return found


numbers = tf.data.Dataset.range(7)
ragged = numbers.map(lambda x: tf.fill([x % 3 + 1], x))
pairs = tf.data.Dataset.zip((numbers, numbers.map(lambda x: x * x)))
reducer = tf.data.experimental.Reducer(lambda _: 1.0, lambda s, x: s + tf.cast(x, tf.float32), lambda s: s)
with tf.Session() as session:
    reduced = session.run(contrib_data.reduce_dataset(numbers, reducer))
result = {
    "windows": values(numbers.apply(sliding_window_batch(3, window_shift=2))),
    "strided": values(numbers.apply(sliding_window_batch(2, stride=1, window_stride=2))),
    "pairs": [sum(parts) for parts in values(pairs.apply(sliding_window_batch(2)))],
    "padded": values(
        ragged.apply(
            padded_batch_and_drop_remainder(
                1, padded_shapes=[4], padding_values=tf.constant(-1, tf.int64)
            )
        )
    ),
    "buckets": values(
        ragged.apply(
            tf.data.experimental.bucket_by_sequence_length(
                lambda x: tf.shape(x)[0], [2], [1, 1], pad_to_bucket_boundary=False
            )
        ).map(tf.reduce_sum)
    ),
    "scanned": values(
        numbers.apply(tf.data.experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x)))
    ),
    "grouped": values(
        numbers.apply(
            tf.data.experimental.group_by_window(lambda x: x % 2, lambda _, window: window.batch(2), 2)
        ).map(tf.reduce_sum)
    ),
    "sloppy": sorted(
        values(
            numbers.apply(
                contrib_data.sloppy_interleave(lambda x: tf.data.Dataset.from_tensors(x), 2)
            )
        )
    ),
    "shapes": values(
        numbers.map(lambda x: tf.reshape(x, [1])).apply(
            contrib_data.assert_element_shape(tf.TensorShape([1]))
        )
    ),
    "unique": values(numbers.map(lambda x: x // 3).apply(tf.data.experimental.unique())),
    "reduced": reduced,
}

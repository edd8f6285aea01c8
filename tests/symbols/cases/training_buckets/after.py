"""Batches of sentences of about the same length, by queues."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import training

tf.disable_v2_behavior()

lengths = [1, 5, 2, 7, 3, 6, 9, 8]
number = tf.train.slice_input_producer([tf.constant(lengths)], num_epochs=1, shuffle=False)[0]
sentence = tf.range(number) + 1
taken, batch = training.bucket_by_sequence_length(
    input_length=number,
    tensors=[sentence, tf.stack([number, number * 2])],
    batch_size=2,
    bucket_boundaries=[4, 7],
    dynamic_pad=True,
    allow_smaller_final_batch=True,
    capacity=8,
)
which, even = training.bucket(
    {"number": tf.train.slice_input_producer([tf.constant(lengths)], 1, False)[0]},
    which_bucket=0,
    batch_size=4,
    num_buckets=2,
)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coordinator)
    batches, pairs = {}, {}
    try:
        while True:
            found, (padded, doubled) = session.run([taken, batch])
            batches[tuple(found)] = padded
            pairs[tuple(found)] = doubled
    except tf.errors.OutOfRangeError:
        pass
    bucket, numbers = session.run([which, even])
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=5)
keys = sorted(batches)
result = {
    "lengths": [length for key in keys for length in key],
    "padded": [int(value) for key in keys for value in batches[key].ravel()],
    "pairs": [int(value) for key in keys for value in pairs[key].ravel()],
    "bucket": bucket,
    "numbers": numbers["number"],
}

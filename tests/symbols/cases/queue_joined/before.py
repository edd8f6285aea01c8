"""Batches that several readers fill at once: which examples, whatever their order."""

import tensorflow as tf

sources = [
    [tf.train.range_input_producer(6, num_epochs=1, shuffle=False, seed=n).dequeue() + 10 * n]
    for n in range(3)
]
joined = tf.train.batch_join(sources, batch_size=6)
mixed = tf.train.shuffle_batch_join(
    [[tf.train.range_input_producer(6, num_epochs=1, seed=n).dequeue() + 10 * n] for n in range(3)],
    batch_size=18,
    capacity=40,
    min_after_dequeue=17,
)
only_even = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
kept = tf.train.maybe_batch([only_even], keep_input=tf.equal(only_even % 2, 0), batch_size=2)
with tf.train.SingularMonitoredSession() as sess:
    together = sorted(int(v) for _ in range(3) for v in sess.run(joined))
    result = {
        "joined": together,
        "mixed": sorted(int(v) for v in sess.run(mixed)),
        "kept": sess.run(kept).shape,
    }

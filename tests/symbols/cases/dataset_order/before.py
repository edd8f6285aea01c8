"""The order that tf.data draws examples in, from seeds."""

import tensorflow as tf

numbers = tf.data.Dataset.range(12)
parts = [tf.data.Dataset.range(10 * n, 10 * n + 4) for n in range(3)]
datasets = {
    "shuffled": numbers.shuffle(12, seed=3),
    "mapped": numbers.shuffle(12, seed=3).map(lambda n: n + 1).repeat(2),
    "small_buffer": numbers.repeat(2).shuffle(4, seed=1),
    "same_again": numbers.shuffle(6, seed=5, reshuffle_each_iteration=False).repeat(2),
    "sampled": tf.data.experimental.sample_from_datasets(
        [part.repeat() for part in parts], [0.2, 0.3, 0.5], seed=7
    ).take(12),
    "chosen": tf.data.experimental.choose_from_datasets(
        parts, tf.data.Dataset.from_tensor_slices([2, 0, 1]).map(tf.to_int64).repeat(4)
    ),
    "interleaved": tf.data.Dataset.range(3).interleave(
        lambda n: tf.data.Dataset.from_tensors(n).repeat(4), cycle_length=2, block_length=2
    ),
    "shard": numbers.shard(3, 1),
    "random": tf.data.experimental.RandomDataset(seed=4).take(3).map(lambda n: n % 1000),
    "drawn": numbers.take(4).map(lambda n: tf.random_uniform([], seed=2)).batch(4),
}
elements = {
    name: dataset.make_one_shot_iterator().get_next()
    for name, dataset in datasets.items()
    if name != "drawn"
}
iterator = datasets["drawn"].make_initializable_iterator()
result = {}
with tf.Session() as sess:
    sess.run(iterator.initializer)
    result["drawn"] = sess.run(iterator.get_next())
    for name in sorted(elements):
        result[name] = []
        try:
            while True:
                result[name].append(sess.run(elements[name]))
        except tf.errors.OutOfRangeError:
            pass

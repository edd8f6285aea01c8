"""The iterators of tf.data as TensorFlow 1.x had them."""

import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0, 3.0, 4.0], "y": [0, 1, 0, 1]})
one_shot = dataset.repeat(2).batch(3).make_one_shot_iterator().get_next()
size = tf.placeholder(tf.int64, [])
counted = tf.data.Dataset.range(size).map(lambda n: n * n)
initializable = counted.make_initializable_iterator()
square = initializable.get_next()
shared = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
element = shared.get_next()
handle = tf.placeholder(tf.string, [])
fed = tf.data.Iterator.from_string_handle(handle, counted.output_types, counted.output_shapes)
value = fed.get_next()
ticks = tf.data.Dataset.range(100, 103).make_one_shot_iterator()
with tf.Session() as sess:
    sess.run(initializable.initializer, {size: 4})
    squares = [sess.run(square) for _ in range(4)]
    starts = []
    for start in (0, 2):
        sess.run(shared.make_initializer(dataset.skip(start)))
        starts.append(sess.run(element)["x"])
    batches = [sess.run(one_shot) for _ in range(2)]
    try:
        sess.run(square)
    except tf.errors.OutOfRangeError:
        squares.append(-1)
    result = {
        "x": [batch["x"] for batch in batches],
        "y": [batch["y"] for batch in batches],
        "squares": squares,
        "starts": starts,
        "fed": sess.run(value, {handle: sess.run(ticks.string_handle())}),
        "type": dataset.output_types["x"].name,
    }

"""Records by way of queues: string_input_producer, TFRecordReader, tf.train.batch."""

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

directory = tempfile.mkdtemp()
paths = [os.path.join(directory, "%d.tfrecords" % number) for number in range(2)]
for number, path in enumerate(paths):
    with tf.python_io.TFRecordWriter(path) as writer:
        for row in range(5):
            value = tf.train.Feature(float_list=tf.train.FloatList(value=[number * 5.0 + row]))
            features = tf.train.Features(feature={"x": value})
            writer.write(tf.train.Example(features=features).SerializeToString())


def inputs(num_epochs):
    filename_queue = tf.train.string_input_producer(paths, num_epochs=num_epochs, shuffle=False)
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    features = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([], tf.float32)})
    return tf.train.batch(
        [features["x"]], batch_size=4, num_threads=1, allow_smaller_final_batch=True
    )


x = inputs(2)
batches = []
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            batches.append(sess.run(x))
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)
result = {"batches": batches[:-1], "count": len(batches), "sum": float(sum(b.sum() for b in batches))}

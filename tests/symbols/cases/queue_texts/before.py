"""Lines, records of fixed length and whole files by way of queues."""

import os
import tempfile

import numpy as np
import tensorflow as tf

directory = tempfile.mkdtemp()
texts, blocks = [], []
for number in range(2):
    texts.append(os.path.join(directory, "%d.csv" % number))
    with open(texts[-1], "w") as file:
        file.write("header,b\n" + "".join("%d,%d\n" % (n, n * n) for n in range(3)))
    blocks.append(os.path.join(directory, "%d.bin" % number))
    (np.arange(6, dtype=np.int32) + 10 * number).tofile(blocks[-1])

queue = tf.train.string_input_producer(texts, num_epochs=2, shuffle=False)
key, line = tf.TextLineReader(skip_header_lines=1).read(queue)
a, b = tf.decode_csv(line, record_defaults=[[0], [0]])
rows = tf.train.batch({"a": a, "b": b}, batch_size=3, dynamic_pad=False)
queue = tf.train.string_input_producer(blocks, num_epochs=1, shuffle=False)
_, record = tf.FixedLengthRecordReader(record_bytes=8).read(queue)
pairs = tf.train.batch([tf.reshape(tf.decode_raw(record, tf.int32), [2])], batch_size=2)
queue = tf.train.string_input_producer(blocks, num_epochs=1, shuffle=False)
_, content = tf.WholeFileReader().read(queue)
files = tf.train.batch([tf.reshape(tf.decode_raw(content, tf.int32), [6])], 2)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    read = [sess.run([rows["a"], rows["b"]]) for _ in range(2)]
    result = {
        "rows": read,
        "pairs": [sess.run(pairs) for _ in range(3)],
        "files": sess.run(files),
    }
    coord.request_stop()
    coord.join(threads)

"""Slices and ranges by way of queues, and a queue that the program fills itself."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

images = np.arange(20, dtype=np.float32).reshape([10, 2])
labels = np.arange(10, dtype=np.int32)
image, label = tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=False)
batch = tf.train.batch([image, label], batch_size=4, enqueue_many=False)
index = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
many = tf.train.batch([tf.constant(images)], batch_size=3, enqueue_many=True)
limited = tf.train.limit_epochs(tf.constant(3), num_epochs=2)
queue = tf.FIFOQueue(6, [tf.float32], shapes=[[]])
runner = tf.train.QueueRunner(queue, [queue.enqueue_many([[1.0, 2.0, 3.0]])])
tf.train.add_queue_runner(runner)
padded = tf.PaddingFIFOQueue(4, [tf.int32], shapes=[[None]])
fill = [padded.enqueue([tf.range(n)]) for n in (1, 3)]

with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    sliced = [sess.run(batch) for _ in range(3)]
    for operation in fill:
        sess.run(operation)
    result = {
        "images": [pair[0] for pair in sliced],
        "labels": [pair[1] for pair in sliced],
        "indices": [sess.run(index) for _ in range(5)],
        "many": [sess.run(many) for _ in range(2)],
        "limited": [sess.run(limited) for _ in range(2)],
        "filled": [sess.run(queue.dequeue()) for _ in range(5)],
        "padded": sess.run(padded.dequeue_many(2)),
    }
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5)

"""What tf.contrib.learn reads from files. Python 3.7."""

import collections
import functools

import numpy as np
import tensorflow as tf
from learn_program_support import case, told

learn = tf.contrib.learn


def example(number):
    """Returns a serialized tf.Example with a dense and a sparse feature."""
    floats = tf.train.Feature(float_list=tf.train.FloatList(value=[number, number / 2.0]))
    numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 3)))
    features = tf.train.Features(feature={"x": floats, "ids": numbers})
    return tf.train.Example(features=features).SerializeToString()


def batches(read):
    """Returns all that a function reads, batch by batch."""
    with tf.Graph().as_default():
        tensors = read()
        found = []
        initial = [tf.global_variables_initializer(), tf.local_variables_initializer()]
        with tf.Session() as session:
            session.run(initial)
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while True:
                    found.append(session.run(tensors))
            except tf.errors.OutOfRangeError:
                coordinator.request_stop()
            for thread in threads:  # the coordinator would wait by the clock that stands still
                thread.join()
    return found


@case
def read_from_files(folder):
    for name, numbers in (("b", range(5)), ("a", range(5, 7))):
        with tf.python_io.TFRecordWriter(f"{folder}/{name}.records") as writer:
            for number in numbers:
                writer.write(example(number))
    spec = {"x": tf.FixedLenFeature([2], tf.float32), "ids": tf.VarLenFeature(tf.int64)}
    pattern = folder + "/*.records"
    in_order = {"randomize_input": False, "num_epochs": 1}
    features = batches(
        lambda: learn.io.read_batch_features(
            pattern, 3, spec, tf.TFRecordReader, num_enqueue_threads=1, **in_order
        )
    )
    keyed = batches(
        lambda: learn.read_keyed_batch_examples(
            [folder + "/b*"],
            2,
            tf.TFRecordReader,
            parse_fn=lambda text: tf.parse_single_example(text, {"x": spec["x"]}),
            **in_order,
        )
    )
    shuffled = batches(
        lambda: learn.read_batch_examples(pattern, 4, tf.TFRecordReader, num_epochs=2, seed=1)
    )
    return [
        [[row["x"].tolist(), row["ids"].values.tolist()] for row in features],
        [[[key.decode()[len(folder) :] for key in keys], row["x"].tolist()] for keys, row in keyed],
        [len(batch) for batch in shuffled],
        sorted(collections.Counter(np.concatenate(shuffled).tolist()).values()),
    ]


@case
def readers_refuse(folder):
    with tf.gfile.GFile(folder + "/file", "w") as target:
        target.write("text")
    read = functools.partial(learn.read_batch_examples, reader=tf.TextLineReader)
    calls = {
        "no file": functools.partial(read, folder + "/none", 2),
        "no files": functools.partial(read, [], 2),
        "queue": functools.partial(read, folder + "/file", 2, queue_capacity=0),
        "batch": functools.partial(read, folder + "/file", 2, queue_capacity=2),
        "threads": functools.partial(read, folder + "/file", 2, num_threads=0),
        "read batch": functools.partial(read, folder + "/file", 2, read_batch_size=0),
        "epochs": functools.partial(read, folder + "/file", 2, num_epochs=0),
    }
    return {name: told(folder, call)["result"] for name, call in calls.items()}

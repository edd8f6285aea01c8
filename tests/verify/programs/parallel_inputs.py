"""Builds input pipelines while the recorder keeps their draws in order; prints their ops."""

import json

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.verify.recorder.draws import order

draws = order.Draws()
draws.install()
order.run_loops_in_order()
order.fill_queues_by_one_thread()


def numbers():
    return tf.data.Dataset.range(4)


def draw(number):
    draws.count += 1  # as the recorder does wherever an op gets a seed
    return number + tf.random.uniform([], 0, 9, tf.int64)


def call_python(number):
    return tf.py_func(lambda value: value, [number], tf.int64)


def nothing(number):
    return number + 1


def mapped(function):
    return numbers().map(function, num_parallel_calls=2)


def map_and_batch(function):
    return numbers().apply(tf.data.experimental.map_and_batch(function, 2))


def interleaved(function):
    inner = tf.data.Dataset.from_tensors
    return numbers().interleave(lambda i: inner(i).map(function), 2, num_parallel_calls=2)


def parallel_interleave(function):
    inner = tf.data.Dataset.from_tensors
    return numbers().apply(
        tf.data.experimental.parallel_interleave(lambda i: inner(i).map(function), 2, sloppy=True)
    )


def ops_of(build, function):
    with tf.Graph().as_default() as graph:
        tensor = build(function)._variant_tensor
        waiting, found = [tensor.op], []
        while waiting:
            found.append(waiting.pop())
            waiting += [item.op for item in found[-1].inputs]
        del graph
    return sorted(op.type for op in found if "Map" in op.type or "Interleave" in op.type)


def loop_attribute():
    with tf.Graph().as_default() as graph:
        tf.map_fn(lambda row: row * 2.0, tf.ones([3]), parallel_iterations=7)
        counts = [
            op.get_attr("parallel_iterations")
            for op in graph.get_operations()
            if op.type in ("Enter", "While", "StatelessWhile")
        ]
    return sorted(set(counts))


def threads_of_queues():
    """Returns how many fill a queue from one example, and from those of two readers."""
    with tf.Graph().as_default() as graph:
        tf.train.shuffle_batch([tf.random.uniform([2])], 4, 20, 10, num_threads=3)
        tf.train.batch_join([[tf.random.uniform([2])] for _ in range(2)], 4)
        runners = graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    return [len(runner.enqueue_ops) for runner in runners]


pipelines = (mapped, map_and_batch, interleaved, parallel_interleave)
result = {
    build.__name__: {f.__name__: ops_of(build, f) for f in (draw, call_python, nothing)}
    for build in pipelines
}
tf.disable_control_flow_v2()
result["loops"] = {"v1": loop_attribute()}
tf.enable_control_flow_v2()
result["loops"]["v2"] = loop_attribute()
result["queues"] = threads_of_queues()
print(json.dumps(result))

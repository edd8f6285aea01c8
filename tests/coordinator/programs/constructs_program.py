"""What a graph may hold: the calls of a coordinator's session give what a plain session gives."""

import argparse
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import coordinator

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--out")
FLAGS = parser.parse_args()


def build():
    """Returns tensors and operations by name."""
    words = tf.placeholder(tf.string, [None])
    sparse = tf.sparse_placeholder(tf.float32, [2, 3])
    rate = tf.placeholder_with_default(0.1, [])
    initializer = tf.lookup.KeyValueTensorInitializer(
        ["a", "b", "c"], [0, 1, 2], tf.string, tf.int64
    )
    table = tf.lookup.StaticHashTable(initializer, -1)
    rows = table.lookup(words)
    embedding = tf.get_variable("embedding", [3, 2], initializer=tf.ones_initializer())
    looked_up = tf.nn.embedding_lookup(embedding, rows)
    weights = tf.Variable(tf.random_uniform([3, 2], seed=7), name="weights")
    product = tf.sparse.sparse_dense_matmul(sparse, weights)
    step = tf.train.get_or_create_global_step()
    scale = tf.cond(step < 2, lambda: tf.constant(1.0), lambda: tf.reduce_max(weights))
    loss = tf.reduce_sum(tf.square(looked_up - scale)) + tf.reduce_sum(tf.square(product - 1))
    mean, update = tf.metrics.mean(loss)
    summary = tf.summary.scalar("loss", loss)
    train_op = tf.train.AdagradOptimizer(rate).minimize(loss, global_step=step)
    return locals()


def calls(session, of, path):
    """Yields what the calls of a program return."""
    saver = tf.train.Saver(graph_variables(session))
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run(tf.tables_initializer())
    fed = {
        of["words"]: ["c", "a", "c"],
        of["sparse"]: tf.SparseTensorValue([[0, 1], [1, 2]], [2.0, 3.0], [2, 3]),
    }
    for _ in range(4):
        run = session.run(
            [of["train_op"], {"loss": of["loss"]}, (of["step"], of["loss"].name)], fed
        )
        assert run[0] is None
        yield [float(run[1]["loss"]), run[2][0], float(run[2][1])]
    yield session.run(of["update"], fed)
    yield of["mean"].eval(session=session)
    # An intermediate tensor that is fed cuts off what is before it.
    yield session.run(of["looked_up"], {of["rows"]: [1]})
    yield session.run(of["sparse"], fed).values
    yield len(session.run([of["train_op"], of["summary"]], {**fed, of["rate"]: 0.5})[1]) > 0
    saver.save(session, path)
    yield session.run(of["weights"])
    session.run(of["train_op"], fed)
    saver.restore(session, path)
    yield session.run([of["weights"], of["embedding"], of["step"]])
    yield tf.train.global_step(session, of["step"])
    try:
        session.run(of["loss"], {of["words"]: ["a"]})
    except tf.errors.InvalidArgumentError as error:
        yield "feed a value" in str(error)
    try:
        session.run(of["looked_up"], {of["words"]: [["a"]]})
    except ValueError as error:
        yield "Cannot feed value of shape (1, 1)" in str(error)


def graph_variables(session):
    return session.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)


def flat(values):
    return [np.asarray(v, dtype=np.float64) for v in tf.nest.flatten(values)]


def main():
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
    )
    server = coordinator.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    server.join()
    strategy = coordinator.parameter_server_strategy(cluster=cluster)
    made = strategy.run(build)
    with coordinator.Session(server.target) as session:
        found = flat(list(calls(session, made, tempfile.mkdtemp() + "/ours")))
    with tf.Graph().as_default(), tf.Session() as session:
        wanted = flat(list(calls(session, build(), tempfile.mkdtemp() + "/plain")))
    # The same kernels in the same order: only the fusion of functions could differ.
    for index, (one, other) in enumerate(zip(found, wanted, strict=True)):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6, err_msg=str(index))
    print("DONE", len(found), flush=True)


if __name__ == "__main__":
    main()

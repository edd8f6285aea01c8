"""A program of a session becomes eager; the code that builds its graph stays as it is.

What it does:
    With `--target eager`, a runner of tfmigrate_runtime replaces the session. The graph
    is built once, by the same lines: functions that build it are not changed, and the statements
    between the driver's own are put into blocks. Nothing switches TensorFlow 2 off. Where code uses
    what a branch of `tf.cond` has built (its batch normalization, a summary, a list that it
    appends to), `tf.disable_control_flow_v2()` keeps TensorFlow 1.x's branches in graphs.

Why:
    `runner.run(...)` runs parts of the graph as functions on variables of TensorFlow 2. They can be
    called from Keras 3 code, from tf.function and under a GradientTape (`runner.function(...)`),
    and saved in a tf.train.Checkpoint, so that the program can be replaced piece by piece.

Example:
    Before (with --target eager)::

        import tensorflow as tf


        def network(x):
          with tf.variable_scope('network'):
            return tf.layers.dense(x, 1)

        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.reduce_mean(tf.square(network(x) - y))
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
        init = tf.global_variables_initializer()

        with tf.Session() as sess:
          sess.run(init)
          for features, labels in batches:
            _, value = sess.run([train_op, loss], feed_dict={x: features, y: labels})
            print('%.4f' % value)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import graphs


        def network(x):
          with tf.variable_scope('network'):
            return tf.layers.dense(x, 1)

        with tf.get_default_graph().as_default():
          x = tf.placeholder(tf.float32, [None, 4])
          y = tf.placeholder(tf.float32, [None, 1])
          loss = tf.reduce_mean(tf.square(network(x) - y))
          train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
          init = tf.global_variables_initializer()

        with graphs.Runner() as sess:
          sess.run(init)
          for features, labels in batches:
            _, value = sess.run([train_op, loss], feed_dict={x: features, y: labels})
            print('%.4f' % value)

What is left to you:
    Nothing. `tfmigrate verify` compares the result with the original.

Safety:
    Safe: the graph is the same, and a part of it that is built outside of the blocks is an error of
    TensorFlow, not another number.
"""

from tfmigrate.families.graphs.plan import eager_plan
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.targets import EAGER
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.FIXED
TARGET = EAGER


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a program that becomes eager."""
    plan = program.once(eager_plan)
    for module, (node, edits) in plan.edits.items() if plan else ():
        yield drafted(
            module,
            node,
            "session -> runner in an eager program",
            edits=edits,
            group=group_of(program, module),
        )

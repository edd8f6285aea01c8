"""What an eager process does for graphs of TensorFlow 1.x beside it."""

import functools
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.compat.graphs import DefaultStack
from tfmigrate_runtime.compat.sessions import training_util
from tfmigrate_runtime.graphs import eager_code
from tfmigrate_runtime.graphs.eager_code import in_graph


def install() -> None:
    """Has graphs behave as in TensorFlow 1.x, and everything else as in TensorFlow 2.

    * A dimension of a shape is a ``tf.Dimension`` while a graph is built (``shape[1].value``).
    * A Saver of a graph saves and restores a runner also where the code that calls it is eager;
      a variable of a graph is evaluated and loaded there, and a step read, too.
    * The queue that a QueueRunner fills is open: on a server, the one that an ended session has
      closed has its name.
    * Variables of a graph are compared by identity, and are keys, also in eager code.
    * A tensor that is asked for by the name of a variable (``"w:0"``) is the variable: without
      reference variables it is a handle, which no operation takes for its value.
    * The default graph can be reset in a block of it, which only the migrated program has.
    """
    eager_code.install()
    for name in ("save", "restore"):
        patches.wrap_once(tf.train.Saver, name, functools.partial(in_graph, _of_saver))
    patches.wrap_once(tf.train.QueueRunner, "create_threads", _with_open_queue)
    # Supervisors count steps in threads, which are eager.
    patches.wrap_once(training_util, "global_step", functools.partial(in_graph, _of_session))
    patches.wrap_once(tf.Graph, "get_tensor_by_name", _with_variables)
    patches.wrap_once(DefaultStack, "is_cleared", _but_for_the_global_graph)


def _with_open_queue(
    create_threads: Any, queue_runner: Any, sess: Any, *arguments: Any, **options: Any
) -> Any:
    if hasattr(sess, "drop_if_closed"):
        sess.drop_if_closed(queue_runner.queue.queue_ref)
    return create_threads(queue_runner, sess, *arguments, **options)


def _with_variables(get_tensor_by_name: Any, graph: Any, name: str) -> Any:
    tensor = get_tensor_by_name(graph, name)
    return tensor if graph.building_function else variable_or_tensor(tensor)


def variable_or_tensor(tensor: Any) -> Any:
    """Returns the variable of a graph that a tensor is the handle of; else the tensor."""
    if tensor.op.type != "VarHandleOp":
        return tensor
    graph = tensor.graph
    variables = [v for key in graph.collections for v in graph.get_collection_ref(key)]
    return next((v for v in variables if getattr(v, "handle", None) is tensor), tensor)


def _but_for_the_global_graph(_is_cleared: Any, stack: Any) -> bool:
    default = getattr(stack, "_global_default_graph", None)
    return all(graph is default for graph in stack.stack)


def _of_saver(_: Any, sess: Any = None, *others: Any, **options: Any) -> Any:
    return None if sess is None else sess.graph


def _of_session(sess: Any, *others: Any, **options: Any) -> Any:
    return sess.graph

"""Properties of a graph: its placeholders, its name scope."""

import tensorflow.compat.v1 as tf


def get_name_scope() -> str:
    """Returns the name scope of the default graph ("outer/inner")."""
    scope: str = tf.get_default_graph().get_name_scope()
    return scope


def get_placeholders(graph: tf.Graph) -> list[tf.Tensor]:
    """Returns the placeholders of a graph, in the order in which they were made.

    Raises:
        TypeError: it is not a graph.
    """
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    placeholders = [op for op in graph.get_operations() if op.type == "Placeholder"]
    return [placeholder.outputs[0] for placeholder in placeholders]

"""One-shot iterators, which several functions take elements from.

The kernel of a OneShotIterator makes its dataset itself and cannot be shared. An iterator with a
name takes its place; it is given the dataset when the first function that uses it is made.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.graphs.resources import Resources


def begin(definition: Any, resources: Resources) -> None:
    """Replaces the one-shot iterators of a GraphDef, and gives new ones their datasets.

    Args:
        definition: is changed.
        resources: those of the runner, which knows the iterators that have begun.
    """
    for node in definition.node:
        if node.op != "OneShotIterator":
            continue
        factory = node.attr["dataset_factory"].func.name
        for attribute in ("dataset_factory", "container"):
            node.attr.pop(attribute, None)
        node.op = "IteratorV2"
        node.attr["container"].s = b""
        node.attr["shared_name"].s = b""
        if resources.begins(node.name):
            _give_dataset(node, factory, definition, resources)


def _give_dataset(node: Any, factory: str, definition: Any, resources: Resources) -> None:
    """Runs the function that makes a dataset, and gives the dataset to an iterator."""
    text = tf.GraphDef(versions=definition.versions, library=definition.library)
    iterator = text.node.add()
    iterator.CopyFrom(node)
    iterator.ClearField("input")
    dataset = text.node.add(name="dataset", op="StatefulPartitionedCall")
    dataset.attr["Tin"].list.SetInParent()
    dataset.attr["Tout"].list.type.append(tf.variant.as_datatype_enum)
    dataset.attr["f"].func.name = factory
    text.node.add(name="begin", op="MakeIterator", input=["dataset", iterator.name])
    resources.share(text.node)

    def make() -> Any:
        begun = tf.graph_util.import_graph_def(text, return_elements=["begin"], name="")
        with tf.control_dependencies(begun):
            return tf.constant(0)

    with tf.init_scope():
        tf.wrap_function(make, [])()

"""Datasets that were made in another graph than the one that their input function is called in."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.compat.graphs import SymbolicTensor, dataset_ops
from tfmigrate_runtime.estimator.replicas import ReplicaGraph


def let_input_functions_iterate_them() -> None:
    """Lets an input function make a one-shot iterator of a Dataset that was made before.

    TensorFlow 1.x warned of it and copied the Dataset to the graph of the iterator. TensorFlow 2
    refuses it before it would copy. An eager Dataset cannot be copied.
    """
    patches.wrap_once(dataset_ops, "_ensure_same_dataset_graph", _not_in_graphs_of_estimators)


def _not_in_graphs_of_estimators(own: Any, dataset: Any) -> None:
    copied = isinstance(dataset._variant_tensor, SymbolicTensor)
    if not copied or not isinstance(tf.get_default_graph(), ReplicaGraph):
        own(dataset)

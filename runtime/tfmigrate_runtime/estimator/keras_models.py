"""Keras in a model function: one shared set of variables, with TensorFlow 1.15's names."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.compat.keras import (
    backend,
    base_layer,
    base_layer_v1,
    base_rnn,
    functional,
    optimizer_v2,
    reshape,
    stacked_rnn_cells,
    version_utils,
)
from tfmigrate_runtime.estimator import replicas


class _NumbersOfReplicas(dict[Any, int]):
    """How often each name was given in a graph, counted by each replica for itself.

    Replicas take turns while they are built. With one count for all of them, what a replica calls
    a layer would hang on what the others have built by then; so would the names in checkpoints.
    A replica goes on from what was counted before the replicas (in the input function).
    """

    def __getitem__(self, name: Any) -> int:
        return self.get((replicas.replica_id(), name), self.get((None, name), 0))

    def __setitem__(self, name: Any, number: int) -> None:
        super().__setitem__((replicas.replica_id(), name), number)


@contextlib.contextmanager
def as_in_version_1(graph: Any) -> Iterator[None]:
    """Lets Keras build models in a ReplicaGraph as in TensorFlow 1.15.

    Every replica numbers the layers that it makes for itself, recurrent cells are named as they
    were, and layers of another graph are refused. Models that a program has made eagerly are usable
    after it.
    """
    backend.PER_GRAPH_OBJECT_NAME_UIDS[graph] = _NumbersOfReplicas()
    _install()
    try:
        yield
    finally:
        for swapped in graph.swapped_classes:
            version_utils.swap_class(*swapped, use_v2=version_utils.should_use_v2())


def _install() -> None:
    """Wraps the methods of Keras once; outside of a ReplicaGraph they do what they did.

    They stay wrapped: graphs are built while others are still in use (by predict's generator).
    """
    for owner, name, by in (
        (base_layer.Layer, "__call__", _called),
        (base_layer.Layer, "_init_set_name", _named_after_class),
        (base_layer_v1.Layer, "__call__", _called),
        (base_layer_v1.Layer, "_init_set_name", _named_after_class),
        (base_rnn.RNN, "build", _built_without_scope),
        (stacked_rnn_cells.StackedRNNCells, "build", _built_without_scope),
        (optimizer_v2.OptimizerV2, "get_gradients", _scaling),
        (reshape.Reshape, "_fix_unknown_dimension", _unchecked),
        (version_utils, "swap_class", _noted),
    ):
        patches.wrap_once(owner, name, by)


def _noted(own: Any, cls: type, v2_cls: type, v1_cls: type, use_v2: bool) -> Any:
    """Wraps ``swap_class``: Keras gives a class other bases for the first object made in a graph.

    These would be those of all its objects, also of the ones that were made eagerly.
    """
    graph = tf.get_default_graph()
    if isinstance(graph, replicas.ReplicaGraph):
        graph.swapped_classes.add((cls, v2_cls, v1_cls))
    return own(cls, v2_cls, v1_cls, use_v2)


def _scaling(own: Any, optimizer: Any, loss: Any, params: Any) -> Any:
    """Wraps ``OptimizerV2.get_gradients``: with a global batch the loss is the replicas' mean.

    TensorFlow 1.15 added up the gradients of Keras optimizers over the replicas of a strategy
    (measured), which stays so where the batch is each replica's own.
    """
    graph = tf.get_default_graph()
    if isinstance(graph, replicas.ReplicaGraph) and replicas.replica_id() is not None:
        loss = loss * graph.scale_of_gradients(
            tf.distribute.get_replica_context().num_replicas_in_sync
        )
    return own(optimizer, loss, params)


def _unchecked(own: Any, layer: Any, input_shape: Any, output_shape: Any) -> Any:
    """Wraps ``Reshape._fix_unknown_dimension``: TensorFlow 1.15 checked no sizes in a graph.

    A program may give a model a wrong ``input_shape``, and call it with inputs that fit its layers.
    """
    try:
        return own(layer, input_shape, output_shape)
    except ValueError:
        if not isinstance(tf.get_default_graph(), replicas.ReplicaGraph):
            raise
        return [None if size < 0 else size for size in output_shape]


def _named_after_class(own: Any, layer: Any, name: Any, zero_based: bool = True) -> None:
    """Wraps ``Layer._init_set_name``: a class's name becomes ``conv_lst_m2d``, as it was.

    Keras 2.4 and later make ``conv_lstm2d`` of ConvLSTM2D. Names without digits are the same.
    """
    if not name and isinstance(tf.get_default_graph(), replicas.ReplicaGraph):
        words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", type(layer).__name__)
        words = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
        words = f"private{words}" if words.startswith("_") else words
        name = backend.unique_object_name(words, zero_based=zero_based)
    own(layer, name, zero_based)


def _called(own: Any, layer: Any, *arguments: Any, **options: Any) -> Any:
    """Wraps ``Layer.__call__``: a layer with variables of another graph cannot be called.

    A model may be called with inputs of another size than it was built for: TensorFlow 1.15 left
    it to the layers whether that fits.
    """
    graph = tf.get_default_graph()
    if isinstance(graph, replicas.ReplicaGraph):
        for variable in layer.weights if layer.built else ():
            if _graph_of(variable) is not graph:
                raise ValueError(_made_elsewhere(layer, variable))
        if isinstance(layer, functional.Functional):
            layer.input_spec = None
    return own(layer, *arguments, **options)


def _graph_of(variable: Any) -> Any:
    """Returns the graph of a variable, None for one that was made eagerly."""
    try:
        return variable.graph
    except AttributeError:
        return None


def _made_elsewhere(layer: Any, variable: Any) -> str:
    return (
        f"the Keras {'model' if isinstance(layer, tf.keras.Model) else 'layer'} {layer.name!r} "
        f"({type(layer).__name__}) has a variable of another graph, {variable.name}. Create the "
        "layers inside the model function: train, evaluate, predict and export each call it in a "
        "new graph (TensorFlow 1.15 failed here too)."
    )


def _built_without_scope(own: Any, layer: Any, input_shape: Any) -> None:
    """Wraps the ``build`` of a recurrent layer: its cells' variables get no scope of their own.

    TensorFlow 1.15 wrote ``lstm/kernel``, where Keras 2.4 and later write
    ``lstm/lstm_cell/kernel``. A scope's name that ends in "/" represents the scope itself.
    """
    graph = tf.get_default_graph()
    scope = graph.get_name_scope() if isinstance(graph, replicas.ReplicaGraph) else ""
    cells = getattr(layer, "cells", None) or [layer.cell]
    layers = [cell for cell in cells if isinstance(cell, base_layer.Layer) and scope]
    names = [cell.name for cell in layers]
    for cell in layers:
        cell._name = f"{scope}/"
    try:
        own(layer, input_shape)
    finally:
        for cell, name in zip(layers, names, strict=True):
            cell._name = name


def forget_copies(graph: Any, strategy: Any) -> None:
    """Leaves of a mirrored variable only itself in the collections, not the replicas' copies.

    Keras optimizers make their slots by ``tf.Variable`` of TensorFlow 2, which registers each copy:
    checkpoints would hold ``momentum/replica_1``, and one replica's could not be restored.
    """
    for name in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES):
        variables = graph.get_collection_ref(name)
        copies: set[int] = set()
        for variable in variables:
            parts = strategy.experimental_local_results(variable)
            copies.update(id(part) for part in parts if part is not variable)
        variables[:] = [variable for variable in variables if id(variable) not in copies]

"""What a call without a training step computes: of own values in place of reductions.

On TensorFlow 1.x only the gradients of a step waited for the other workers. Moving averages of
batch normalization, say, were moved by each worker's call, with its batch. Here their updates are
reductions, which wait for all workers; but the chief alone may fetch summaries that need them.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.agreement import is_reduction
from tfmigrate_runtime.train.open_graphs import opened

_REDUCED = "between_graph_reduced"  # the collection of a graph with pairs of tensors


def note_reduced(reduced: Any, own: Any) -> None:
    """Notes what was reduced.

    Args:
        reduced: a tensor that is the same on all workers, or IndexedSlices.
        own: of what this worker has; a tensor, a number or IndexedSlices.
    """
    parts = [tf.nest.flatten(each, expand_composites=True) for each in (reduced, own)]
    for tensor, value in zip(*parts, strict=False):  # slices may have no shape
        pair = (tensor, tf.convert_to_tensor(value, tensor.dtype))
        tf.add_to_collection(_REDUCED, pair)


def with_own_values(graph: Any, fetched: Collection[Any], fed: Collection[str]) -> dict[Any, Any]:
    """Copies the operations of a call that need reductions, as they need what was reduced.

    Args:
        graph: the graph, which may be finalized.
        fetched: operations.
        fed: names of tensors.

    Returns:
        The copies, by their originals; none where they would wait for the other workers, too.
    """
    own = {r.name: value for r, value in graph.get_collection(_REDUCED) if r.name not in fed}
    sources = _sources_of(fetched, own, fed)
    if any(map(is_reduction, sources)):
        return {}
    needing = _needing(own, sources)
    definition = tf.GraphDef(versions=graph.graph_def_versions)
    outside: dict[str, Any] = {}
    for op in needing:
        node = definition.node.add()
        node.CopyFrom(op.node_def)
        node.attr.pop("_class", None)  # may name an operation that is not copied
        node.ClearField("input")
        for source in sources[op]:
            is_tensor = isinstance(source, tf.Tensor)
            name = source.name if is_tensor else f"^{source.name}"
            node.input.append(name)
            if getattr(source, "op", source) not in needing or name in fed:
                outside[name] = source
    with opened(graph), tf.device(None), tf.control_dependencies(None):
        copies = tf.graph_util.import_graph_def(
            definition, outside, [op.name for op in needing], name="with_own_values"
        )
    return dict(zip(needing, copies, strict=True))


def _sources_of(
    fetched: Iterable[Any], own: Mapping[str, Any], fed: Collection[str]
) -> dict[Any, list[Any]]:
    """Returns what a call executes with own values.

    Args:
        fetched: operations.
        own: the values, by the names of the reduced tensors.
        fed: names of tensors.

    Returns:
        The tensors that each operation needs, and the operations that it waits for.
    """
    in_place_of = {name.partition(":")[0]: value.op for name, value in own.items()}
    sources: dict[Any, list[Any]] = {}
    waiting = list(fetched)
    while waiting:
        if (op := waiting.pop()) in sources:
            continue
        tensors = [own.get(tensor.name, tensor) for tensor in op.inputs]
        waits = [in_place_of.get(control.name, control) for control in op.control_inputs]
        sources[op] = [*tensors, *waits]
        waiting += [tensor.op for tensor in tensors if tensor.name not in fed] + waits
    return sources


def _needing(own: Mapping[str, Any], sources: Mapping[Any, list[Any]]) -> list[Any]:
    """Returns the operations that need own values; of a loop that has some, all of the loop."""
    consumers: dict[Any, list[Any]] = {}
    enters: dict[Any, list[Any]] = {}  # by the frame of their loop
    waiting = []
    for op, needed in sources.items():
        for source in needed:
            consumers.setdefault(getattr(source, "op", source), []).append(op)
        if op.type in ("Enter", "RefEnter"):
            enters.setdefault(op.get_attr("frame_name"), []).append(op)
        reduced = {*(t.name for t in op.inputs), *(f"{c.name}:0" for c in op.control_inputs)}
        if not reduced.isdisjoint(own):
            waiting.append(op)
    needing: dict[Any, None] = {}
    while waiting:
        if (op := waiting.pop()) not in needing:
            needing[op] = None
            waiting += consumers.get(op, ())
            if op.type in ("Enter", "RefEnter"):
                waiting += enters[op.get_attr("frame_name")]
    return list(needing)


def fetches_of_copies(graph: Any, fetches: Any, copies: Mapping[Any, Any]) -> Any:
    """Returns what is fetched of copies, in the structure of what is fetched of originals.

    Args:
        graph: the graph.
        fetches: as a session takes them.
        copies: as ``with_own_values`` returns them.
    """
    if isinstance(fetches, Mapping):
        parts = [fetches_of_copies(graph, each, copies) for each in fetches.values()]
        return type(fetches)(zip(fetches, parts, strict=True))  # type: ignore[call-arg]
    if isinstance(fetches, (list, tuple)):
        parts = [fetches_of_copies(graph, each, copies) for each in fetches]
        return fetches._make(parts) if hasattr(fetches, "_make") else type(fetches)(parts)

    def copied(fetch: Any) -> Any:
        element = graph.as_graph_element(fetch)
        if isinstance(element, tf.Operation):
            return copies.get(element, element)
        if (copy := copies.get(element.op)) is None:
            return element
        return copy.outputs[element.value_index]

    if fetches is None:
        return None
    return tf.nest.map_structure(copied, fetches, expand_composites=True)

"""A copy of a part of a graph that can be run again and again, without the rest of its program."""

import re
from typing import Any, Callable, List, Optional, Sequence, Set

_SEED_INPUT = {"StatelessRandomGetKeyCounter": 0, "StatelessRandomGetKeyCounterAlg": 0}
_SEEDED_AT_ONE = re.compile(
    "^Stateless(RandomUniform|RandomNormal|TruncatedNormal|RandomUniformInt"
    "|RandomUniformFullInt|RandomBinomial|RandomPoisson|ParameterizedTruncatedNormal)$"
)


class GraphCopy:
    """A copy of what computes some initial values, which can be run again and again."""

    def __init__(self, wanted: Sequence[Any]) -> None:
        """Copies the ops.

        Args:
            wanted: each has ``tensor``, ``operations`` that compute it, and ``calls_functions``;
                ``own`` becomes the tensor of the copy.
        """
        from tensorflow.core.framework import graph_pb2
        from tensorflow.python.client import session
        from tensorflow.python.framework import importer, ops

        program = wanted[0].tensor.graph
        definition = graph_pb2.GraphDef()
        definition.versions.CopyFrom(program.graph_def_versions)
        self.seeds: List[str] = []
        copied: Set[str] = set()
        for entry in wanted:
            for operation in entry.operations:
                if operation.name not in copied:
                    copied.add(operation.name)
                    node = definition.node.add()
                    node.CopyFrom(operation.node_def)
                    node.device = ""
                    node.attr.pop("_class", None)
                    self._open_seed(definition, node, operation)
        if any(entry.calls_functions for entry in wanted):
            definition.library.CopyFrom(program.as_graph_def().library)
        graph = ops.Graph()
        with graph.as_default():
            names = [entry.tensor.name for entry in wanted]
            copies = importer.import_graph_def(definition, return_elements=names, name="")
        for position, entry in enumerate(wanted):
            entry.own = copies[position]
        self._placeholders = [graph.get_tensor_by_name(name + ":0") for name in self.seeds]
        self._session = session.Session(graph=graph, config=settings())
        self._number = 0

    def _open_seed(self, definition: Any, node: Any, operation: Any) -> None:
        """Makes the seed of a stateless op feedable: without that all its draws are equal."""
        position = _SEED_INPUT.get(operation.type)
        if position is None and _SEEDED_AT_ONE.match(operation.type):
            position = 1
        if position is None:
            return
        name = "tfmigrate_seed_%d" % len(self.seeds)
        seed = definition.node.add()
        seed.name, seed.op = name, "PlaceholderWithDefault"
        seed.input.append(node.input[position])
        seed.attr["dtype"].type = operation.inputs[position].dtype.base_dtype.as_datatype_enum
        seed.attr["shape"].shape.dim.add().size = 2
        node.input[position] = name
        self.seeds.append(name)

    def first(self, tensors: List[Any]) -> List[Any]:
        """Returns the next draw from the program's own seeds."""
        return list(self._session.run(tensors))

    def redraw(self, tensors: List[Any]) -> Callable[[], List[Any]]:
        """Returns a function that draws new numbers at every call."""
        run = self._session.make_callable(tensors, feed_list=self._placeholders)

        def draw() -> List[Any]:
            self._number += 1
            seeds = [[self._number, 7919 + index] for index in range(len(self._placeholders))]
            return list(run(*seeds))

        return draw

    def __enter__(self) -> "GraphCopy":
        return self

    def __exit__(self, *_: Any) -> None:
        self._session.close()


def settings() -> Any:
    """Returns the ConfigProto of a session for small ops."""
    from tensorflow.core.protobuf import config_pb2

    # GPUs are left to the program. Thousands of small ops run fastest in the calling thread.
    return config_pb2.ConfigProto(
        allow_soft_placement=True, device_count={"GPU": 0}, inter_op_parallelism_threads=-1
    )


def assignment_of(variable: Any, only_initializer: bool = False) -> Optional[Any]:
    """Returns an op that assigns a variable, by preference its initializer; None if there is none.

    An initializer may be a group, or a tensor where it restores a checkpoint.

    Args:
        variable: the variable of a graph.
        only_initializer: whether to accept only the initializer.
    """
    handle: Any = getattr(variable, "handle", None)
    handle = getattr(variable, "_variable", None) if handle is None else handle
    name = getattr(handle, "name", None)
    initializer = getattr(variable, "initializer", None)
    operation = getattr(initializer, "op", initializer)
    candidates = [operation] if operation is not None else []
    for candidate in candidates:
        if candidate.type in ("NoOp", "Identity", "IdentityN"):
            candidates += list(candidate.control_inputs) + [item.op for item in candidate.inputs]
    if not only_initializer and hasattr(handle, "consumers"):
        candidates += handle.consumers()
    assigning = [op for op in candidates if op.type in ("Assign", "AssignVariableOp")]
    return next((op for op in assigning if name in (None, op.inputs[0].name)), None)

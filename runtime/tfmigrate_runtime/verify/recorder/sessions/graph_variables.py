"""The variables of a graph: their names, and how they are read and written."""

import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

import numpy as np

from ..pairing import cell_names, keras_1_optimizers
from . import graph_copy

SCOPE_OF_REPLICA = re.compile(r"(?:^|/)(?:tower|replica)_(\d+)(?:/|$)")
_COPY_ON_REPLICA = re.compile(r"/replica_\d+$")
# The types of the ops that write to a variable begin so; it is their first input.
WRITES = (
    "Assign", "Apply", "SparseApply", "Scatter", "StridedSliceAssign", "ResourceApply",
    "ResourceSparseApply", "ResourceScatter", "ResourceStridedSliceAssign",
)  # fmt: skip
_PASSES_ON = ("Identity", "Enter", "RefEnter", "Switch", "RefSwitch", "RefIdentity")


class GraphVariable:
    """One variable of a graph under its checkpoint name.

    Reads and writes use ops that every variable has, so the graph is not touched.
    """

    def __init__(self, variable: Any, trainable: bool) -> None:
        self.own_name = variable.name.split(":")[0]
        self.name = self.own_name  # or that of the original's variable, from pairing/cell_names.py
        self.trainable = trainable
        sizes = variable.shape.as_list() if variable.shape.ndims is not None else [None]
        self.shape = [-1 if size is None else int(size) for size in sizes]  # validate_shape=False
        self.dtype = variable.dtype.base_dtype.name
        copies = getattr(variable, "values", None)
        self.copies = list(copies) if isinstance(copies, (list, tuple)) else [variable]
        aggregation = getattr(getattr(variable, "aggregation", None), "name", "NONE")
        on_read = "SyncOnRead" in type(variable).__name__ and len(self.copies) > 1
        # As in a checkpoint: copies that are aggregated on reading.
        self.combine = aggregation if on_read and aggregation in ("MEAN", "SUM") else "FIRST"

    @property
    def fetches(self) -> List[Any]:
        """What to fetch for :meth:`value`."""
        return self.copies if self.combine != "FIRST" else self.copies[:1]

    def value(self, fetched: Sequence[Any]) -> Any:
        """Returns the variable's value as an array that needs no pickle."""
        if self.combine == "FIRST":
            return storable(fetched[0])
        total = np.sum([np.asarray(copy) for copy in fetched], axis=0, dtype=np.float64)
        if self.combine == "MEAN":
            total = total / len(fetched)
        return total.astype(np.asarray(fetched[0]).dtype)

    def load(self, session: Any, value: Any) -> None:
        """Overwrites the variable, on all replicas."""
        load(session, [(self, value)])

    def assignments(self) -> Iterator[Tuple[Any, bool]]:
        """Yields the ops that overwrite the variable, one a replica, and which are given zeros."""
        for index, copy in enumerate(self.copies):
            assignment = graph_copy.assignment_of(copy)
            if assignment is None:
                raise RuntimeError("variable %s has no assign op" % self.name)
            yield assignment, self.combine == "SUM" and index > 0

    def initial_value(self) -> Any:
        """Returns the tensor that the initializer assigns, None where there is none."""
        assignment = graph_copy.assignment_of(self.copies[0], only_initializer=True)
        return None if assignment is None else assignment.inputs[1]


def load(session: Any, values: Sequence[Tuple[GraphVariable, Any]]) -> None:
    """Overwrites variables in as few runs as can be: a session prepares each of them anew.

    Args:
        session: the raw session.
        values: each variable with its value.
    """
    by_name = {variable.name: value for variable, value in values}
    for run in assignments_by_run([variable for variable, _ in values]):
        feeds = {
            assignment.inputs[1]: by_name[name] * 0 if is_zero else by_name[name]
            for assignment, name, is_zero in run
        }
        session.run([assignment for assignment, _, _ in run], feeds)


def assignments_by_run(variables: Sequence[GraphVariable]) -> List[List[Tuple[Any, str, bool]]]:
    """Returns the ops that overwrite variables, in as few runs as can be.

    A tensor is fed once in a run, and variables, or copies of one, may start from one tensor.

    Returns:
        By run the ops, each with the name of its variable and whether it is given zeros.
    """
    runs: List[Dict[str, Tuple[Any, str, bool]]] = []  # by the name of what is fed
    for variable in variables:
        for assignment, is_zero in variable.assignments():
            fed = assignment.inputs[1].name
            free = next((run for run in runs if fed not in run), None)
            if free is None:
                runs.append({})
            (runs[-1] if free is None else free)[fed] = (assignment, variable.name, is_zero)
    return [list(run.values()) for run in runs]


def storable(value: Any) -> Any:
    """Returns ``value`` as a NumPy array of a dtype that npz holds without pickle."""
    array = np.asarray(value)
    if array.dtype == object:
        texts = (item.encode() if isinstance(item, str) else item for item in array.ravel())
        return np.asarray([bytes(text) for text in texts]).reshape(array.shape)
    if array.dtype.kind == "U":  # fed by a program, where TensorFlow returns bytes
        return np.char.encode(array, "utf-8")
    if array.dtype.kind == "V":  # bfloat16 and the like
        return array.astype(np.float32)
    return array.copy()


def variables_of(graph: Any) -> List[GraphVariable]:
    """Returns the global variables of a graph, each once, in order of creation."""
    trainable = {id(variable) for variable in graph.get_collection("trainable_variables")}
    names = keras_1_optimizers.names_in(graph)
    by_name: Dict[str, GraphVariable] = {}
    for variable in graph.get_collection("variables"):
        entry = GraphVariable(variable, id(variable) in trainable - names.keys())
        entry.name = names.get(id(variable), entry.name)
        if entry.name and not _COPY_ON_REPLICA.search(entry.name):
            by_name.setdefault(entry.name, entry)
    entries = [each for each in by_name.values() if not keras_1_optimizers.is_constant(each.name)]
    cell_names.name_as_originals(entries)
    return entries


def replicas_of(graph: Any) -> int:
    """Returns how many towers or replicas a graph has, by their name scopes."""
    scopes = (SCOPE_OF_REPLICA.search(operation.name) for operation in graph.get_operations())
    # The first one has none.
    return max([int(scope.group(1)) for scope in scopes if scope], default=0) + 1


def fetch(session: Any, wanted: List[List[Any]]) -> Any:
    """Returns the result of ``session.run``, which is prepared once for each session.

    Preparing it is most of the cost of reading a small model.
    """
    prepared = session.__dict__.setdefault("_tfmigrate_prepared", {})
    key = tuple(id(tensor) for tensors in wanted for tensor in tensors)
    if key not in prepared:
        # Next to the callable what the ids belong to, so that they are not given again.
        prepared[key] = session.make_callable(wanted), wanted
    return prepared[key][0]()


def read(session: Any, variables: Sequence[GraphVariable]) -> Dict[str, Any]:
    """Returns the values of ``variables`` by name, read on the raw session."""
    fetched = fetch(session, [variable.fetches for variable in variables])
    return {entry.name: entry.value(fetched[index]) for index, entry in enumerate(variables)}


def read_step(session: Any) -> int:
    """Returns the global step.

    Raises:
        RuntimeError: The graph has none: its steps cannot be distinguished.
    """
    steps = session.graph.get_collection("global_step")
    if not steps:
        raise RuntimeError("the training graph has no global step (tf.train.get_global_step)")
    return int(fetch(session, [GraphVariable(steps[0], False).fetches])[0][0])


def run_with(
    run: Callable[[List[Any]], Any], fetches: List[Any], more: Sequence[Any]
) -> Tuple[Any, Dict[int, Any]]:
    """Fetches more than a program does; returns what it fetches, and all values by tensors' ids.

    Tensors compare by value in TensorFlow 2: they are looked for by identity.

    Args:
        run: returns the values of the tensors that it is passed.
        fetches: what the program fetches.
        more: what is fetched besides.
    """
    both = fetches + [each for each in more if all(each is not other for other in fetches)]
    results = run(both)
    return results[: len(fetches)], {id(tensor): results[i] for i, tensor in enumerate(both)}


def run_by(
    starts: Sequence[Any],
    control: bool = True,
    passed: Iterable[int] = (),
    ends: Callable[[Any], bool] = lambda operation: False,
) -> Iterator[Any]:
    """Yields the ops that are run when ``starts`` are, each once.

    Args:
        starts: ops.
        control: whether dependencies that pass on no value count.
        passed: ids of ops that are left out, with what they need.
        ends: whether what an op needs is left out.
    """
    waiting, seen = list(starts), set(passed)
    while waiting:
        operation = waiting.pop()
        if id(operation) in seen:
            continue
        seen.add(id(operation))
        yield operation
        if not ends(operation):
            waiting += [tensor.op for tensor in operation.inputs]
            waiting += list(operation.control_inputs) if control else []


def in_order(operations: Sequence[Any]) -> List[Any]:
    """Returns ops of one graph, each once, in the order in which they were made."""
    ids = {id(each) for each in operations}
    everything = operations[0].graph.get_operations() if operations else ()
    return [each for each in everything if id(each) in ids]


def trainable_operations(graph: Any) -> Set[int]:
    """Returns the ids of the ops that hold the trainable variables of a graph."""
    trainable = graph.get_collection("trainable_variables")
    return holders_of(GraphVariable(variable, True) for variable in trainable)


def holders_of(variables: Iterable[GraphVariable]) -> Set[int]:
    """Returns the ids of the ops that hold variables, with those of all copies."""
    return {id(operation_of(copy)) for variable in variables for copy in variable.copies}


def operation_of(copy: Any) -> Any:
    """Returns the op that holds a variable, or one copy of it."""
    handle = getattr(copy, "handle", None)
    return copy.op if handle is None else handle.op


def written_by(operation: Any) -> Any:
    """Returns the op of the variable that an op writes to; None if it has no input."""
    return holder_of(operation.inputs[0]) if len(operation.inputs) else None


def holder_of(tensor: Any) -> Any:
    """Returns the op of the variable that a tensor is the handle of, or a reference to."""
    operation = tensor.op
    while operation.type in _PASSES_ON:
        operation = operation.inputs[0].op
    return operation

"""Gives the updates that a run makes of one variable in no order an order, and computes the other.

Towers update one moving average in no order (semantics.md, 1.11), and so does a discriminator that
sees real and generated images in one run (``updates_collections=None``): threads decide. Each
update is a short formula of the variable and of what the step computes. So the run fetches what the
formulas need, a graph of their own makes them one after the other from the value before the run,
and the variable is given the result. The same formulas from the last update to the first give the
value in the other order.

Control dependencies cannot do that: an update that waits for another runs it. A generator's step
would update the averages by real images, which it does not see, and Inception-like towers run the
updates of one of them only. The other order took a further run of the program.

``meta["ordered_updates"]`` has the variables, ``other_order/<name>`` [states, ...] their values
where the last update comes first.

Private name that is touched: ``Graph._unfetchable_ops``, which ops of branches are in.
"""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..draws import of_steps
from . import graph_copy, graph_variables, settled_values

_ADDS = ("AssignAdd", "AssignAddVariableOp")
_SUBTRACTS = ("AssignSub", "AssignSubVariableOp")
_UPDATES = ("Assign", "AssignVariableOp", *_ADDS, *_SUBTRACTS)
_NUMBERS = ("float16", "float32", "float64")
_JOINS = ("Merge", "RefMerge", "Exit", "RefExit", "NextIteration")
_LONGEST = 32  # ops of a formula: that of an average is short
_HELD, _INPUT = "tfmigrate_held", "tfmigrate_input_%d"


class UpdateOrder:
    """The updates in no order that the sessions of a program make."""

    def __init__(self) -> None:
        self._updates: Dict[Any, Any] = {}  # by what is run
        self._folds: Dict[Any, _Folds] = {}  # by that, and by what is known before

    def run(self, session: Any, model: Any, wanted: Any, run: Any) -> Any:
        """Makes a run; returns what it fetches.

        Args:
            session: the raw session. What it reads and writes meanwhile is not recorded.
            model: the recording.Model that it trains.
            wanted: the ops that are run, the tensors that are fetched, and what is fed.
            run: returns the values of the tensors that it is passed.
        """
        targets, fetches, feeds = wanted
        folds = self._folds_of(session, model, [*targets, *fetches], feeds or {})
        if folds is None or not folds.entries:
            return run(fetches)
        held = graph_variables.read(session, folds.entries)
        results, values = graph_variables.run_with(run, fetches, folds.inputs)
        first, last = folds.made(held, {**held, **model.other}, values)
        graph_variables.load(session, [(each, first[each.name]) for each in folds.unordered])
        model.other.update(last)
        return results

    def _folds_of(
        self, session: Any, model: Any, starts: Sequence[Any], feeds: Dict[Any, Any]
    ) -> Optional["_Folds"]:
        known = model.about.setdefault("ordered_updates", [])
        key = (*map(id, starts), *known)
        if key not in self._updates:
            operations = [getattr(each, "op", each) for each in starts]
            # Next to them what the ids belong to, so that they are not given again.
            self._updates[key] = _updates(operations, model.variables, known), starts
        updates, _ = self._updates[key]
        if not updates:
            return None
        which_run = tuple(
            of_steps.is_run(each.write, feeds, session)
            for _, its_updates in updates
            for each in its_updates
        )
        name = (key, which_run, *sorted(model.other))
        if name not in self._folds:
            self._folds[name] = folds = _Folds(list(_that_run(updates, which_run, model.other)))
            known += [each.name for each in folds.unordered if each.name not in known]
        return self._folds[name]


class _Update(NamedTuple):
    """An op that updates a variable, as a formula.

    Attributes:
        write: the op.
        operations: compute what it is given, as far as that depends on the variable.
        inputs: what these need besides.
    """

    write: Any
    operations: List[Any]
    inputs: List[Any]


class _Folds:
    """The updates of a run, one after the other, in a graph of their own."""

    def __init__(self, updates: Sequence[Tuple[Any, List[_Update]]]) -> None:
        """Takes the updates of each variable, in the order in which they were made."""
        for tensor in (t for _, its in updates for update in its for t in update.inputs):
            # What is in a branch is not fetchable in general; this branch is run.
            tensor.graph._unfetchable_ops.discard(tensor.op)
        self.entries = [entry for entry, _ in updates]
        self.unordered = [entry for entry, its_updates in updates if len(its_updates) > 1]
        self.inputs: List[Any] = []  # tensors of the program
        if updates:
            self._build(updates)

    def _build(self, updates: Sequence[Tuple[Any, List[_Update]]]) -> None:
        import tensorflow as tf

        v1 = getattr(tf.compat, "v1", tf)
        self._given: Dict[int, Any] = {}  # the placeholders of the inputs, by their ids
        self._held: List[List[Any]] = [[], []]
        self._made: List[List[Any]] = [[], []]
        with v1.Graph().as_default() as graph:
            for entry, its_updates in updates:
                for number, ordered in enumerate((its_updates, its_updates[::-1])):
                    value = v1.placeholder(entry.dtype)
                    self._held[number].append(value)
                    for update in ordered:
                        value = self._updated(v1, value, update)
                    self._made[number].append(value)
        self._session = v1.Session(graph=graph, config=graph_copy.settings())

    def made(
        self, first: Dict[str, Any], last: Dict[str, Any], values: Dict[int, Any]
    ) -> List[Dict[str, Any]]:
        """Returns the values of the variables after the updates, in their order and in the other.

        Args:
            first: their values before, by name.
            last: what they were before in the other order.
            values: of ``inputs``, by their ids.
        """
        feeds = {placeholder: values[number] for number, placeholder in self._given.items()}
        for placeholders, held in zip(self._held, (first, last)):
            feeds.update(zip(placeholders, [held[entry.name] for entry in self.entries]))
        return [
            {entry.name: value for entry, value in zip(self.entries, in_one_order)}
            for in_one_order in self._session.run(self._made, feeds)
        ]

    def _updated(self, v1: Any, held: Any, update: _Update) -> Any:
        """Returns a variable's value after an update from the value before."""
        inputs = [self._placeholder(v1, each) for each in update.inputs]
        value = _imported(update, held, inputs)
        if update.write.type in _ADDS:
            value = held + value
        elif update.write.type in _SUBTRACTS:
            value = held - value
        return value

    def _placeholder(self, v1: Any, tensor: Any) -> Any:
        if id(tensor) not in self._given:
            self._given[id(tensor)] = v1.placeholder(tensor.dtype.base_dtype)
            self.inputs.append(tensor)
        return self._given[id(tensor)]


def _imported(update: _Update, held: Any, inputs: List[Any]) -> Any:
    """Returns what an update is given, from the value of the variable and of the inputs."""
    from tensorflow.core.framework import graph_pb2
    from tensorflow.python.framework import importer

    names = {id(tensor): _INPUT % n for n, tensor in enumerate(update.inputs)}
    inside = {id(operation) for operation in update.operations}

    def name_of(tensor: Any) -> str:
        if id(tensor.op) in inside:
            return str(tensor.name)
        return names.get(id(tensor), _HELD)

    definition = graph_pb2.GraphDef()
    definition.versions.CopyFrom(update.write.graph.graph_def_versions)
    for name, tensor in [(_HELD, held), *zip(names.values(), inputs)]:
        node = definition.node.add(name=name, op="Placeholder")
        node.attr["dtype"].type = tensor.dtype.as_datatype_enum
    for operation in update.operations:
        node = definition.node.add()
        node.CopyFrom(operation.node_def)
        node.device = ""
        node.attr.pop("_class", None)
        del node.input[:]
        node.input.extend(name_of(tensor) for tensor in operation.inputs)
    values = {
        name + ":0": tensor for name, tensor in zip([_HELD, *names.values()], [held, *inputs])
    }
    value = name_of(update.write.inputs[1])
    (imported,) = importer.import_graph_def(
        definition, values, [value if ":" in value else value + ":0"], name="update"
    )
    return imported


def _updates(
    starts: Sequence[Any], variables: Sequence[Any], known: Sequence[str]
) -> List[Tuple[Any, List[_Update]]]:
    """Returns the variables that a run may update in no order, with the updates.

    Args:
        starts: the ops that are run.
        variables: the GraphVariables of the model.
        known: names of those that another run updates in no order: any updates count.
    """
    entries = {
        id(graph_variables.operation_of(entry.copies[0])): entry
        for entry in variables
        if len(entry.copies) == 1 and entry.dtype in _NUMBERS
    }
    writes: Dict[int, List[Any]] = {}
    for operation in graph_variables.run_by(starts):
        if operation.type.startswith(graph_variables.WRITES):
            holder = graph_variables.written_by(operation)
            if id(holder) in entries:
                writes.setdefault(id(holder), []).append(operation)
    updates = []
    for number, operations in writes.items():
        entry = entries[number]
        if len(operations) == 1 and entry.name not in known:
            continue
        if any(each.type not in _UPDATES for each in operations) or _have_an_order(operations):
            continue
        its_updates = [_update_of(each) for each in graph_variables.in_order(operations)]
        if len(operations) == 1 or not _commute(its_updates):
            updates.append((entry, its_updates))
    return updates


def _that_run(
    updates: Sequence[Tuple[Any, List[_Update]]], which_run: Sequence[Optional[bool]], other: Any
) -> Iterator[Tuple[Any, List[_Update]]]:
    """Yields the variables with the updates that a run makes.

    Args:
        updates: of the variables.
        which_run: whether each of them is run, None where that is not known.
        other: has the names of variables that have another value in the other order.
    """
    are_run = iter(which_run)
    for entry, its_updates in updates:
        its_runs = [next(are_run) for _ in its_updates]
        run = [update for update, is_run in zip(its_updates, its_runs) if is_run]
        if None not in its_runs and len(run) > (0 if entry.name in other else 1):
            yield entry, run


def _have_an_order(writes: Sequence[Any]) -> bool:
    """Returns whether one of several ops waits for another one."""
    ids = {id(write) for write in writes}
    return any(
        id(each) in ids and each is not write
        for write in writes
        for each in graph_variables.run_by([write])
    )


def _commute(updates: Sequence[_Update]) -> bool:
    """Returns whether updates add or subtract what does not depend on the variable."""
    return all(each.write.type in _ADDS + _SUBTRACTS and not each.operations for each in updates)


def _update_of(write: Any) -> _Update:
    """Returns an op as an update.

    What is computed of variables alone is so at once, before all updates: a step of spectral
    normalization, which a discriminator that sees real and generated images makes twice, is one.
    """
    value, holder = write.inputs[1], graph_variables.written_by(write)
    if settled_values.is_of_variables(value.op):
        return _Update(write, [], [value])
    near: Dict[int, Any] = {}
    waiting = [value]
    while waiting and len(near) < _LONGEST:
        tensor = waiting.pop(0)
        if not _is_read(tensor, holder) and tensor.op.type not in _JOINS:
            near.setdefault(id(tensor.op), tensor.op)
            waiting += [each for each in tensor.op.inputs if id(each.op) not in near]
    formula: Dict[int, Any] = {}  # of what is near, that which is computed from the variable
    size = -1
    while size != len(formula):
        size = len(formula)
        for operation in near.values():
            if any(_is_read(each, holder) or id(each.op) in formula for each in operation.inputs):
                formula[id(operation)] = operation
    needed = [value, *(each for operation in formula.values() for each in operation.inputs)]
    inputs = {
        id(each): each
        for each in needed
        if not _is_read(each, holder) and id(each.op) not in formula
    }
    return _Update(write, list(formula.values()), list(inputs.values()))


def _is_read(tensor: Any, holder: Any) -> bool:
    """Returns whether a tensor is the value of the variable that an op holds."""
    operation = graph_variables.holder_of(tensor)
    if operation.type == "ReadVariableOp":
        operation = graph_variables.holder_of(operation.inputs[0])
    return operation is holder

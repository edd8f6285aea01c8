"""One copy of a variable for replicas in the same memory: which copies a step keeps equal.

``tf.distribute`` gives each replica a copy, and updates each of them: on one CPU the same work is
done N times. Within a loop of steps the first copy is enough, if every step writes the same to all.
That is proven op by op: a copy is shared if each op that writes to it is the twin of one that
writes to the first copy, and ops are twins if they are of one type, with equal attributes and with
inputs that are the same or twins. A model that lets each replica write its own has no such twins.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

READS = frozenset(["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape"])
_VARIABLE = "VarHandleOp"
_DEEPEST = 200  # ops between a write and what the replicas have in common; a proof ends there


class SharedCopies:
    """Which ops of a step stand for which others.

    Attributes:
        instead: the op to use, by the name of the op that it is used instead of.
        variables: the copies of each shared variable, the first one first.
    """

    def __init__(self, operations: Sequence[Any], variables: Iterable[Sequence[Any]]) -> None:
        """Finds the variables whose copies can be shared.

        Args:
            operations: all ops of a step, the handles of variables among them.
            variables: for each variable its copies, by replica.
        """
        self.instead: dict[str, Any] = {}
        self._copies: set[str] = set()
        self._refuted: set[tuple[str, str]] = set()
        self._steps = {op.name for op in operations}
        self._users: dict[str, list[Any]] = {}
        for op in operations:
            for name in {tensor.op.name for tensor in op.inputs}:
                self._users.setdefault(name, []).append(op)
        writes = _FunctionsThatWrite(operations[0].graph)
        self.variables = [
            list(copies)
            for copies in variables
            if self._writes_to(copies[0])  # else there is nothing to save
            and not any(op in writes for copy in copies for op in self._users_of(copy))
        ]
        while not self._prove():
            pass

    def _users_of(self, copy: Any) -> list[Any]:
        return self._users.get(copy.handle.op.name, [])

    def _prove(self) -> bool:
        """Drops the first variable that has no proof; says whether there was none."""
        self.instead = {
            copy.handle.op.name: copies[0].handle.op
            for copies in self.variables
            for copy in copies[1:]
        }
        self._copies = set(self.instead)
        self._refuted.clear()
        for copies in self.variables:
            wanted = self._writes_to(copies[0])
            if not all(self._are_twins(self._writes_to(copy), wanted, 0) for copy in copies[1:]):
                self.variables.remove(copies)
                return False
        return True

    def _writes_to(self, copy: Any) -> list[Any]:
        users = self._users_of(copy)
        return [op for op in users if op.type not in READS and not called_by(op.node_def)]

    def _are_twins(self, ops: Sequence[Any], others: Sequence[Any], depth: int) -> bool:
        """Returns whether each op has one twin among as many others."""
        unmatched = {op.name: op for op in others}
        for op in [op for op in ops if unmatched.pop(op.name, None) is None]:
            twin = next((o for o in unmatched.values() if self._is_twin(op, o, depth)), None)
            if twin is None:
                return False
            del unmatched[twin.name]
        return not unmatched

    def _is_twin(self, op: Any, other: Any, depth: int) -> bool:
        """Returns whether an op does what another one does, which is then used instead of it."""
        if op is other or self.instead.get(op.name) is other:
            return True
        pair = (op.name, other.name)
        if pair in self._refuted or op.name in self.instead or depth > _DEEPEST:
            return False
        is_twin = (
            {op.name, other.name} <= self._steps
            and op.type == other.type
            and self._may_be_left_out(op)
            and _attributes(op) == _attributes(other)
            and len(op.inputs) == len(other.inputs)
            and all(
                mine.value_index == its.value_index and self._is_twin(mine.op, its.op, depth + 1)
                for mine, its in zip(op.inputs, other.inputs, strict=True)
            )
            and self._are_twins(op.control_inputs, other.control_inputs, depth + 1)
        )
        if is_twin:
            self.instead[op.name] = other
        else:
            self._refuted.add(pair)
        return is_twin

    def _may_be_left_out(self, op: Any) -> bool:
        """Returns whether all that an op does is to give values, or to write to copies."""
        if not op.op_def.is_stateful:
            return not called_by(op.node_def)
        resources = [tensor.op for tensor in op.inputs if tensor.dtype == tf.resource]
        if op.type in READS:
            return all(handle.type == _VARIABLE for handle in resources)
        return bool(resources) and all(handle.name in self._copies for handle in resources)


class _FunctionsThatWrite:
    """Reports which ops call functions that may write to what they are given."""

    def __init__(self, graph: Any) -> None:
        self._library = {f.signature.name: f for f in graph.as_graph_def().library.function}
        self._known: dict[str, bool] = {}

    def __contains__(self, op: Any) -> bool:
        return any(self._writes(name) for name in called_by(op.node_def))

    def _writes(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = True  # a function that calls itself
            self._known[name] = self._finds_writes(self._library[name])
        return self._known[name]

    def _finds_writes(self, function: Any) -> bool:
        resource_names = {
            arg.name for arg in function.signature.input_arg if arg.type == tf.resource
        }
        for node in function.node_def:
            called = called_by(node)
            takes = {name.split(":")[0] for name in node.input} & resource_names
            if takes and not called and node.op not in READS:
                return True
            if any(self._writes(each) for each in called):
                return True
        return False


def mirrored(variables: Iterable[Any]) -> list[list[Any]]:
    """Returns the copies of each variable of which all replicas have an equal one."""
    return [
        list(variable.values)
        for variable in variables
        if isinstance(variable, tf2.distribute.DistributedValues)
        and variable.synchronization != tf.VariableSynchronization.ON_READ
    ]


def called_by(node: Any) -> list[str]:
    """Returns the names of the functions that a node calls."""
    names = [value.func.name for value in node.attr.values() if value.HasField("func")]
    return names + [f.name for value in node.attr.values() for f in value.list.func]


def _attributes(op: Any) -> Mapping[str, bytes]:
    """Returns what tells ops of one type apart, without the ops that they are placed next to."""
    return {
        name: value.SerializeToString(deterministic=True)
        for name, value in op.node_def.attr.items()
        if name != "_class"
    }

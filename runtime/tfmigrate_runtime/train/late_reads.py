"""Variables that a call both fetches and changes: the new value is returned, as in TensorFlow 1.x.

``sess.run([train_op, global_step])`` returned the step after the increment: the value of a variable
was the memory of the variable, which was copied when all was done. A variable of TensorFlow 2 is
read by an operation, which waits for nothing and is the first to run. So these reads are made again
after whatever changes their variables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_PASSES_ON = ("Identity", "ReadVariableOp")


def late_reads(
    executed: Mapping[str, Any], fetches: Sequence[Any], feeds: Sequence[Any]
) -> dict[str, tuple[Any, list[Any]]]:
    """Returns the tensors that are read late, by name: the VarHandleOp, and what changes it.

    A read that a change of the variable waits for stays where it is: the program asked for that.

    Args:
        executed: the operations that the call executes, by name.
        fetches: the tensors that it returns.
        feeds: the tensors whose values are given.
    """
    reads: dict[str, tuple[Any, list[Any]]] = {}
    fed = {feed.name for feed in feeds}
    for fetch in fetches:
        chain = []
        op = fetch.op
        while op.type in _PASSES_ON and fetch.name not in fed:
            chain.append(op)
            if op.inputs[0].name in fed:
                break
            op = op.inputs[0].op
        if op.type != "VarHandleOp" or not chain or chain[-1].type != "ReadVariableOp":
            continue
        writers = _writers_of(executed, op)
        if writers and not any(_waits_for(executed, writer, chain) for writer in writers):
            reads[fetch.name] = op, writers
    return reads


def _writers_of(executed: Mapping[str, Any], handle: Any) -> list[Any]:
    """Returns the executed operations that may change a variable."""
    consumers = handle.outputs[0].consumers()
    reading = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape")
    return [
        op
        for op in consumers
        if op.name in executed and op.type not in (*reading, "VarIsInitializedOp", "Identity")
    ]


def _waits_for(executed: Mapping[str, Any], start: Any, operations: list[Any]) -> bool:
    """Returns whether an operation is executed after one of others."""
    wanted = {op.name for op in operations}
    waiting, seen = [start], set()
    while waiting:
        op = waiting.pop()
        if op.name in seen or op.name not in executed:
            continue
        seen.add(op.name)
        if op.name in wanted:
            return True
        waiting += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    return False

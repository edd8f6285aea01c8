"""What a session call executes of its graph."""

from collections.abc import Collection, Sequence
from typing import Any


def executed_by(
    fetches: Sequence[Any], targets: Collection[Any], feeds: Collection[Any]
) -> dict[str, Any]:
    """Returns the operations that a call executes, by name.

    Args:
        fetches: tensors.
        targets: operations.
        feeds: tensors, or names of tensors; what only they need is not executed.
    """
    fed = {getattr(tensor, "name", tensor) for tensor in feeds}
    nodes: dict[str, Any] = {}
    waiting = [t.op for t in fetches if t.name not in fed] + list(targets)
    while waiting:
        op = waiting.pop()
        if op.name in nodes:
            continue
        nodes[op.name] = op
        waiting += [t.op for t in op.inputs if t.name not in fed]
        # A session executes a placeholder that is fed and only waited for as a source.
        waiting += [
            c for c in op.control_inputs if not (c.type == "Placeholder" and f"{c.name}:0" in fed)
        ]
    return nodes

"""How a replica function, its results and its call are written.

Results keep the names that the block gave them, so that the code below it stays as it is, and lines
are wrapped at 80 columns: most of these programs follow Google's style.
"""

import textwrap
from dataclasses import dataclass

from tfmigrate.families.device_setter.replica_blocks import ReplicaBlock

_PAGE_WIDTH = 80


@dataclass(frozen=True)
class ReplicaCall:
    """The code around the body of a replica function.

    Attributes:
        head: the line that begins the function.
        results: the statement that ends it; "" if it returns nothing, or the body returns.
        call: the statement that runs it under the strategy.
    """

    head: str
    results: str
    call: str


def replica_call(
    plan: ReplicaBlock, strategy: str, function: str, inner: str, outer: str
) -> ReplicaCall:
    """Returns the code around the body of a replica function."""
    names = ", ".join(plan.parameters)
    comma = "," if len(plan.parameters) == 1 else ""
    arguments = f", args=({names}{comma})" if plan.parameters else ""
    run = f"{strategy}.run({function}{arguments})"
    head = f"def {function}({names}):"
    if plan.returns:
        return ReplicaCall(head, "", f"return {run}")
    if not plan.results:
        return ReplicaCall(head, "", run)
    results = _wrapped("return ", plan.results, "", inner)
    return ReplicaCall(head, results, _wrapped("", plan.results, f" = {run}", outer))


def _wrapped(head: str, names: list[str], tail: str, indent: str) -> str:
    """Returns names between other code, on several lines in parentheses if they do not fit."""
    together = ", ".join(names)
    width = _PAGE_WIDTH - len(indent.expandtabs(8))
    if len(f"{head}{together}{tail}") <= width or len(names) == 1:
        return f"{head}{together}{tail}"
    room = max(width - len(head) - len("()") - len(tail), 20)
    lines = textwrap.wrap(together, room, break_long_words=False)
    return f"{head}({(chr(10) + ' ' * (len(head) + 1)).join(lines)}){tail}"

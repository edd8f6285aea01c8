"""What a rule reports about one place, before the engine decides about its edits.

A draft and not an edit: whether its edits are made depends on what other rules find, in other files
as well, since a program is migrated as a whole or not at all.
"""

import ast
import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tfmigrate.model.edits import Edit
from tfmigrate.model.findings import Severity
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module

OF_THE_RULE: Any = None


class Joins(enum.Enum):
    """Which other changes the changes of a rule depend on, in files that import each other."""

    PROGRAM = "program"
    """Those of the whole program, which is migrated as a whole or not at all."""
    NAMES = "names"
    """None: they replace names of one file by names with the same meaning."""
    IMPORT = "import"
    """None, unless the file has names of one generation: compat.v1 is in both TensorFlows."""


class Tasks(enum.Enum):
    """Which tasks of a cluster the result of a rule needs, next to those of the original."""

    SAME = "same"
    NO_SERVERS = "no servers"
    """The variables are mirrored: parameter servers have nothing to do."""
    ONE_MORE = "one more"
    """A chief runs the training loop."""


@dataclass(frozen=True)
class Draft:
    """One observation of a rule.

    Attributes:
        code: the rule's code.
        module: the file.
        node: the place in it.
        severity: FIXED if the edits do it all; UNSAFE if the edits change the training; KEPT if the
            construct stays as it is; MANUAL if the user must change it.
        message: what was found, and what it becomes or why it cannot be changed.
        action: what to do, as an imperative; "" if there is nothing left to do.
        edits: the changes to this file.
        group: drafts of one group are applied all together or not at all; "" for none.
        blocks: whether the rest of the group must wait until the user has dealt with this.
        quiet: whether to report nothing if the group is held back.
        construct: the construct that the edits convert, or that ``blocks`` keeps as it is while
            the rest of the group is migrated; "" for none. Only constructs that run in compat.v1
            as before have one.
        fallback: whether the edits are made only if the construct is kept.
    """

    code: str
    module: Module
    node: ast.AST
    severity: Severity
    message: str
    action: str = ""
    edits: tuple[Edit, ...] = ()
    group: str = ""
    blocks: bool = False
    quiet: bool = False
    construct: str = ""
    fallback: bool = False


Drafts = Iterator[Draft]


def drafted(
    module: Module,
    node: ast.AST,
    message: str,
    action: str = "",
    edits: Iterable[Edit] = (),
    group: str = "",
    blocks: bool = False,
    quiet: bool = False,
    construct: str = "",
    fallback: bool = False,
    severity: Severity = OF_THE_RULE,
) -> Draft:
    """Returns a draft of the rule that yields it, with that rule's severity where none is given.

    What a rule that fixes leaves without edits is MANUAL.
    """
    last = tuple(edits), group, blocks, quiet, construct, fallback
    return Draft("", module, node, severity, message, action, *last)


def refused(module: Module, refusal: Refusal, group: str, blocks: bool = False) -> Draft:
    """Returns the draft that leaves a place to the user."""
    reason, action, manual = refusal.reason, refusal.action, Severity.MANUAL
    return drafted(module, refusal.node, reason, action, (), group, blocks, severity=manual)

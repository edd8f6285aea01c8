"""What a rule says of one place, before it is decided whether its edits are made."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass

from tfmigrate.model.edits import Edit
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.module import Module


class Joins(enum.Enum):
    """Which changes the changes of a rule belong together with, in files that import each other."""

    PROGRAM = "program"
    """Those of the whole program: it is migrated whole, or waits."""
    NAMES = "names"
    """None: they give names of one file their place, which means the same in any program."""
    IMPORT = "import"
    """None, unless the file has names of one generation: compat.v1 is in both TensorFlows."""


@dataclass(frozen=True)
class Draft:
    """One observation of a rule.

    Attributes:
        code: the rule's code.
        module: the file.
        node: the place in it.
        severity: FIXED where the edits do it all; UNSAFE where the edits change what is trained;
            KEPT where the construct stays as it is; MANUAL where a human is needed.
        message: what stands there, or what becomes of it.
        action: what to do next; "" where nothing is left to do.
        edits: the changes to this file.
        group: drafts of one group are applied all together or not at all; "" for none.
        blocks: whether the rest of the group must wait until a human has dealt with this.
        quiet: whether to say nothing when the group is held back.
        construct: the construct that the edits convert, or that ``blocks`` keeps as it is while
            the rest of the group is migrated; "" for none. Only constructs that run in compat.v1
            as before have one.
        fallback: whether the edits are made only where the construct is kept.
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

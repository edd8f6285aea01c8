"""The draft of a rule that replaces what many places of a file have.

One draft and not one a place: a file has hundreds of such names, and each would be a finding.
"""

import ast
from collections.abc import Iterable, Sequence

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import Edit
from tfmigrate.model.findings import Severity, in_places
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft


def file_draft(
    code: str,
    program: Program,
    module: Module,
    places: Sequence[ast.AST],
    edits: Iterable[Edit],
    message: str,
) -> Draft:
    """Returns the draft at the first place of a file; nothing is reported if it is held back.

    Args:
        code: of the rule.
        program: the files.
        module: the file.
        places: what is replaced.
        edits: the changes to the file.
        message: what was found, and what it becomes.
    """
    return Draft(
        code=code,
        module=module,
        node=min(places, key=module.position),
        severity=Severity.FIXED,
        message=message + in_places(len(places)),
        edits=tuple(edits),
        group=group_of(program, module),
        quiet=True,
    )

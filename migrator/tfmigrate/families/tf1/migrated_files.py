"""What rules about names have in common: which files they are for, and one draft for a file.

The names are of NumPy, Python or other packages, too, and may be in any file; those of files that
belong to no migrated program are left alone. A file may have hundreds of them: one draft for each
would be one finding for each.
"""

import ast
from collections.abc import Iterable, Sequence

from tfmigrate.families.tf1.is_tf1 import centres_of, group_of
from tfmigrate.model.edits import Edit
from tfmigrate.model.findings import Severity, in_places
from tfmigrate.rulekit.basics import Draft, Module, Program, drafted


def migrated(program: Program, *words: str) -> list[Module]:
    """Returns the files of migrated programs that hold one of some words; all of them for none."""
    return [m for m in program.once(_migrated) if not words or m.mentions(*words)]


def is_migrated(program: Program, module: Module) -> bool:
    """Returns whether a file belongs to a migrated program."""
    return module in program.once(_migrated)


def _migrated(program: Program) -> dict[Module, None]:
    centres = program.once(centres_of)
    return dict.fromkeys(m for m in program.modules if program.connected(m, centres))


def file_draft(
    program: Program, module: Module, places: Sequence[ast.AST], edits: Iterable[Edit], message: str
) -> Draft:
    """Returns the draft at the first place of a file; nothing is reported if it is held back.

    Args:
        places: what is replaced.
        edits: the changes to the file.
        message: what was found, and what it becomes.
    """
    node, group = min(places, key=module.position), group_of(program, module)
    message += in_places(len(places))
    fixed = Severity.FIXED
    return drafted(module, node, message, edits=edits, group=group, quiet=True, severity=fixed)

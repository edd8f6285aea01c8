"""What rules of other packages are made of; docs/how_to/own_rules.md has an example.

These names change only as docs/reference/compatibility.md says; other modules may change.
"""

from tfmigrate.model.edits import (
    AddKeywords,
    ArrangeArguments,
    ChangeImport,
    Code,
    InsertAfter,
    InsertBefore,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
)
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft, Joins

__all__ = [
    "AddKeywords", "ArrangeArguments", "ChangeImport", "Code", "Draft", "Finding", "InsertAfter",
    "InsertBefore", "Joins", "Module", "Program", "ReplaceExpression", "ReplaceStatement",
    "SetArgument", "Severity", "Use",
]  # fmt: skip

"""What most rules and families import: files, what is found in them, drafts that report it."""

from tfmigrate.model.findings import Severity
from tfmigrate.model.refusals import Refusal
from tfmigrate.model.statuses import Status
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft, Drafts, Joins, Tasks, drafted, refused

__all__ = [
    "Draft", "Drafts", "Joins", "Module", "Program", "Refusal", "Severity", "Status", "Tasks",
    "Use", "drafted", "refused",
]  # fmt: skip

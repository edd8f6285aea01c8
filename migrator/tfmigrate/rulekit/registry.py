"""The rules: the modules of ``tfmigrate.rules`` and of plugins, documented by their docstrings.

``tfmigrate explain``, the pages in docs/rules and the tests of the examples all read the docstring,
so that none of them can differ from it.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType

from tfmigrate.files.discover import UsageError
from tfmigrate.model.findings import (
    OUTDATED_LAUNCHER,
    OUTDATED_REQUIREMENT,
    UNKNOWN_IGNORE,
    UNUSED_IGNORE,
    Severity,
)
from tfmigrate.model.statuses import Status
from tfmigrate.model.targets import DEFAULT, Target
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import OF_THE_RULE, Draft, Drafts, Joins, Tasks
from tfmigrate.scan import plugins

Check = Callable[[Program], Drafts]
Missing = Callable[[Module, ast.AST, str, str, str, int], Draft]
_RULES, _OWN = "tfmigrate.rules.", "tfmigrate_keras."  # the second is of --target keras
_TARGET = "2.16"  # of our own rules that name none
_EXAMPLE = re.compile(r"^ *(Before|After)(?: \(([^)]+)\))?::\n\n((?: {8}.*\n|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """One example of a rule's docstring.

    Attributes:
        before: code with a finding of the rule.
        after: the result with ``--unsafe``; None if it stays as it is.
        file: the name the file must have, "" for any.
        coordinator: whether to run it with ``--coordinator``.
        target: the value of ``--target``.
    """

    before: str
    after: str | None
    file: str = ""
    coordinator: bool = False
    target: str = DEFAULT


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        code: its code: letters, and the number that its file begins with.
        name: its name in words with dashes.
        severity: the severity of its findings.
        target: the lowest TensorFlow version its result runs on, or the
            name of the one target that it is for.
        docstring: its documentation.
        check: finds the places it applies to.
        kept_for_estimator: whether its constructs run on TensorFlow 1.15 to 2.15 as they are.
        of_clusters: whether its constructs run as they are in the runners of an eager program.
        joins: which other changes its changes depend on.
        of_one_generation: whether its names exist in one generation of TensorFlow only.
        symbols: the names of TensorFlow 1.x, with all below them, that it migrates or reports, by
            what becomes of them; a rule with a longer matching name takes precedence.
        missing: makes its findings about missing names, for the one rule about those.
        whole: whether its changes replace those of all other rules.
        tasks: which tasks of a cluster the migrated program needs.
    """

    code: str
    name: str
    severity: Severity
    target: str
    docstring: str
    check: Check
    kept_for_estimator: bool = False
    of_clusters: bool = False
    joins: Joins = Joins.PROGRAM
    of_one_generation: bool = False
    symbols: Mapping[Status, Sequence[str]] = field(default_factory=dict)
    missing: Missing | None = None
    whole: bool = False
    tasks: Tasks = Tasks.SAME

    def runs_for(self, target: Target) -> bool:
        """Returns whether it takes part in a migration to a target."""
        return target.takes(self.target, self.kept_for_estimator)

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.docstring.partition("\n")[0]

    @property
    def examples(self) -> list[Example]:
        """The examples of the documentation, which are also tests."""
        documented_examples: list[Example] = []
        for kind, file, block in _EXAMPLE.findall(self.docstring + "\n"):
            code = textwrap.dedent(block).strip("\n") + "\n"
            if kind == "Before":
                option = file.removeprefix("with ")
                target = option.removeprefix("--target ") if "--target" in option else DEFAULT
                name = "" if option != file else file
                documented_examples.append(
                    Example(code, None, name, option == "--coordinator", target)
                )
            else:
                documented_examples[-1] = replace(documented_examples[-1], after=code)
        return documented_examples


@cache
def rules() -> list[Rule]:
    """Returns all rules, those of other packages among them, in the order of their codes.

    Raises:
        UsageError: A rule of another package cannot be loaded.
    """
    package = importlib.import_module("tfmigrate.rules")
    own = [f"{package.__name__}.{info.name}" for info in pkgutil.iter_modules(package.__path__)]
    all_rules = [_rule(importlib.import_module(name)) for name in own]
    codes = {rule.code for rule in all_rules}
    for name in plugins.modules():
        rule = _rule_of_plugin(name)
        if rule.code in codes:
            raise UsageError(f"the rule {name} has the code of another rule, {rule.code}")
        codes.add(rule.code)
        all_rules.append(rule)
    return sorted(all_rules, key=lambda rule: rule.code)


def _rule(module: ModuleType) -> Rule:
    if module.__name__.startswith((_RULES, _OWN)):
        code, _, name = module.__name__.rpartition(".")[2].partition("_")
        said = {"CODE": code.upper(), "NAME": name.replace("_", "-"), "TARGET": _TARGET}
        module.__dict__.update(said | vars(module))
    code, severity = module.CODE, module.SEVERITY

    def named(draft: Draft) -> Draft:
        if draft.code:
            return draft
        own = draft.severity
        if own is OF_THE_RULE:
            leaves_it = severity is Severity.FIXED and not draft.edits
            own = Severity.MANUAL if leaves_it else severity
        return replace(draft, code=code, severity=own)

    missing = getattr(module, "draft_of_missing", None)
    return Rule(
        code=code,
        name=module.NAME,
        severity=severity,
        target=module.TARGET,
        docstring=inspect.cleandoc(module.__doc__ or ""),
        check=lambda program: map(named, module.check(program)),
        kept_for_estimator=getattr(module, "KEPT_FOR_ESTIMATOR", False),
        of_clusters=getattr(module, "OF_CLUSTERS", False),
        joins=getattr(module, "JOINS", Joins.PROGRAM),
        of_one_generation=getattr(module, "OF_ONE_GENERATION", False),
        symbols=getattr(module, "SYMBOLS", {}),
        missing=missing and (lambda *about: named(missing(*about))),
        whole=getattr(module, "WHOLE", False),
        tasks=getattr(module, "TASKS", Tasks.SAME),
    )


def _rule_of_plugin(name: str) -> Rule:
    """Returns the rule of a module of another package.

    Raises:
        UsageError: The module cannot be imported, or is not a rule.
    """
    try:
        rule = _rule(importlib.import_module(name))
    # Whatever it fails with, it is one line of the report in every command.
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"the rule {name} cannot be loaded: {what}") from error
    if rule.code.startswith("TFM") and not name.startswith(_OWN):
        raise UsageError(f"the rule {name} has the code {rule.code}; TFM is for tfmigrate's own")
    if not isinstance(rule.severity, Severity):
        raise UsageError(f"the rule {name} has a SEVERITY that is not a tfmigrate.api.Severity")
    return rule


def selectable_codes() -> list[str]:
    """Returns the codes that ``--select`` and ``--ignore`` accept: of rules, comments and files."""
    own = (UNKNOWN_IGNORE, UNUSED_IGNORE, OUTDATED_REQUIREMENT, OUTDATED_LAUNCHER)
    return [*(rule.code for rule in rules()), *own]

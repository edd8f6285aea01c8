"""A name of tf.contrib that no rule migrates.

What it does:
    Reports each name of tf.contrib once a file, at its first use or import.

Why:
    tf.contrib left TensorFlow with 2.0. A file that still names it fails at that line, whatever
    else was migrated: that must not pass for success.

Example:
    Before::

        import tensorflow as tf

        def train(scale):
          return tf.contrib.gan.gan_train(scale)

What is left to you:
    Replace it: the message says why there is nothing for it, where that is known, and what to use
    instead.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.core_names import core_name, goes_to_core, kept_import, missing
from tfmigrate.drafts import Draft
from tfmigrate.findings import Severity
from tfmigrate.legacy import centres_of
from tfmigrate.module import Module, imports, star_imports
from tfmigrate.names import canonical
from tfmigrate.program import Program
from tfmigrate.renamed_package import aliases_of_core_names
from tfmigrate.replication import FAMILY, OPTIMIZER, WRAPPER
from tfmigrate.runtime_api import PACKAGES

CODE = "TFM702"
NAME = "contrib-left"
SEVERITY = Severity.MANUAL
TARGET = "2.16"

_CONTRIB = "tensorflow.contrib"
_OTHER_RULES = (_CONTRIB, FAMILY, WRAPPER, OPTIMIZER)


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for the first place of every contrib name in a file."""
    centres = program.once(centres_of)
    for module in program.modules:
        if not module.mentions("contrib", "seq2seq", "rnn_cell"):  # tf.nn had some of it
            continue
        reached = program.connected(module, centres)
        first: dict[str, ast.AST] = {}
        gone = {id(s.value) for s in aliases_of_core_names(module)} if reached else set()
        for use in module.uses:
            if id(use.node) in gone:
                continue
            name = use.qualified
            migrated = reached and (_is_offered(name) or goes_to_core(module, use))
            if name.startswith(_CONTRIB + ".") and name not in _OTHER_RULES and not migrated:
                first.setdefault(name, use.node)
        for statement in star_imports(module, _CONTRIB):
            first.setdefault(f"{statement.module}.*", statement)
        for name, node in _unused_imports(module, reached):
            first.setdefault(name, node)
        for name, node in first.items():
            reason, action = _reason_and_action(name)
            yield Draft(
                code=CODE,
                module=module,
                node=node,
                severity=SEVERITY,
                message=f"{name.replace('tensorflow.', 'tf.', 1)} is not in TensorFlow 2" + reason,
                action=action,
            )


def _reason_and_action(name: str) -> tuple[str, str]:
    """Returns what follows the message, and what to do."""
    why = missing(name)
    if why is not None:
        return f": {why.reason}", why.action
    core = core_name(name)
    if core is not None:
        reason = f": tf.{core} has other parameters, and no rule knows those given here"
        return reason, f"call tf.{core} with keyword arguments"
    return ", and no rule migrates it yet", "replace it by hand"


def _unused_imports(module: Module, reached: bool) -> Iterator[tuple[str, ast.AST]]:
    """Yields imports of contrib whose name is never used: they fail all the same."""
    for binding in imports(module):
        name = binding.alias.name
        if isinstance(binding.statement, ast.ImportFrom):
            name = binding.qualified
        used = bool(module.uses_through(binding))
        name = canonical(name)
        migrated = reached and (_is_offered(name) or kept_import(module, binding) is not None)
        if (name + ".").startswith(_CONTRIB + ".") and not used and not migrated:
            yield name, binding.alias


def _is_offered(qualified: str) -> bool:
    """Says whether the runtime has a name in the place of tf.contrib's."""
    return any(
        package.has(qualified)
        and package.offers(qualified.removeprefix(package.source).lstrip("."))
        for package in PACKAGES
    )

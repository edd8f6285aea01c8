"""An import from a package that is in neither TensorFlow 1.15 nor TensorFlow 2.

What it does:
    Reports such imports, for example from `tensorflow.models`, which some early versions installed.
    The import stays as it is; the other names of the file are migrated.

Why:
    The import fails on every current TensorFlow, and `tensorflow.compat.v1` has no equivalent.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.models.rnn.ptb import reader

        def batches(data):
          return reader.ptb_iterator(data, 20, 35)

What is left to you:
    Copy the module next to your code from its repository (github.com/tensorflow/models), migrate
    the copy, and import it.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import imports
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted
from tfmigrate.tables import symbol_table
from tfmigrate.tables.internal_names import moved_name

SEVERITY = Severity.MANUAL

# Packages that other rules handle, or that have no public names.
_KNOWN = frozenset(
    {
        *("compat", "contrib", "estimator", "examples", "keras", "python"),
        *("compiler", "core", "dtensor", "include", "lite", "security", "tools", "tsl", "xla"),
    }
)


def check(program: Program) -> Drafts:
    """Yields a draft for every import from a package of TensorFlow that does not exist."""
    for module in program.mentioning("tensorflow"):
        for binding in imports(module):
            if (package := _package(binding)) and not is_guarded(module, binding.alias):
                message = f"{package} is in neither TensorFlow 1.15 nor TensorFlow 2"
                action = "copy the imported module next to your code and import the copy"
                yield drafted(module, binding.alias, message, action)


def _package(binding: ImportBinding) -> str | None:
    """Returns the unknown package that an import is from."""
    statement = binding.statement
    if isinstance(statement, ast.Import):
        name = binding.alias.name
    else:
        name = "" if statement.level else statement.module or ""
    root, _, subpath = name.partition(".")
    if root != "tensorflow" or not subpath:
        return None
    if canonical(binding.qualified) != binding.qualified or moved_name(binding.qualified):
        return None
    package = subpath.partition(".")[0]
    known = package in _KNOWN or symbol_table.places_of(package)
    return None if known else f"{root}.{package}"

"""A name of tf.contrib that no rule migrates.

What it does:
    Reports each such name once per file, at its first use or import.

Why:
    TensorFlow 2.0 removed tf.contrib. A file that still uses it fails at that line, even if
    everything else is migrated.

Example:
    Before::

        import tensorflow as tf

        def train(scale):
          return tf.contrib.gan.gan_train(scale)

What is left to you:
    Replace it. The message says why it has no equivalent, where the reason is known, and what to
    use instead.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.tf1 import core_names
from tfmigrate.families.tf1.contrib_stars import contrib_stars
from tfmigrate.families.tf1.is_tf1 import legacy_modules
from tfmigrate.families.tf1.migrated_files import is_migrated
from tfmigrate.families.tf1.renamed_package import aliases_of_core_names
from tfmigrate.families.tf1.unused_imports import is_removable, unused_imports
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import star_imports
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status, Use, drafted
from tfmigrate.tables.family_names import FAMILY, OPTIMIZER, WRAPPER
from tfmigrate.tables.runtime_api import PACKAGES, is_offered
from tfmigrate.tables.symbol_table import OLD, is_found

SEVERITY = Severity.MANUAL
OF_ONE_GENERATION = True  # tf.contrib and internal names differ between TensorFlows
SYMBOLS = {Status.GONE: ("tensorflow.contrib",)}

_CONTRIB = "tensorflow.contrib"
_OTHER_RULES = (_CONTRIB, FAMILY, WRAPPER, OPTIMIZER)


def check(program: Program) -> Drafts:
    """Yields a draft for the first place of every contrib name in a file."""
    legacy = program.once(legacy_modules)
    for module in program.modules:
        if not module.mentions("contrib", "seq2seq", "rnn_cell"):  # tf.nn had some of it
            continue
        reached = is_migrated(program, module)
        first: dict[str, ast.AST] = {}
        gone = {id(s.value) for s in aliases_of_core_names(module)} if reached else set()
        for use in module.uses:
            if id(use.node) in gone or is_guarded(module, use.node):
                continue
            name = use.qualified
            is_known = reached and (is_offered(name) or core_names.goes_to_core(module, use))
            if program.estimator and (old := core_names.old_spelling(module, use)):
                if not core_names.estimator_name(module, use):
                    first.setdefault(old, use.node)
            elif name.startswith(_CONTRIB + ".") and name not in _OTHER_RULES and not is_known:
                first.setdefault(*_what_fails(module, use))
        for statement in star_imports(module, _CONTRIB):
            is_known = statement in program.once(contrib_stars).get(module, ())
            if not is_guarded(module, statement) and not (reached and is_known):
                first.setdefault(f"{statement.module}.*", statement)
        for binding, name in unused_imports(program, module):
            guarded = is_guarded(module, binding.statement)
            plain = isinstance(binding.statement, ast.Import) and not binding.alias.asname
            if plain and module in legacy:
                continue  # it becomes an import of compat.v1, or is removed
            if not guarded and not is_removable(program, module, binding):
                first.setdefault(name, binding.alias)
        for name, node in first.items():
            reason, action = _reason_and_action(name)
            message = f"{name.replace('tensorflow.', 'tf.', 1)} is not in TensorFlow 2{reason}"
            yield drafted(module, node, message, action)


def _what_fails(module: Module, use: Use) -> tuple[str, ast.AST]:
    """Returns the name that fails, and where: the import of a package that is gone as a whole."""
    root = module.names.root_import(use.node)
    held = canonical(root.qualified) if root is not None else ""
    is_gone = held.startswith(f"{_CONTRIB}.") and core_names.missing(held) is not None
    if root is not None and is_gone and all(p.source != held for p in PACKAGES):
        return held, root.alias
    return use.qualified, use.node


def _reason_and_action(name: str) -> tuple[str, str]:
    """Returns what follows the message, and what to do."""
    current = canonical(name)
    if name.endswith(".__dict__"):
        package = name.replace("tensorflow.", "tf.", 1).removesuffix(".__dict__")
        return "", f"use getattr({package}, name)"
    if name.endswith(".*"):
        text = ": which names this file and others take from it cannot be determined"
        return text, "import these names, or remove the import if there are none"
    if current.startswith("tensorflow.estimator."):
        return "", "run tfmigrate without --target estimator"
    if (why := core_names.missing(name)) is not None:
        return f": {why.reason}", why.action
    if (core := core_names.core_name(name)) is not None:
        reason = f": tf.{core} has different parameters, and these arguments cannot be mapped"
        return reason, f"call tf.{core} with keyword arguments"
    if _is_unknown(name):
        action = (
            "TensorFlow 1.15 has no public name like it: correct it or, if it is internal or of "
            "another version, copy its code into the program"
        )
    else:
        action = "copy its code from TensorFlow 1.15 into the program, or remove its uses"
    return ", and no rule migrates it", action


def _is_unknown(name: str) -> bool:
    """Returns whether a public package of TensorFlow 1.15 would have a name, and has not."""
    below = name.removeprefix("tensorflow.")
    if not is_found(".".join(below.split(".")[:2]), OLD):
        return True  # all of its package is of another version
    package = below.rpartition(".")[0]
    inside = below.endswith((".python", ".*"))
    return is_found(package, OLD) and not is_found(below, OLD) and not inside

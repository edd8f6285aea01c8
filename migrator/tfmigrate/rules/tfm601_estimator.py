"""tf.estimator becomes tfmigrate_runtime.estimator.

What it does:
    Replaces the names of tf.estimator that the runtime offers, however they were imported.

Why:
    TensorFlow has had no tf.estimator since 2.16. The runtime trains an unchanged model function
    in graph mode under any tf.distribute strategy, writes the same checkpoints and event files,
    and calls the same hooks.

Example:
    Before::

        import tensorflow as tf

        def build(model_fn, model_dir):
          config = tf.estimator.RunConfig(save_checkpoints_steps=100)
          estimator = tf.estimator.Estimator(model_fn, model_dir, config)
          tf.logging.info('%s is ready', estimator)
          return estimator

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator as tf_estimator

        def build(model_fn, model_dir):
          config = tf_estimator.RunConfig(save_checkpoints_steps=100)
          estimator = tf_estimator.Estimator(model_fn, model_dir, config)
          tf.logging.info('%s is ready', estimator)
          return estimator

What is left to you:
    Names that the runtime does not have are told by TFM602.

Safety:
    Safe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.edits import ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.findings import Severity
from tfmigrate.legacy import group_of, legacy_modules
from tfmigrate.module import Module, Use, imports
from tfmigrate.names import ImportBinding, canonical
from tfmigrate.program import Program
from tfmigrate.runtime_api import RUNTIME_MODULE, offers
from tfmigrate.runtime_import import runtime_import, runtime_name

CODE = "TFM601"
NAME = "tf-estimator"
SEVERITY = Severity.FIXED
TARGET = "2.16"

_ESTIMATOR = "tensorflow.estimator"


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file that uses tf.estimator, with all its edits."""
    legacy = set(legacy_modules(program))
    for module in program.mentioning("estimator"):
        places: list[ast.AST] = []
        edits: list[Edit] = []
        for use in module.uses:
            edit = _renamed_use(module, use)
            if edit is not None:
                places.append(use.node)
                edits += [edit, *runtime_import(module)]
        for binding in imports(module):
            change = _changed_import(binding, module in legacy)
            if change is not None:
                places.append(binding.alias)
                edits.append(change)
        if places:
            count = f" ({len(places)} places)" if len(places) > 1 else ""
            yield Draft(
                code=CODE,
                module=module,
                node=min(places, key=module.position),
                severity=SEVERITY,
                message=f"tf.estimator -> {RUNTIME_MODULE}{count}",
                edits=tuple(edits),
                group=group_of(program, module),
                quiet=True,
            )


def _renamed_use(module: Module, use: Use) -> Edit | None:
    """Returns the edit of a chain that reaches tf.estimator through tensorflow itself."""
    if not _is_chain_to_estimator(module, use):
        return None
    name = use.qualified.removeprefix(_ESTIMATOR).lstrip(".")
    if name and not offers(name):
        return None
    return ReplaceExpression(use.node, Code(".".join(filter(None, [runtime_name(module), name]))))


def _is_chain_to_estimator(module: Module, use: Use) -> bool:
    if not use.imported or not (use.qualified + ".").startswith(_ESTIMATOR + "."):
        return False
    root = module.names.root_import(use.node)
    return root is not None and not _is_below_estimator(root)


def _binds_tensorflow(binding: ImportBinding) -> bool:
    """Says whether it is `import tensorflow.x`, which binds the name tensorflow."""
    return isinstance(binding.statement, ast.Import) and not binding.alias.asname


def _is_below_estimator(binding: ImportBinding) -> bool:
    if _binds_tensorflow(binding):
        return False
    return (canonical(binding.qualified) + ".").startswith(_ESTIMATOR + ".")


def _changed_import(binding: ImportBinding, is_legacy: bool) -> Edit | None:
    """Returns the edit of an import of tf.estimator or of something in it."""
    if _binds_tensorflow(binding) and (binding.alias.name + ".").startswith(_ESTIMATOR + "."):
        code = "import tensorflow.compat.v1 as tensorflow" if is_legacy else "import tensorflow"
        return ChangeImport(binding.statement, binding.alias, code)
    if not _is_below_estimator(binding):
        return None
    name = canonical(binding.qualified).removeprefix(_ESTIMATOR).lstrip(".")
    if name and not offers(name):
        return None
    package, _, last = f"{RUNTIME_MODULE}{'.' * bool(name)}{name}".rpartition(".")
    bound = binding.alias.asname or last
    suffix = f" as {bound}" if bound != last else ""
    return ChangeImport(binding.statement, binding.alias, f"from {package} import {last}{suffix}")

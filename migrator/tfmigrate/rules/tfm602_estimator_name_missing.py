"""A name of tf.estimator has no equivalent in `tfmigrate_runtime.estimator`.

What it does:
    Reports such names, imports from TensorFlow's private estimator package, and `import *`. The
    other tf.estimator names of the file are migrated.

Why:
    TensorFlow 2.16 removed tf.estimator, and the runtime implements only part of it.

Example:
    Before::

        import tensorflow as tf

        def build(columns):
          return tf.estimator.BoostedTreesClassifier(feature_columns=columns, n_batches_per_layer=1)

What is left to you:
    Rewrite the model as a model_fn, or with tf.keras.

Safety:
    Nothing is changed. The program fails at that line, with the name in the message.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.internal_imports import rehomed_imports
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import imports, star_imports
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status, drafted
from tfmigrate.tables.runtime_api import ESTIMATOR, is_offered
from tfmigrate.tables.symbol_table import OLD, is_found

SEVERITY = Severity.MANUAL
SYMBOLS = {Status.GONE: ("tensorflow.estimator",)}
KEPT_FOR_ESTIMATOR = True

_ACTION = "rewrite the model as a model_fn, or with tf.keras"
_MISSPELLED = "TensorFlow 1.15 does not have it either: correct the name"
_PREFIX, _SHORT = "tensorflow.estimator.", "tf.estimator."
_PRIVATE = ("tensorflow.python.estimator.", "tensorflow_estimator.python.")


def check(program: Program) -> Drafts:
    """Yields a draft for every use of a name that the runtime does not have."""
    for module in program.mentioning("estimator"):
        places: list[tuple[ast.AST, str]] = [(use.node, use.qualified) for use in module.uses]
        for node, qualified in [*places, *_unused_imports(module)]:
            name = qualified.removeprefix(_PREFIX)
            if qualified.startswith(_PREFIX) and not ESTIMATOR.offers(name):
                spelled = module.names.spelled(node) if isinstance(node, ast.expr) else None
                is_private = spelled is not None and spelled.startswith(_PRIVATE)
                message = (
                    f"{spelled if is_private else _SHORT + name} has no equivalent in "
                    "tfmigrate_runtime.estimator"
                )
                is_known = is_private or is_found(f"estimator.{name}", OLD)
                yield drafted(module, node, message, _ACTION if is_known else _MISSPELLED)
        for statement in star_imports(module, "tensorflow.estimator"):
            message = "cannot resolve the names of `import *` from tf.estimator"
            action = "import each name explicitly, then run tfmigrate again"
            yield drafted(module, statement, message, action)
        rehomed = rehomed_imports(module)
        for binding in imports(module):
            name = binding.qualified
            if isinstance(binding.statement, ast.Import):
                name = binding.alias.name
            public = canonical(name)
            if public.startswith(_PRIVATE) and not is_offered(public) and binding not in rehomed:
                message = f"{name} is a private name of tf.estimator, which TensorFlow 2.16 removed"
                yield drafted(module, binding.alias, message, _ACTION)


def _unused_imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Yields names that are imported and never used: the import alone fails."""
    used = {module.names.root_import(use.node) for use in module.uses}
    for binding in imports(module):
        if binding not in used:
            yield binding.alias, canonical(binding.qualified)

"""Which files run on Keras 3, and which tf.keras objects their names hold.

What Keras 3 lacks, Keras 2 has: a finding in a file that runs on Keras 2 would be wrong. Which of
the two tf.keras is, is decided once for a process: one file that selects Keras 2 settles it for
all.
"""

import ast

from tfmigrate.families.tf1.is_tf1 import legacy_modules, uses_estimator, uses_family
from tfmigrate.families.tf1.keras_2 import asks_for_keras
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.program import Program
from tfmigrate.tables.runtime_modules import RUNTIME

KERAS = "tensorflow.keras."


def keras_3_modules(program: Program) -> list[Module]:
    """Returns the files whose tf.keras is Keras 3 on TensorFlow 2.16 and later.

    TensorFlow 1.x files get Keras 2 with the runtime. Where one file selects Keras 2
    (TF_USE_LEGACY_KERAS, tf_keras), all files of the run use it. A migrated TensorFlow 1.x program
    selects it for its own files only.
    """
    if program.keras_2:
        return []
    of_keras_2 = set(program.once(legacy_modules))
    for module in program.modules:
        migrated = _is_migrated(module)
        if asks_for_keras(module) and not migrated:
            return []
        if migrated or uses_estimator(module) or uses_family(module):
            of_keras_2 |= program.reachable(module)
    return [m for m in program.mentioning("keras") if m not in of_keras_2]


def _is_migrated(module: Module) -> bool:
    """Returns whether a file is migrated TensorFlow 1.x code, which uses Keras 2."""
    names = {b.qualified for b in imports(module)} | {b.alias.name for b in imports(module)}
    return any(f"{name}.".startswith((f"{RUNTIME}.", "tensorflow.compat.v1.")) for name in names)


def constructor(module: Module, node: ast.expr) -> str | None:
    """Returns the tf.keras class whose instance a name or an attribute of self holds.

    Args:
        node: ``metric`` or ``self.metric``.

    Returns:
        The qualified name ("tensorflow.keras.metrics.Mean"); None where the value is something
        else, or comes from several classes.
    """
    class_names = {module.resolve(creation.func) for creation in made_by(module, node)}
    name = class_names.pop() if len(class_names) == 1 else None
    return name if name and name.startswith(KERAS) else None


def made_by(module: Module, node: ast.expr) -> list[ast.Call]:
    """Returns the calls whose result a name or an attribute of self holds.

    Returns:
        One call for each place where it is bound; [] where one of the values is not a call.
    """
    if not isinstance(node, (ast.Name, ast.Attribute)) or module.resolve(node) is not None:
        return []
    values = origins(module, node) or ()
    calls = [value for value in values if isinstance(value, ast.Call)]
    return calls if len(calls) == len(values) else []

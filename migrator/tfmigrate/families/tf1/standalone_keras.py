"""Which files of TensorFlow 1.x programs use standalone Keras, and what its names are in tf.keras.

Such a program builds graphs, and Keras 3 neither trains in a graph nor has sessions: its Keras is
Keras 2 now, as ``tf.keras`` of TensorFlow 1.x.
"""

from tfmigrate.families.tf1.is_tf1 import legacy_modules, modules_of_v2, names_of_v2
from tfmigrate.resolve.module import Module, asked_once, imports, star_imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.tables.internal_keras import keras_2_name, moved_below
from tfmigrate.tables.moved_names import moved
from tfmigrate.tables.runtime_api import MULTI_GPU, MULTI_GPU_OF_KERAS

PACKAGE = "keras"


def of_tensorflow_1(program: Program) -> frozenset[Module]:
    """Returns the files that import standalone Keras for a program of TensorFlow 1.x."""
    using = [m for m in program.modules if imports_standalone_keras(program, m)]
    if program.estimator or not using:
        return frozenset()
    return program.once(with_keras_2).intersection(using)


def with_keras_2(program: Program) -> frozenset[Module]:
    """Returns the files of programs of TensorFlow 1.x, those without a name of it as well."""
    legacy = program.once(legacy_modules)
    used_by_v2 = {part for m in program.once(modules_of_v2) for part in program.reachable(m)}
    return frozenset(
        m
        for m in program.modules
        if m in legacy
        or (m not in used_by_v2 and not names_of_v2(m) and program.connected(m, legacy))
    )


def imports_standalone_keras(program: Program, module: Module) -> bool:
    """Returns whether a file imports standalone Keras, not a package of the program named keras."""
    sources = [binding.source for binding in standalone_imports(module)]
    sources += [s.module or "" for s in star_imports(module, PACKAGE)]
    return any(not program.is_own(module, source) for source in sources)


@asked_once
def standalone_imports(module: Module) -> list[ImportBinding]:
    """Returns the imports of a file that are of a package keras."""
    if not module.mentions(PACKAGE):
        return []
    return [b for b in imports(module) if (b.qualified + ".").startswith(PACKAGE + ".")]


def name_in_tf_keras(qualified: str) -> str | None:
    """Returns the name in TensorFlow 2.21 with Keras 2 of a name of standalone Keras.

    Args:
        qualified: the name ("keras.utils.np_utils.to_categorical").

    Returns:
        The name ("tensorflow.keras.utils.to_categorical"), below ``tensorflow.compat.v1`` where
        only that has what TensorFlow 1.15 had, the runtime's for ``multi_gpu_model``; None where
        none of them has it.
    """
    if qualified in MULTI_GPU_OF_KERAS:
        return MULTI_GPU.target
    if qualified == "keras.layers.merge":  # by this name, Keras 2 had a function and a module
        return None
    below = (moved(qualified) or qualified).removeprefix(PACKAGE).lstrip(".")
    return keras_2_name(moved_below(below)) or keras_2_name(below)

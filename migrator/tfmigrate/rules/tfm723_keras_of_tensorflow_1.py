"""Keras in a TensorFlow 1.x program stays Keras 2, with the classes of TensorFlow 1.x.

What it does:
    Replaces imports of standalone Keras (`import keras`) in TensorFlow 1.x programs with
    `tf.keras`, which is Keras 2 in migrated programs. Classes that TensorFlow 2 replaced are taken
    from `tf.compat.v1.keras`: the layers `GRU`, `LSTM`, their cells and `BatchNormalization`, the
    optimizers and the initializers. So are `K.get_session` and `K.set_session`, which only
    compat.v1 has.

Why:
    Keras 3 does not train in a graph and has no sessions. `from tensorflow.keras.layers import GRU`
    imports the TensorFlow 1.x GRU on TensorFlow 1.15, and on TensorFlow 2 a GRU with a different
    recurrent activation (sigmoid instead of hard_sigmoid), a different bias and `reset_after=True`.

Example:
    Before::

        import tensorflow as tf
        from keras import backend as K
        from keras.layers import GRU, Dense
        from keras.utils import np_utils

        def train(inputs, labels):
          with tf.Session() as session:
            K.set_session(session)
            return Dense(10)(GRU(20)(inputs)), np_utils.to_categorical(labels)

    After::

        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf
        from tensorflow.keras.layers import Dense
        from tensorflow.keras import utils as np_utils

        def train(inputs, labels):
          with tf.Session() as session:
            tf.keras.backend.set_session(session)
            return Dense(10)(tf.keras.layers.GRU(20)(inputs)), np_utils.to_categorical(labels)

What is left to you:
    Names that Keras 2 does not have either; they are reported. `BatchNormalization` of standalone
    Keras is reported too: its moving averages start at the first batch, those of `tf.keras` at 0
    and 1. Training is the same; evaluation agrees after a few hundred steps. Keras 2.3 changed the
    default of LSTM and GRU to `recurrent_activation="sigmoid"`: pass it if the program was trained
    with 2.3.

Safety:
    Safe: `tf.keras` of TensorFlow 1.15 and Keras 2.2 are the same layers. Where their optimizers
    differ, see TFM724.
"""

import ast

from tfmigrate.families.tf1.is_tf1 import (
    imported_name,
    is_kept_off,
    legacy_modules,
    reached_by_compat,
)
from tfmigrate.families.tf1.keras_imports import KerasChange, is_of_v1
from tfmigrate.families.tf1.migrated_files import file_draft
from tfmigrate.families.tf1.standalone_keras import (
    PACKAGE,
    name_in_tf_keras,
    of_tensorflow_1,
    standalone_imports,
)
from tfmigrate.model.edits import Code, ReplaceExpression, ReplaceStatement
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import imports, star_imports
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Use, drafted
from tfmigrate.rulekit.runtime_import import added_import, import_of
from tfmigrate.tables.internal_keras import TENSORFLOW_KERAS, V1_KERAS, keras_2_name
from tfmigrate.tables.runtime_api import MULTI_GPU

SEVERITY = Severity.FIXED
_TF_KERAS = "tf_keras"
_HOROVOD, _OF_TENSORFLOW = "horovod.keras", "horovod.tensorflow.keras"


def check(program: Program) -> Drafts:
    """Yields one draft for each file whose Keras changes."""
    if program.estimator:
        return
    standalone = program.once(of_tensorflow_1)
    legacy = set(program.once(legacy_modules))
    for module in program.modules:
        if (module not in legacy and module not in standalone) or not module.mentions(PACKAGE):
            continue
        change = KerasChange(module, name_in_tf_keras)
        if module in standalone:
            _standalone(program, change)
        later = KerasChange(module, _v1_name)
        _of_v1(program, later)
        _version(later, TENSORFLOW_KERAS, *([PACKAGE] if module in standalone else []))
        if places := [*change.places, *later.places]:
            message = "Keras -> tf.keras with the classes of TensorFlow 1.x (Keras 2)"
            edits = dict.fromkeys((*change.complete(), *later.complete()))
            yield file_draft(program, module, places, edits, message)
        if module in standalone:
            yield from _moving_averages(module)


def _moving_averages(module: Module) -> Drafts:
    """Yields a draft for the first BatchNormalization of standalone Keras in a file."""
    for use in module.keras_uses:
        if name_in_tf_keras(use.qualified) == f"{V1_KERAS}.layers.BatchNormalization":
            yield drafted(
                module,
                use.node,
                "moving averages of BatchNormalization start at the first batch in "
                "standalone Keras, and at 0 and 1 in tf.keras",
                "compare evaluations only after a few hundred steps, when they agree; "
                "training is the same",
            )
            return


def _standalone(program: Program, change: KerasChange) -> None:
    """Adds the edits for a file's imports of standalone Keras, and of Horovod for Keras."""
    module = change.module
    bound: set[tuple[ast.AST, str]] = set()
    for binding in standalone_imports(module):
        if program.is_own(module, binding.source) or is_kept_off(
            program, module, binding.statement
        ):
            continue
        if binding.qualified != PACKAGE:
            change.change_import(binding, binding.qualified)
            continue
        # `import keras.layers` binds keras as well.
        name = binding.alias.asname or PACKAGE
        place = (module.function(binding.statement), name)
        change.change_alias(binding, "" if place in bound else import_of(V1_KERAS, name))
        bound.add(place)
        for use in module.uses_through(binding):
            new = name_in_tf_keras(use.qualified)
            below = (new or "").rpartition(".keras.")[2]
            if new in (None, MULTI_GPU.target):
                change.change_use(use)
            elif below != use.qualified.removeprefix(f"{PACKAGE}."):
                change.replace(use, f"{name}.{below}")
    _star_imports(program, change)
    for binding in imports(module):
        if (binding.source + ".").startswith(_HOROVOD + ".") and binding.alias.asname:
            new = _OF_TENSORFLOW + binding.qualified.removeprefix(_HOROVOD)
            change.change_alias(binding, f"import {new} as {binding.alias.asname}")


def _star_imports(program: Program, change: KerasChange) -> None:
    """Adds the edits of `from keras.layers import *`, and of the names that only compat.v1 has."""
    module = change.module
    for statement in star_imports(module, PACKAGE):
        path = statement.module or ""
        new = name_in_tf_keras(path)
        if program.is_own(module, path) or new is None:
            continue
        change.edits.append(ReplaceStatement(statement, (Code(f"from {new} import *"),)))
        change.places.append(statement)
        for name in module.all(ast.Name):
            scope = module.names.scope_of[name]
            public = name_in_tf_keras(f"{path}.{name.id}")
            if is_of_v1(public) and scope.lookup(name.id) is None:
                change.change_use(Use(name, f"{path}.{name.id}", imported=True))


def _of_v1(program: Program, change: KerasChange) -> None:
    """Adds the edits for classes whose import path is TensorFlow 2's class now."""
    module = change.module
    for binding in imports(module):
        path = imported_name(binding)
        if not (path + ".").startswith(TENSORFLOW_KERAS + "."):
            continue
        if is_kept_off(program, module, binding.statement):
            continue
        uses = module.uses_through(binding)
        those = [u for u in uses if is_of_v1(_v1_name(u.qualified))]
        if not (those := [u for u in those if not reached_by_compat(module, u.node)]):
            continue
        # An import without "as" binds TensorFlow 2 by its whole name.
        if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
            for use in those:
                change.replace(use, _v1_name(use.qualified) or "")
        elif path == TENSORFLOW_KERAS:
            change.change_alias(binding, import_of(V1_KERAS, binding.alias.asname or PACKAGE))
        else:
            for use in those:
                change.change_use(use)
            if len(those) == len(uses):
                change.change_alias(binding, "")


def _version(change: KerasChange, *packages: str) -> None:
    """Adds the edits for `tf.keras.__version__`, which tf.keras of Keras 2 does not have."""
    module = change.module
    if _TF_KERAS in module.names.all_bound_names():
        return
    for use in module.uses_of(*(f"{package}.__version__" for package in packages)):
        if not is_guarded(module, use.node):
            change.edits.append(ReplaceExpression(use.node, Code(f"{_TF_KERAS}.__version__")))
            change.edits.append(added_import(module, f"import {_TF_KERAS}", use.node))
            change.places.append(use.node)


def _v1_name(qualified: str) -> str | None:
    """Returns the name in Keras 2 of the TensorFlow 1.x class that a tf.keras name meant."""
    if not qualified.startswith(TENSORFLOW_KERAS + "."):
        return None
    return keras_2_name(qualified.removeprefix(TENSORFLOW_KERAS + "."))

"""`import tensorflow` becomes `import tensorflow.compat.v1` in TensorFlow 1.x files.

What it does:
    Changes only the import; the code of the model stays as it is. The script that starts a program
    gets `tf.disable_v2_behavior()` after its first import of TensorFlow, because placeholders and
    sessions fail in eager execution, and models of tf.keras have other names for their metrics
    there (`val_accuracy`, not `val_acc`, which callbacks monitor). Files that are only imported do
    not get it. Where no script is found that runs them, a note at the end of the run names them
    (files.md, "Where programs start"). A function that an executor (Spark, Ray, Dask, joblib) runs
    in other processes gets its own call.

    A program that trains with an Estimator gets `tf.disable_eager_execution()` instead, if code
    outside model functions needs it, and `tf.disable_v2_tensorshape()`, if it reads
    `x.get_shape()[1].value`. `tf.layers`, `tf.nn.rnn_cell` and `tf.keras` need Keras 2, which is
    the package tf-keras since TensorFlow 2.16: programs that use them get a line that sets
    `TF_USE_LEGACY_KERAS`. Programs with an Estimator do not need it: the runtime sets it.

Why:
    The functions that TensorFlow 1.x models use (`tf.get_variable`, `tf.layers`, `tf.losses`,
    `tf.train.AdamOptimizer`) are all in `tensorflow.compat.v1`, and training with them gives the
    same numbers (semantics.md, section 4).

Example:
    Before::

        import numpy as np
        import tensorflow as tf

        def rmse(labels, predictions):
          return tf.sqrt(tf.losses.mean_squared_error(labels, predictions))

        def model_fn(features, labels, mode):
          loss = rmse(labels, tf.layers.dense(features, 1))
          return tf.estimator.EstimatorSpec(mode, loss=loss)

    After::

        import numpy as np
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def rmse(labels, predictions):
          return tf.sqrt(tf.losses.mean_squared_error(labels, predictions))

        def model_fn(features, labels, mode):
          loss = rmse(labels, tf.layers.dense(features, 1))
          return estimator.EstimatorSpec(mode, loss=loss)

    Before::

        import tensorflow as tf

        def main(_):
          image = tf.placeholder(tf.float32, [None, 784])
          receiver_fn = tf.estimator.export.build_raw_serving_input_receiver_fn({'x': image})
          return receiver_fn

        if __name__ == '__main__':
          tf.app.run()

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        tf.disable_eager_execution()

        def main(_):
          image = tf.placeholder(tf.float32, [None, 784])
          receiver_fn = estimator.export.build_raw_serving_input_receiver_fn({'x': image})
          return receiver_fn

        if __name__ == '__main__':
          tf.app.run()

What is left to you:
    Nothing. A file is TensorFlow 1.x code if it uses names that TensorFlow 2 does not have, unless
    a version check guards them (`if tf.__version__ < '2'`, `hasattr`, `except ImportError`) or they
    are reached through compat.v1. Files that it imports, or that import it, are TensorFlow 1.x code
    if they use names whose meaning changed (the second argument of `tf.nn.dropout` was the fraction
    to keep, and is the fraction to drop), unless a TensorFlow 2 program imports them too. A program
    is a TensorFlow 2 program if it uses names that only TensorFlow 2 has, asserts its version, is
    written for eager execution (`tf.function`, `tf.GradientTape`), or has Keras models and imports
    nothing that needs a session. Other files are left alone; TFM708 reports files that mix both
    generations.

Safety:
    Safe: TensorFlow has had `tensorflow.compat.v1` since 1.13.
"""

import ast
from collections.abc import Sequence

from tfmigrate.families.tf1 import is_tf1
from tfmigrate.families.tf1.graph_mode import graph_mode_switches, keras_of_kept
from tfmigrate.families.tf1.keras_2 import setting_at_the_top
from tfmigrate.families.tf1.renamed_package import tensorflow_by_name
from tfmigrate.model.edits import (
    ChangeImport,
    Code,
    Edit,
    InsertAfter,
    InsertBefore,
    ReplaceStatement,
)
from tfmigrate.resolve.module import imports
from tfmigrate.resolve.scopes import ImportBinding, root_of
from tfmigrate.resolve.stars import stars_of_tensorflow
from tfmigrate.rulekit.basics import Drafts, Joins, Module, Program, Severity, Status, drafted
from tfmigrate.tables import symbol_table

NAME = "import-compat-v1"
SEVERITY = Severity.FIXED
JOINS = Joins.IMPORT
SYMBOLS = dict.fromkeys((Status.COMPAT_V1, Status.KERAS_2), ("tensorflow",))

_V1 = "tensorflow.compat.v1"
_INTERNAL = ("tensorflow.python.", "tensorflow.core.")
_KERAS_2 = "Keras 2 -> TF_USE_LEGACY_KERAS set"
_MODES = "with TensorFlow 1.x behavior"
# Not in compat.v1, or the same in both: other rules change these imports, or they may stay.
_NOT_MOVED = ("compat", "contrib", "estimator", "keras", "python", "examples", "core")


def check(program: Program) -> Drafts:
    """Yields a draft for every import of tensorflow in a TensorFlow 1.x file."""
    switches = dict(program.once(graph_mode_switches))
    for module in program.once(is_tf1.legacy_modules):
        edits = [(b, _changed_import(module, b)) for b in imports(module)]
        changed = [(binding, edit) for binding, edit in edits if edit is not None]
        for index, (binding, edit) in enumerate(changed):
            graph_mode = switches.pop(module, ()) if index == 0 else ()
            # A file of several programs is changed with the first of them that can be migrated.
            for group in _groups(program, module):
                yield drafted(
                    module,
                    binding.alias,
                    _what_becomes_of(edit) + f", {_MODES}" * bool(graph_mode),
                    edits=(*_kept(edit, graph_mode), *graph_mode),
                    group=group,
                    quiet=True,
                )
        yield from _stars(program, module, switches)
    yield from _switched_alone(program, switches)
    for module, holder in program.once(keras_of_kept).items():
        construct = is_tf1.group_of(program, holder)
        yield drafted(
            module,
            module.tree.body[0],
            f"{holder.source.display} needs {_KERAS_2} here",
            edits=setting_at_the_top(module),
            group=construct,
            quiet=True,
            construct=construct,
            fallback=True,
        )


def _what_becomes_of(edit: ChangeImport) -> str:
    if edit.code:
        return "import tensorflow -> tensorflow.compat.v1"
    return f"import {edit.alias.name} -> removed"


def _stars(program: Program, module: Module, switches: dict[Module, tuple[Edit, ...]]) -> Drafts:
    """Yields the drafts of ``from tensorflow import *``."""
    for statement in stars_of_tensorflow(module):
        if statement.module != "tensorflow":
            continue
        graph_mode = switches.pop(module, ())
        code = [Code(f"from {_V1} import *")]
        if module.source.path.stem == "__init__":
            # compat.v1's __all__ has __path__, without which the package finds none of its modules.
            code = [Code("_own_path = __path__"), *code, Code("__path__ = _own_path")]
        edit = ReplaceStatement(statement, tuple(code))
        for group in _groups(program, module):
            yield drafted(
                module,
                statement,
                "import tensorflow -> tensorflow.compat.v1" + f", {_MODES}" * bool(graph_mode),
                edits=(edit, *graph_mode),
                group=group,
                quiet=True,
            )


def _kept(edit: ChangeImport, graph_mode: Sequence[Edit]) -> tuple[Edit, ...]:
    """Returns the edit of an import; none where another edit moves the import."""
    moves = any(isinstance(e, ChangeImport) and e.alias is edit.alias for e in graph_mode)
    return () if moves else (edit,)


def _switched_alone(program: Program, switches: dict[Module, tuple[Edit, ...]]) -> Drafts:
    """Yields the drafts of programs whose first file has no import of TensorFlow to change."""
    legacy = program.once(is_tf1.legacy_modules)
    for module, edits in switches.items():
        reached = program.reachable(module)
        first = next((m for m in legacy if m in reached), module)
        codes = [e.code.template for e in edits if isinstance(e, (InsertAfter, InsertBefore))]
        switched = any(code.endswith("()") for code in codes)
        what = "TensorFlow 1.x behavior -> enabled" if switched else _KERAS_2
        yield drafted(
            module,
            module.tree.body[0],
            f"{first.source.display} needs {what} here",
            edits=edits,
            group=_groups(program, first)[0],
            quiet=True,
        )


def _groups(program: Program, module: Module) -> list[str]:
    """Returns the groups of an import: the file's programs, where more than the import changes."""
    if module in program.groups or is_tf1.uses_estimator(module) or not is_tf1.is_of_v1(module):
        return [is_tf1.group_of(program, module)]
    around = program.once(is_tf1.groups_of_device_setters).get(module)
    if not around and is_tf1.is_of_towers(program, module):
        return [is_tf1.group_of(program, module)]
    return around or [f"import in {module.source.display}"]


def _is_of_v1(module: Module, imported: str) -> bool:
    """Returns whether ``import tensorflow.x`` has to bind the name tensorflow to compat.v1.

    That is where tf.contrib is imported, or where names of TensorFlow 1.x are read from the name,
    and none of those in the folder ``python``, which compat.v1 has not.
    """
    if (imported + ".").startswith("tensorflow.contrib."):
        return True
    chains = [u for u in module.uses if getattr(root_of(u.node), "id", "") == "tensorflow"]
    below = any((u.qualified + ".").startswith(_INTERNAL) for u in chains)
    return bool(chains) and not below and imported.startswith(_INTERNAL)


def _changed_import(module: Module, binding: ImportBinding) -> ChangeImport | None:
    statement, alias = binding.statement, binding.alias
    suffix = f" as {alias.asname}" if alias.asname else ""
    if isinstance(statement, ast.Import):
        if alias.name == "tensorflow":
            name = alias.asname or "tensorflow"
            return ChangeImport(statement, alias, f"import {_V1} as {name}")
        if not alias.name.startswith("tensorflow."):
            return None
        if alias.asname and _moves(alias.name):
            name = alias.name.replace("tensorflow", _V1, 1)
            return ChangeImport(statement, alias, f"import {name}{suffix}")
        if not alias.asname and _is_of_v1(module, alias.name):
            return ChangeImport(statement, alias, tensorflow_by_name(module, binding))
        return None
    package = statement.module or ""
    if statement.level or not (package + ".").startswith("tensorflow."):
        return None
    if not _moves(f"{package}.{alias.name}"):
        return None
    new = package.replace("tensorflow", _V1, 1)
    return ChangeImport(statement, alias, f"from {new} import {alias.name}{suffix}")


def _moves(qualified: str) -> bool:
    """Returns whether compat.v1 has a name, or a package in which other rules replace names."""
    name = qualified.removeprefix("tensorflow.")
    package = name.partition(".")[0]
    known = (f"v1-{symbol_table.NEWEST}", symbol_table.OLD)
    return package not in _NOT_MOVED and any(symbol_table.is_found(name, place) for place in known)

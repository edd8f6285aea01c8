"""`import tensorflow` becomes `import tensorflow.compat.v1` in TensorFlow 1.x files.

What it does:
    Changes the import, and nothing that follows it: the model body stays as it is.

Why:
    The functions that a TensorFlow 1.x model is made of (`tf.get_variable`, `tf.layers`,
    `tf.losses`, `tf.train.AdamOptimizer`) are all in `tensorflow.compat.v1` and train to the same
    numbers there (docs/semantics.md, section 4).

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

What is left to you:
    Nothing. A file is TensorFlow 1.x code when it uses names that TensorFlow 2 no longer has and
    belongs to a program that uses tf.estimator; other files are left alone.

Safety:
    Safe: `tensorflow.compat.v1` has been in TensorFlow since 1.13.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.edits import ChangeImport, Edit
from tfmigrate.findings import Severity
from tfmigrate.legacy import group_of, legacy_modules
from tfmigrate.module import imports
from tfmigrate.names import ImportBinding
from tfmigrate.program import Program

CODE = "TFM701"
NAME = "import-compat-v1"
SEVERITY = Severity.FIXED
TARGET = "2.16"

_V1 = "tensorflow.compat.v1"
# Not of compat.v1, or the same in both: other rules change these imports, or nobody has to.
_NOT_MOVED = ("compat", "contrib", "estimator", "keras", "python", "examples", "core")


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every import of tensorflow in a TensorFlow 1.x file."""
    for module in legacy_modules(program):
        for binding in imports(module):
            edit = _changed_import(binding)
            if edit is not None:
                yield Draft(
                    code=CODE,
                    module=module,
                    node=binding.alias,
                    severity=SEVERITY,
                    message="import tensorflow -> tensorflow.compat.v1",
                    edits=(edit,),
                    group=group_of(program, module),
                    quiet=True,
                )


def _changed_import(binding: ImportBinding) -> Edit | None:
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
        if not alias.asname and (alias.name + ".").startswith("tensorflow.contrib."):
            return ChangeImport(statement, alias, f"import {_V1} as tensorflow")
        return None
    module = statement.module or ""
    if statement.level or not (module + ".").startswith("tensorflow."):
        return None
    if not _moves(f"{module}.{alias.name}"):
        return None
    new = module.replace("tensorflow", _V1, 1)
    return ChangeImport(statement, alias, f"from {new} import {alias.name}{suffix}")


def _moves(qualified: str) -> bool:
    return qualified.split(".")[1] not in _NOT_MOVED

"""An unused import of `tf.contrib` is removed.

What it does:
    Removes an import of a tf.contrib name that no file uses and no rule replaces. Often the code
    that used it is commented out.

Why:
    TensorFlow 2.0 removed tf.contrib: the import fails, and with it the whole file.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.contrib import gan

        def build():
          return tf.placeholder(tf.float32)

    After::

        import tensorflow.compat.v1 as tf

        def build():
          return tf.placeholder(tf.float32)

What is left to you:
    Nothing, unless the import was needed for its side effect: some packages registered operations
    that a saved graph uses. TensorFlow 2.0 removed those operations too.

Safety:
    Safe. Imports in an ``__init__.py``, of names in ``__all__``, and of names that other files
    import from this one stay; TFM702 reports them.
"""

from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.unused_imports import is_removable, unused_imports
from tfmigrate.model.edits import ChangeImport
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft, Joins

CODE = "TFM713"
NAME = "unused-contrib-import"
SEVERITY = Severity.FIXED
TARGET = "2.16"
JOINS = Joins.NAMES


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every such import."""
    for module in program.mentioning("contrib"):
        for binding, name in unused_imports(program, module):
            if is_removable(program, module, binding):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=binding.alias,
                    severity=SEVERITY,
                    message=f"unused import of {name.replace('tensorflow.', 'tf.', 1)} -> removed",
                    edits=(ChangeImport(binding.statement, binding.alias, ""),),
                    group=group_of(program, module),
                )

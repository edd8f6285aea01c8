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

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.unused_imports import is_removable, unused_imports
from tfmigrate.model.edits import ChangeImport
from tfmigrate.rulekit.basics import Drafts, Joins, Program, Severity, drafted

NAME = "unused-contrib-import"
SEVERITY = Severity.FIXED
JOINS = Joins.NAMES


def check(program: Program) -> Drafts:
    """Yields a draft for every such import."""
    for module in program.mentioning("contrib"):
        for binding, name in unused_imports(program, module):
            if is_removable(program, module, binding):
                yield drafted(
                    module,
                    binding.alias,
                    f"unused import of {name.replace('tensorflow.', 'tf.', 1)} -> removed",
                    edits=(ChangeImport(binding.statement, binding.alias, ""),),
                    group=group_of(program, module),
                )

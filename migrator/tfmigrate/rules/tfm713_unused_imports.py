"""An import of tf.contrib that nothing uses goes.

What it does:
    Takes away an import of a name of tf.contrib that neither its file nor another one uses, and
    that no rule gives another place. Often it served code that was commented out since.

Why:
    tf.contrib left TensorFlow with 2.0: the import fails, and with it the whole file.

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
    Nothing, unless the import was there for what it did: some packages registered operations that
    a saved graph needs. Those are gone from TensorFlow with it.

Safety:
    Safe. Imports in an ``__init__.py``, of names in ``__all__``, and those that other files take
    from this one stay, and are told by TFM702.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.unused_imports import serves_nobody, unused_imports
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
            if serves_nobody(program, module, binding):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=binding.alias,
                    severity=SEVERITY,
                    message=f"{name.replace('tensorflow.', 'tf.', 1)} is imported and never used",
                    edits=(ChangeImport(binding.statement, binding.alias, ""),),
                    group=group_of(program, module),
                )

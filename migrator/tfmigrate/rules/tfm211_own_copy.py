"""The project has its own copy of replicate_model_fn.py.

What it does:
    Reports the definition and the imports of a `replicate_model_fn` or `TowerOptimizer` that is not
    TensorFlow's. The program stays as it is.

Why:
    The copy may have been modified. Its loss scale, batch split and reduction are unknown to
    tfmigrate.

Example:
    Before::

        import tensorflow as tf
        from utils.replicate_model_fn import TowerOptimizer

        def train_op(loss):
          return TowerOptimizer(tf.train.AdamOptimizer()).minimize(loss)

What is left to you:
    Compare the copy with TensorFlow's. If they are the same, import both names from
    `tensorflow.contrib.estimator` instead and run tfmigrate again. If they differ, port the
    difference to the migrated program yourself.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.model.findings import Severity
from tfmigrate.resolve.family_members import own_copies
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM211"
NAME = "own-copy"
SEVERITY = Severity.MANUAL
TARGET = "2.16"
WORDS = ("replicate_model_fn", "TowerOptimizer")


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every definition and import of a project's own copy."""
    for module, group in program.groups.items():
        for statement in own_copies(module):
            imported = isinstance(statement, (ast.Import, ast.ImportFrom))
            where = "imported from a copy in the project" if imported else "defined in the project"
            yield Draft(
                code=CODE,
                module=module,
                node=statement,
                severity=SEVERITY,
                message=f"replicate_model_fn or TowerOptimizer is {where}, not in TensorFlow",
                action="compare it with TensorFlow's; if they are the same, import from "
                "tensorflow.contrib.estimator instead and run tfmigrate again",
                group=group,
                blocks=True,
            )

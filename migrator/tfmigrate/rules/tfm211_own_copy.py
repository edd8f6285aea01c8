"""The project carries its own copy of replicate_model_fn.py.

What it does:
    Reports the definition, and imports, of a `replicate_model_fn` or `TowerOptimizer` that is not
    TensorFlow's. The program is left as it is.

Why:
    A copy may have been changed: which loss scale, which split, which reduction it has, nobody
    knows without reading it.

Example:
    Before::

        import tensorflow as tf
        from utils.replicate_model_fn import TowerOptimizer

        def train_op(loss):
          return TowerOptimizer(tf.train.AdamOptimizer()).minimize(loss)

What is left to you:
    Compare the copy with TensorFlow's. Where it is the same, import both names from
    `tensorflow.contrib.estimator` instead and run tfmigrate again; where it is not, carry its
    difference over by hand.

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
            where = "imported from" if imported else "defined as"
            yield Draft(
                code=CODE,
                module=module,
                node=statement,
                severity=SEVERITY,
                message=f"replicate_model_fn's family is {where} the project's own copy",
                action="compare it with TensorFlow's; where it is the same, import from "
                "tensorflow.contrib.estimator instead and run tfmigrate again",
                group=group,
                blocks=True,
            )

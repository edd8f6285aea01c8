"""A file uses names of TensorFlow 1.x and of TensorFlow 2, and runs under neither.

What it does:
    Says where a file that uses names which only TensorFlow 1.x has uses one that only
    TensorFlow 2 has, or asserts that it runs under TensorFlow 2.

Why:
    `import tensorflow.compat.v1 as tf` would take the second from it, `import tensorflow as tf`
    lacks the first. Which of the two is dead code cannot be known from the text.

Example:
    Before::

        import tensorflow as tf

        def train(loss):
          tf.train.get_or_create_global_step()
          session = tf.Session()
          optimizer = tf.optimizers.Adam(0.1)

What is left to you:
    Take away what the program no longer runs, or spell the names of one generation out:
    `tf.compat.v1.Session`, `tf.compat.v2.optimizers.Adam`. Then run tfmigrate again.

Safety:
    Nothing is changed: the import of such a file, and the program it belongs to, stay.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import group_of, is_of_v1, names_of_v2
from tfmigrate.families.tf1.shared_calls import shared_calls
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM708"
NAME = "both-generations"
SEVERITY = Severity.MANUAL
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for the first name of TensorFlow 2 in a file of TensorFlow 1.x."""
    for module in program.mentioning("tensorflow"):
        newer = names_of_v2(module)
        if newer and is_of_v1(module):
            yield Draft(
                code=CODE,
                module=module,
                node=newer[0],
                severity=SEVERITY,
                message=f"{_shown(newer[0])}, in a file that uses names of TensorFlow 1.x",
                action="spell one of them out (tf.compat.v1.x, tf.compat.v2.x), then run tfmigrate "
                "again",
                group=group_of(program, module),
                blocks=True,
            )
    for module, name, call, old, new in shared_calls(program):
        yield Draft(
            code=CODE,
            module=module,
            node=call,
            severity=SEVERITY,
            message=f"tf.{name} means one thing for {old.source.display} (TensorFlow 1.x) and "
            f"another for {new.source.display} (TensorFlow 2), which both import this file",
            action=f"write tf.compat.v1.{name} or tf.compat.v2.{name}, or give each program a "
            "function of its own",
        )


def _shown(node: ast.AST) -> str:
    """Returns what a place of TensorFlow 2 says."""
    if isinstance(node, (ast.Assert, ast.If)):
        return f"`{ast.unparse(node.test)}` demands TensorFlow 2"
    return f"{ast.unparse(node)} is TensorFlow 2's"

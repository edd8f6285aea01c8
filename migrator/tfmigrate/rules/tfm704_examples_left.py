"""tensorflow.examples is not in TensorFlow 2.

What it does:
    Says where a program imports `tensorflow.examples`, most often `input_data` of the MNIST
    tutorial.

Why:
    The package left TensorFlow with 2.0: the import fails.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.examples.tutorials.mnist import input_data

        mnist = input_data.read_data_sets('data', one_hot=True)
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
          x = tf.placeholder(tf.float32, [None, 784])

What is left to you:
    Read the data in another way, as by `tf.keras.datasets.mnist`, or put a copy of the reader into
    your program: the batches are the same then, and so is the training.

Safety:
    Nothing is changed. The rest of the program is migrated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.findings import Severity
from tfmigrate.legacy import centres_of
from tfmigrate.module import Module
from tfmigrate.program import Program

CODE = "TFM704"
NAME = "examples-left"
SEVERITY = Severity.MANUAL
TARGET = "2.16"

_EXAMPLES = "tensorflow.examples"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every import of the package in a program that is migrated."""
    centres = program.once(centres_of)
    for module in program.mentioning("examples"):
        if not program.connected(module, centres):
            continue
        for statement in _imports_of_examples(module):
            yield Draft(
                code=CODE,
                module=module,
                node=statement,
                severity=SEVERITY,
                message="tensorflow.examples is not in TensorFlow 2",
                action="read the data in another way, or put a copy of the reader into the program",
            )


def _imports_of_examples(module: Module) -> Iterator[ast.stmt]:
    for node in ast.walk(module.tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        if any((name + ".").startswith(_EXAMPLES + ".") for name in names):
            assert isinstance(node, ast.stmt)
            yield node

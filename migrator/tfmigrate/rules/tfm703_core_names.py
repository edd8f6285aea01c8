"""A name of tf.contrib becomes that of the core of TensorFlow, which means the same.

What it does:
    Replaces the functions of tf.contrib.framework for the global step, and streaming metrics that
    a MetricSpec, or a call with keywords only, gives its arguments by name.

Why:
    tf.contrib left TensorFlow with 2.0; these had been aliases, or had the same parameters.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          step = tf.contrib.framework.get_global_step()
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        metric = tf.contrib.learn.MetricSpec(tf.contrib.metrics.streaming_accuracy)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import learn
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          step = tf.train.get_global_step()
          return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        metric = learn.MetricSpec(tf.metrics.accuracy)

What is left to you:
    Streaming metrics that are called with positional arguments are told by TFM702: tf.metrics
    takes labels before predictions.

Safety:
    Safe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.core_names import core_name
from tfmigrate.drafts import Draft
from tfmigrate.edits import ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.findings import Severity
from tfmigrate.legacy import centres_of, group_of
from tfmigrate.module import Module, imports
from tfmigrate.program import Program
from tfmigrate.tensorflow_import import tensorflow_import, tensorflow_name

CODE = "TFM703"
NAME = "core-names"
SEVERITY = Severity.FIXED
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file that uses such names, with all its edits."""
    centres = program.once(centres_of)
    for module in program.mentioning("contrib"):
        if not program.connected(module, centres):
            continue
        uses = [(use, core_name(module, use)) for use in module.uses if use.imported]
        found = [(use, name) for use, name in uses if name is not None]
        if not found:
            continue
        tensorflow = tensorflow_name(module)
        edits: list[Edit] = [
            ReplaceExpression(use.node, Code(f"{tensorflow}.{name}")) for use, name in found
        ]
        edits += tensorflow_import(module)
        edits += _removed_imports(module, {id(use.node) for use, _ in found})
        count = f" ({len(found)} places)" if len(found) > 1 else ""
        yield Draft(
            code=CODE,
            module=module,
            node=found[0][0].node,
            severity=SEVERITY,
            message=f"names of tf.contrib -> those of the core{count}",
            edits=tuple(edits),
            group=group_of(program, module),
            quiet=True,
        )


def _removed_imports(module: Module, replaced: set[int]) -> Iterator[Edit]:
    """Yields the edits that take away imports of tf.contrib which served only these names."""
    for binding in imports(module):
        plain = isinstance(binding.statement, ast.Import) and not binding.alias.asname
        if plain or not (binding.qualified + ".").startswith("tensorflow.contrib."):
            continue
        uses = module.uses_through(binding)
        if uses and all(id(use.node) in replaced for use in uses):
            yield ChangeImport(binding.statement, binding.alias, "")

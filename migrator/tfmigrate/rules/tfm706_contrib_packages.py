"""A package of `tf.contrib` becomes the runtime's package of the same name.

What it does:
    Replaces the names of tf.contrib packages, such as tf.contrib.slim, that the runtime has, in
    every form of import. `from tensorflow.contrib.layers import *` becomes an import of the names
    that are used, whichever rule these are for.

Why:
    TensorFlow 2.0 removed tf.contrib. Where core TensorFlow has no equivalent, the runtime provides
    one under the same name, with the same results.

Example:
    Before::

        import tensorflow as tf
        import tensorflow.contrib.slim as slim

        def model_fn(features, labels, mode):
          output = slim.fully_connected(features, 1, activation_fn=None)
          loss = tf.losses.absolute_difference(labels, output)
          return tf.estimator.EstimatorSpec(mode, loss=loss)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import slim

        def model_fn(features, labels, mode):
          output = slim.fully_connected(features, 1, activation_fn=None)
          loss = tf.losses.absolute_difference(labels, output)
          return estimator.EstimatorSpec(mode, loss=loss)

What is left to you:
    Names that the runtime does not have; TFM702 reports them.

Safety:
    Safe.
"""

from tfmigrate.families.tf1.contrib_stars import contrib_stars
from tfmigrate.families.tf1.migrated_files import file_draft
from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.model.edits import Code, ReplaceStatement
from tfmigrate.rulekit.basics import Drafts, Joins, Program, Severity, Status
from tfmigrate.tables.runtime_api import (
    DISTRIBUTE,
    ESTIMATOR,
    LAYERS,
    LEARN,
    MNIST,
    PACKAGES,
    TRAINING,
)

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
SYMBOLS = {Status.RUNTIME: ("tensorflow", "tensorflow.contrib.learn.datasets")}

_RULES_OF_THEIR_OWN = (DISTRIBUTE, ESTIMATOR, LAYERS, LEARN, MNIST, TRAINING)


def check(program: Program) -> Drafts:
    """Yields one draft for every file and package, with all its edits."""
    for package in PACKAGES:
        if package not in _RULES_OF_THEIR_OWN:
            yield from renamed(program, package)
    for module, stars in program.once(contrib_stars).items():
        edits = [
            ReplaceStatement(
                star, (Code(f"from {star.module} import {', '.join(names)}"),) * bool(names)
            )
            for star, names in stars.items()
        ]
        message = "import * of tf.contrib -> names that are used"
        yield file_draft(program, module, [*stars], edits, message)

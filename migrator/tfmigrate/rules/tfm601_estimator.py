"""`tf.estimator` becomes `tfmigrate_runtime.estimator`.

What it does:
    Replaces the names of tf.estimator that the runtime has, in every form of import.
    `tf.keras.estimator.model_to_estimator` gets the `checkpoint_format="saver"` that was its
    default.

Why:
    TensorFlow 2.16 removed tf.estimator. The runtime trains an unchanged model function in graph
    mode under any tf.distribute strategy, writes the same checkpoints and event files, and calls
    the same hooks.

Example:
    Before::

        import tensorflow as tf

        def build(model_fn, model_dir):
          config = tf.estimator.RunConfig(save_checkpoints_steps=100)
          estimator = tf.estimator.Estimator(model_fn, model_dir, config)
          tf.logging.info('%s is ready', estimator)
          return estimator

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator as tf_estimator

        def build(model_fn, model_dir):
          config = tf_estimator.RunConfig(save_checkpoints_steps=100)
          estimator = tf_estimator.Estimator(model_fn, model_dir, config)
          tf.logging.info('%s is ready', estimator)
          return estimator

What is left to you:
    Names that the runtime does not have; TFM602 reports them.

Safety:
    Safe.
"""

from collections.abc import Iterator
from dataclasses import replace

from tfmigrate.families.tf1.is_tf1 import legacy_modules, modules_of_v2
from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.model.edits import AddKeywords, Edit
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status
from tfmigrate.tables.runtime_api import ESTIMATOR

NAME = "tf-estimator"
SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
SYMBOLS = {Status.RUNTIME: ("tensorflow.estimator",)}
MODULES = ("tensorflow.python.estimator",)

_OF_KERAS = "tensorflow.estimator.model_to_estimator"
_FORMAT = 6  # the position of checkpoint_format, from 1


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses tf.estimator, with all its edits."""
    legacy = set(program.once(legacy_modules))
    modern = program.once(modules_of_v2)
    for draft in renamed(program, ESTIMATOR):
        module = draft.module
        # A file of Keras alone is of TensorFlow 1.x in a program of it.
        is_legacy = module in legacy or (module not in modern and program.connected(module, legacy))
        edits = _kept_format(module) if is_legacy else ()
        yield replace(draft, edits=(*draft.edits, *edits))


def _kept_format(module: Module) -> Iterator[Edit]:
    """Yields the edits that keep the format of the checkpoints of Keras models.

    It was "saver" by default in TensorFlow 1.x, and is "checkpoint" in TensorFlow 2 and the
    runtime: training did not go on from its own former checkpoints.
    """
    for call in module.calls_of(_OF_KERAS):
        names = {keyword.arg for keyword in call.keywords}
        if len(call.args) < _FORMAT and not names & {"checkpoint_format", None}:
            yield AddKeywords(call, ('checkpoint_format="saver"',))

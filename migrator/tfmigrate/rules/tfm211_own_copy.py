"""The project has its own copy of replicate_model_fn.py.

What it does:
    Reports a `replicate_model_fn` or `TowerOptimizer` that is defined in the project, and keeps it:
    its names are migrated like those of any other file, and it builds its towers as before. If it
    is imported from a file that is not in the run, the program stays as it is.

Why:
    The copy may have been modified: its loss scale, batch split and reduction are unknown to
    tfmigrate, but not what runs it, a graph in one process.

Example:
    Before::

        import tensorflow as tf
        from utils.replicate_model_fn import TowerOptimizer

        def train_op(loss):
          return TowerOptimizer(tf.train.AdamOptimizer()).minimize(loss)

What is left to you:
    Of a copy: nothing. To get a strategy, compare it with TensorFlow's; if they are the same,
    import both names from `tensorflow.contrib.estimator` instead and run tfmigrate again on the
    original program. Of an import from outside of the run: run tfmigrate on that folder too.

Safety:
    Kept: the towers are in the model function's graph, on the devices that the copy chooses, and
    train as they did; they do not train under tf.distribute.
"""

import ast

from tfmigrate.resolve.family_members import own_copies
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.KEPT
WORDS = ("replicate_model_fn", "TowerOptimizer")
KEPT_FOR_ESTIMATOR = True


_NAMES = "replicate_model_fn or TowerOptimizer"


def check(program: Program) -> Drafts:
    """Yields a draft for every definition of a copy, and every import of one that is not here."""
    for module, group in program.groups.items():
        for statement in own_copies(module):
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                yield drafted(
                    module,
                    statement,
                    f"{_NAMES} is defined in the project, not in TensorFlow: it keeps its "
                    "own towers",
                    "no action needed: it runs as before, but not under tf.distribute; if "
                    "it is the same as TensorFlow's, import it from tensorflow.contrib.estimator "
                    "instead and run tfmigrate again",
                    group=group,
                )
            elif not program.loaded_by(module, statement):
                node = statement
                message = f"{_NAMES} is imported from a file that is not in this run"
                action = "run tfmigrate on its folder too"
                yield drafted(
                    module,
                    node,
                    message,
                    action,
                    group=group,
                    blocks=True,
                    severity=Severity.MANUAL,
                )

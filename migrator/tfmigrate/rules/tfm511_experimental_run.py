"""`strategy.experimental_run_v2` becomes `strategy.run`.

What it does:
    Renames the method on every strategy.

Why:
    TensorFlow 2.2 renamed the `experimental_run_v2` of 2.0 and 2.1 to `run`, with the same
    arguments and meaning. Later versions do not have the old name.

Example:
    Before::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()

        @tf.function
        def train_step(batch):
          return strategy.experimental_run_v2(step_fn, args=(batch,))

    After::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()

        @tf.function
        def train_step(batch):
          return strategy.run(step_fn, args=(batch,))

What is left to you:
    Nothing.

Safety:
    Safe.
"""

from tfmigrate.families.tf1.is_tf1 import group_of, legacy_modules
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import method_calls
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "experimental-run-v2"
SEVERITY = Severity.FIXED
WORDS = ("experimental_run_v2",)

_OLD = "experimental_run_v2"


def check(program: Program) -> Drafts:
    """Yields a draft for every call of the method; no other object of TensorFlow has one."""
    legacy = set(program.once(legacy_modules))
    for module in program.mentioning(_OLD):
        for call, method in method_calls(module, _OLD):
            # TensorFlow 1.x files are migrated as a group; other files need no group.
            group = group_of(program, module) if module in legacy else ""
            yield drafted(
                module,
                call,
                f"{_OLD} -> run",
                edits=(ReplaceExpression(method, Code("{0}.run", (method.value,))),),
                group=group,
            )

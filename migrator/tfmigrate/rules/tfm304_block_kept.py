"""A block under a replica_device_setter cannot become a replica function.

What it does:
    Reports each place that prevents the conversion of a `replica_device_setter`, or of variables
    placed on parameter servers with `tf.device`. The rest of the program is migrated.

Why:
    A function has its own variables and returns in one place. A `break` or `return` inside the
    block, or a name that a function called in the block reads as a global, would mean something
    different there.

Example:
    Before::

        import tensorflow as tf

        def build():
          with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 10])
            if FLAGS.serve:
              return x, None
            loss = tf.nn.l2_loss(x)
            return x, loss

What is left to you:
    Nothing: the program runs as before. To get a strategy, follow the advice of the finding and run
    tfmigrate again, or write the replica function yourself.

Safety:
    Kept: the rest of the program is migrated, and this stays as it is. compat.v1 still provides it:
    on TensorFlow 2 it trains as before, but not under tf.distribute.
"""

from tfmigrate.families.device_setter.hand_placement import hand_placement
from tfmigrate.families.device_setter.plan import conversions
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, drafted

SEVERITY = Severity.KEPT
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True


def check(program: Program) -> Drafts:
    """Yields one draft for everything that prevents a replica function."""
    for module in program.modules:
        for problem in dict.fromkeys(_problems(program, module)):
            yield drafted(
                module,
                problem.node,
                f"the block cannot become a replica function: {problem.reason}",
                f"{problem.action} and run tfmigrate again",
                group=group_of(program, module),
                blocks=True,
                construct=group_of(program, module),
            )


def _problems(program: Program, module: Module) -> list[Refusal]:
    if uses_device_setter(module):
        return [p for c in program.once(conversions, module) for p in c.problems]
    placement = program.once(hand_placement, module)
    return placement.problems if placement is not None else []

"""A block under a replica_device_setter cannot become a replica function.

What it does:
    Says for every `replica_device_setter`, and for variables placed on parameter servers by hand,
    that stays as it is what is in the way, place by place. The rest of the program is migrated.

Why:
    A function has variables of its own, and ends in one place. A `break` or `return` in the midst
    of the block, or a name that a function called in the block reads as a global, would mean
    something else there.

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
    Nothing: the program runs as before. To get a strategy, change the place as the finding
    says (leave the block in one place, give functions what
    they read as arguments, move the session out of the block) and run tfmigrate again; or write the
    replica function by hand.

Safety:
    Kept: the rest of the program is migrated, and this stays as it is. compat.v1 has it still,
    where it trains as before on TensorFlow 2, but not under tf.distribute.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.device_setter.hand_placement import hand_placement
from tfmigrate.families.device_setter.plan import conversions
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.findings import Severity
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM304"
NAME = "block-stays"
SEVERITY = Severity.KEPT
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for everything that is in the way of a replica function."""
    for module in program.modules:
        for problem in dict.fromkeys(_problems(program, module)):
            yield Draft(
                code=CODE,
                module=module,
                node=problem.node,
                severity=SEVERITY,
                message=f"cannot become a replica function: {problem.reason}",
                action="change this place and run tfmigrate again",
                group=group_of(program, module),
                blocks=True,
                construct=group_of(program, module),
            )


def _problems(program: Program, module: Module) -> list[Refusal]:
    if uses_device_setter(module):
        return [p for c in program.once(conversions, module) for p in c.problems]
    found = program.once(hand_placement, module)
    return found.problems if found is not None else []

"""A program that cannot become eager gets its default form.

What it does:
    With `--target eager`, reports what keeps a program in graph mode: each obstacle at its line.
    The program is migrated as without the option.

Why:
    A program is converted whole or not at all: its graph belongs to one process that is eager, or
    to sessions.

Example:
    Before (with --target eager)::

        import tensorflow as tf

        x = tf.placeholder(tf.float32, [])
        with tf.Session() as sess:
          handle = sess.partial_run_setup([x], [x])
          sess.partial_run(handle, x, {x: 1.})

What is left to you:
    Nothing, unless you want an eager program: then change the lines that are reported.

Safety:
    Safe: the default form runs and is verified as before.
"""

from tfmigrate.families.graphs.plan import eager_plan
from tfmigrate.model.targets import EAGER
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.KEPT
TARGET = EAGER

_ACTION = "no action needed: the program gets its default form"


def check(program: Program) -> Drafts:
    """Yields a draft for every line that keeps a program from becoming eager."""
    plan = program.once(eager_plan)
    for refusal in plan.obstacles if plan else ():
        action = f"{_ACTION}; for an eager one, {refusal.action}" if refusal.action else _ACTION
        message = f"not converted to an eager program: {refusal.reason}"
        yield drafted(program.module_of(refusal.node), refusal.node, message, action)

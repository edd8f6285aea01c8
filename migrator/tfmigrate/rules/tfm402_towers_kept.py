"""A loop over in-graph towers cannot become a replica function.

What it does:
    Reports each place that prevents the conversion of a loop over towers. The rest of the program
    is migrated.

Why:
    tf.distribute would combine the updates of towers that apply their own gradients, and metrics or
    moving averages inside a replica, which changes training. A function also cannot leave the loop
    that calls it.

Example:
    Before::

        import tensorflow as tf

        for i in range(num_gpus):
          with tf.device('/gpu:%d' % i):
            with tf.variable_scope('model', reuse=i > 0):
              train_op = optimizer.minimize(loss_of_tower(i))

What is left to you:
    Nothing: the program runs as before. To get a strategy, follow the advice of the finding (apply
    averaged gradients after the loop, move metrics and moving averages there, turn `continue` into
    `if`) and run tfmigrate again.

Safety:
    Kept: the rest of the program is migrated, and this stays as it is. compat.v1 still provides it:
    on TensorFlow 2 it trains as before, but not under tf.distribute.
"""

from tfmigrate.families.device_setter.plan import Outcome, conversions
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.towers.loops import has_tower_loops, tower_loops
from tfmigrate.rulekit.basics import Draft, Drafts, Module, Program, Refusal, Severity, drafted

SEVERITY = Severity.KEPT
KEPT_FOR_ESTIMATOR = True

_NO_SETTER = "remove the device setter, which a single machine does not need"
_TWO_STRATEGIES = "the program also has a replica_device_setter, and a graph has one strategy"


def check(program: Program) -> Drafts:
    """Yields one draft for everything that keeps a loop over towers as it is."""
    for module in program.mentioning("device"):
        if not has_tower_loops(module):
            continue
        own = group_of(program, module)
        setters = _constructs_of_setters(program, module)
        for plan in program.once(tower_loops, module):
            for problem in plan.problems:
                yield _draft(module, problem, own, own)
            for construct in setters:
                problem = Refusal(plan.loop, _TWO_STRATEGIES, _NO_SETTER)
                yield _draft(module, problem, own, construct)


def _draft(module: Module, problem: Refusal, group: str, construct: str) -> Draft:
    node = problem.node
    message = f"the loop over towers cannot become a replica function: {problem.reason}"
    action = f"{problem.action} and run tfmigrate again"
    return drafted(module, node, message, action, group=group, blocks=True, construct=construct)


def _constructs_of_setters(program: Program, module: Module) -> list[str]:
    """Returns the constructs of device setters that would nest a strategy around the towers'.

    The towers' own is among them where there are any.
    """
    constructs = [
        group_of(program, other)
        for other in program.mentioning("replica_device_setter")
        if uses_device_setter(other)
        and program.connected(other, [module])
        and any(c.outcome is Outcome.STRATEGY for c in program.once(conversions, other))
    ]
    return list(dict.fromkeys([*constructs, group_of(program, module)])) if constructs else []

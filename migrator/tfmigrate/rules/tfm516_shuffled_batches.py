"""The dataset of a distributed program is batched before it is shuffled.

What it does:
    Reports `.batch(...)` before `.shuffle(...)` in a file with a tf.distribute strategy.

Why:
    Whole batches are shuffled: every batch has the same examples in every epoch, and every replica
    gets the same part of them. Most programs mean to shuffle examples. All versions of TensorFlow
    do the same, so nothing is changed.

Example:
    Before::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()
        dataset = tf.data.Dataset.range(100).batch(10).shuffle(100)
        batches = strategy.experimental_distribute_dataset(dataset)

What is left to you:
    To shuffle examples, call `.shuffle` before `.batch`. Its buffer size then counts examples.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.distribute.keras3 import made_by
from tfmigrate.families.distribute.keras_loops import makes_strategy
from tfmigrate.families.tf1.is_tf1 import legacy_modules
from tfmigrate.resolve.calls import method_calls
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.MANUAL


def check(program: Program) -> Drafts:
    """Yields a draft for every chain of calls that batches before it shuffles."""
    legacy = set(program.once(legacy_modules))
    for module in program.mentioning("shuffle"):
        if module in legacy or not makes_strategy(module):
            continue
        for call, _ in method_calls(module, "shuffle"):
            if "batch" in _methods_before(module, call):
                message = ".shuffle after .batch shuffles whole batches, not examples"
                action = "call .shuffle before .batch to shuffle examples"
                yield drafted(module, call, message, action)


def _methods_before(module: Module, call: ast.Call) -> list[str]:
    """Returns the methods of a dataset that were called before one, in the same chain."""
    methods: list[str] = []
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if (module.resolve(node.func) or "").startswith("tensorflow.data."):
            return methods
        methods.append(node.func.attr)
        node = node.func.value
        calls = made_by(module, node)
        if len(calls) == 1 and module.position(calls[0]) < module.position(call):
            node = calls[0]
    return []

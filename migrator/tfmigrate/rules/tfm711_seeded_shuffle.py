"""Examples shuffled from a seed and then repeated come in another order than on TensorFlow 1.15.

What it does:
    Tells `shuffle(..., seed=...)` that `repeat` follows at once, and `shuffle_and_repeat` with a
    seed.

Why:
    TensorFlow 1.15 made one operation of the two, which drew from the seed in an order of its own.
    TensorFlow 2 draws as if they were two, and has no operation that does as the old one did. All
    else that tf.data draws from a seed is the same: shuffle without repeat, with batch or map
    between them, or with reshuffle_each_iteration=False; sampling; random numbers.

Example:
    Before::

        import tensorflow as tf

        def input_fn():
          dataset = tf.data.Dataset.from_tensor_slices((x, y))
          return dataset.shuffle(100, seed=1).repeat().batch(32)

        tf.estimator.Estimator(model_fn).train(input_fn=input_fn, steps=100)

What is left to you:
    Nothing, if one random order is as good as another. To compare the two programs number by
    number, let the original draw as TensorFlow 2 does: call `dataset.with_options(options)` in it,
    where `options.experimental_optimization.shuffle_and_repeat_fusion` of `tf.data.Options()` is
    False; `shuffle_and_repeat` write as shuffle and repeat.

Safety:
    Nothing is changed for it. The rest of the program is migrated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.findings import Severity
from tfmigrate.legacy import centres_of
from tfmigrate.module import Module
from tfmigrate.program import Program
from tfmigrate.replication import argument

CODE = "TFM711"
NAME = "seeded-shuffle"
SEVERITY = Severity.MANUAL
TARGET = "2.16"

_TOGETHER = (
    "tensorflow.data.experimental.shuffle_and_repeat",
    "tensorflow.contrib.data.shuffle_and_repeat",
)


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every seed that examples are shuffled from before they are repeated."""
    centres = program.once(centres_of)
    for module in program.mentioning("repeat"):
        if not module.mentions("shuffle") or not program.connected(module, centres):
            continue
        for call in sorted({*_seeded(module)}, key=module.position):
            yield Draft(
                code=CODE,
                module=module,
                node=call,
                severity=SEVERITY,
                message="shuffled from a seed and repeated: TensorFlow 1.15 drew another order",
                action="nothing, unless numbers are compared: "
                "then switch shuffle_and_repeat_fusion off in the original",
            )


def _seeded(module: Module) -> Iterator[ast.Call]:
    """Yields the calls of shuffle_and_repeat, and of shuffle before repeat, with a seed."""
    for call in module.calls_of(*_TOGETHER):
        if _is_given(argument(call, 2, "seed")) and _is_shuffled(call):
            yield call
    for call in module.all(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "repeat":
            shuffle = _value(module, call.func.value, call)
            if isinstance(shuffle, ast.Call) and _is_seeded_shuffle(shuffle):
                yield shuffle


def _is_seeded_shuffle(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "shuffle":
        return False
    again = argument(call, 2, "reshuffle_each_iteration")
    is_off = isinstance(again, ast.Constant) and again.value is False
    return _is_given(argument(call, 1, "seed")) and _is_shuffled(call) and not is_off


def _is_shuffled(call: ast.Call) -> bool:
    """Says whether the buffer may have more than one element, which would keep the order."""
    size = argument(call, 0, "buffer_size")
    return not (isinstance(size, ast.Constant) and size.value == 1)


def _is_given(value: ast.expr | None) -> bool:
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def _value(module: Module, node: ast.expr, before: ast.AST) -> ast.expr:
    """Returns an expression, or what a name was last given in the same block before a node."""
    statement = module.statement(before)
    if not isinstance(node, ast.Name):
        return node
    parent = module.parent(statement)
    blocks = [getattr(parent, name, []) for name in ("body", "orelse", "finalbody")]
    block = next((b for b in blocks if isinstance(b, list) and statement in b), [])
    for other in reversed(block[: block.index(statement)] if block else []):
        stores = [n for n in module.all(ast.Name, other) if n.id == node.id]
        if not any(isinstance(name.ctx, ast.Store) for name in stores):
            continue
        return other.value if isinstance(other, ast.Assign) else node
    return node

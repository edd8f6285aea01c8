"""Static shapes with an unknown dimension are compared.

What it does:
    Reports a condition that compares the static shapes of two tensors with `==` or `!=`, or one of
    them with a list that has `None`.

Why:
    In TensorFlow 1.x two shapes of different tensors were unequal if a dimension was unknown.
    TensorFlow 2, also in compat.v1, takes unknown dimensions for equal. With a placeholder of shape
    `[None, 64]` and a width of 64 the condition below holds in TensorFlow 1.x, and the program has
    one layer more. For unknown ranks `!=` raised ValueError.

Example:
    Before::

        import tensorflow as tf

        def residual(x, width):
          y = tf.layers.dense(x, width)
          if x.get_shape() != y.get_shape():
            x = tf.layers.dense(x, width)
          return x + y

What is left to you:
    To keep the behavior, compare `(a.get_shape().is_fully_defined(), a.get_shape())` with
    `(True, b.get_shape())`. Only the run that migrates the file reports it.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.tf1.is_tf1 import legacy_modules
from tfmigrate.resolve.calls import called_on
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.MANUAL
WORDS = ("get_shape",)

_METHOD = "get_shape"


def check(program: Program) -> Drafts:
    """Yields a draft for every such condition."""
    legacy = program.once(legacy_modules)
    for module in program.mentioning(_METHOD):
        if module not in legacy:
            continue
        for comparison in module.all(ast.Compare):
            if _compares_shapes(comparison) and _decides(module, comparison):
                yield drafted(
                    module,
                    comparison,
                    "shapes with an unknown dimension were unequal in TensorFlow 1.x, and "
                    "may be equal in TensorFlow 2",
                    "also ask is_fully_defined(), if a dimension can be unknown here",
                )


def _compares_shapes(comparison: ast.Compare) -> bool:
    if len(comparison.ops) != 1 or not isinstance(comparison.ops[0], (ast.Eq, ast.NotEq)):
        return False
    sides = (comparison.left, comparison.comparators[0])
    if not any(_is_shape(side) for side in sides):
        return False
    return all(_is_shape(s) or _is_attribute(s) or _has_unknown(s) for s in sides)


def _is_shape(node: ast.expr) -> bool:
    """Returns whether an expression is ``x.get_shape()``, which only tensors have."""
    return called_on(node, _METHOD) is not None and not getattr(node, "args", ())


def _is_attribute(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _has_unknown(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and any(map(is_none, node.elts))


def _decides(module: Module, comparison: ast.Compare) -> bool:
    """Returns whether more depends on a comparison than that an assertion holds."""
    around = next((n for n in module.ancestors(comparison) if isinstance(n, ast.stmt)), None)
    if isinstance(around, ast.Assert):
        return False
    raises = isinstance(around, ast.If) and all(isinstance(s, ast.Raise) for s in around.body)
    return not raises

"""`variable += value` makes a tensor on TensorFlow 1.x, and an error of resource variables.

What it does:
    Writes `v = v + value` instead of `v += value`, and the same for other operators, where `v` is
    a variable at first. It does so in programs that get resource variables: with Estimators, loops
    over towers or device setters, and with `--target eager`.

Why:
    TensorFlow 1.x adds to the value that a variable has, and the name means the sum from then on.
    Resource variables raise RuntimeError: "`variable += value` is not supported".

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.get_variable('loss', [], initializer=tf.zeros_initializer(), trainable=False)
          for logits in features:
            loss += tf.losses.sigmoid_cross_entropy(labels, logits)
          return tf.estimator.EstimatorSpec(mode, loss=loss)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          loss = tf.get_variable('loss', [], initializer=tf.zeros_initializer(), trainable=False)
          for logits in features:
            loss = loss + tf.losses.sigmoid_cross_entropy(labels, logits)
          return estimator.EstimatorSpec(mode, loss=loss)

What is left to you:
    Nothing.

Safety:
    Safe: it is what TensorFlow 1.x does.
"""

import ast

from tfmigrate.families.graphs.plan import becomes_eager
from tfmigrate.families.tf1 import is_tf1
from tfmigrate.model.edits import Code, ReplaceStatement
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.scopes import AssignBinding, Binding, OtherBinding
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.FIXED

_VARIABLES = ("tensorflow.Variable", "tensorflow.get_variable", "tensorflow.get_local_variable")
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
# Expressions that stay whole behind any operator.
_WHOLE = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Tuple)


def check(program: Program) -> Drafts:
    """Yields a draft for every such statement of a program with resource variables."""
    estimators = [m for m in program.modules if is_tf1.uses_estimator(m) or is_tf1.uses_family(m)]
    for module in program.once(is_tf1.legacy_modules):
        additions = [s for s in module.all(ast.AugAssign) if _is_of_variable(module, s)]
        if not additions or not (
            program.once(becomes_eager)
            or is_tf1.is_of_towers(program, module)
            or module in program.once(is_tf1.groups_of_device_setters)
            or program.connected(module, estimators)
        ):
            continue
        for statement in additions:
            sign = _SIGNS[type(statement.op)]
            value = "{1}" if isinstance(statement.value, _WHOLE) else "({1})"
            code = Code(f"{{0}} = {{0}} {sign} {value}", (statement.target, statement.value))
            yield drafted(
                module,
                statement,
                f"variable {sign}= value -> variable = variable {sign} value",
                edits=(ReplaceStatement(statement, (code,)),),
                group=is_tf1.group_of(program, module),
            )


def _is_of_variable(module: Module, statement: ast.AugAssign) -> bool:
    """Returns whether a statement changes a name that is a variable at first."""
    if not isinstance(statement.target, ast.Name) or type(statement.op) not in _SIGNS:
        return False
    values: list[ast.expr] = []
    for binding in module.bindings(statement.target):
        value = binding.value if isinstance(binding, AssignBinding) else None
        if value is None:
            if not _is_augmented(module, binding):
                return False
        elif not _is_of_itself(value, statement.target.id):
            if (first := origins(module, value)) is None:
                return False
            values += first
    return bool(values) and all(called(module, value) in _VARIABLES for value in values)


def _is_augmented(module: Module, binding: Binding) -> bool:
    return isinstance(binding, OtherBinding) and isinstance(
        module.parent(binding.node), ast.AugAssign
    )


def _is_of_itself(value: ast.expr, name: str) -> bool:
    """Returns whether a value is made of the name's own by arithmetic: ``loss / towers``."""
    sides = (value.left, value.right) if isinstance(value, ast.BinOp) else ()
    return any(isinstance(side, ast.Name) and side.id == name for side in sides)

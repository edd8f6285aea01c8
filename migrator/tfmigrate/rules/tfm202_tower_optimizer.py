"""TowerOptimizer is removed; the optimizer it wrapped stays.

What it does:
    Replaces `tf.contrib.estimator.TowerOptimizer(optimizer)` with `optimizer`. Removes a statement
    that only rebound a name (`optimizer = TowerOptimizer(optimizer)`), and an `if` that contained
    nothing else.

Why:
    Under a tf.distribute strategy, every compat.v1 optimizer sums the gradients of the replicas
    once a step. For towers, TowerOptimizer did that.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode, params):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.train.AdamOptimizer(1e-3)
          if params.get('multi_gpu'):
            # One optimizer for all towers.
            optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)
          train_op = optimizer.minimize(loss, tf.train.get_or_create_global_step())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        model = tf.estimator.Estimator(
            tf.contrib.estimator.replicate_model_fn(model_fn), params={'multi_gpu': True})

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode, params):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.train.AdamOptimizer(1e-3)
          # One optimizer for all towers.
          train_op = optimizer.minimize(loss, tf.train.get_or_create_global_step())
          return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        strategy = tf.distribute.MirroredStrategy()
        model = estimator.Estimator(
            model_fn, params={'multi_gpu': True},
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Nothing. Comments about the wrapper are kept: check that they are still true.

Safety:
    Safe: applied together with TFM201, or not at all.
"""

import ast
from collections.abc import Collection

from tfmigrate.families.replicate_model_fn import family
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import argument, called, has_star_arguments, same
from tfmigrate.resolve.origins import class_around, origins
from tfmigrate.resolve.scopes import AssignBinding, ImportBinding
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status, drafted
from tfmigrate.tables.family_names import OPTIMIZER

SEVERITY = Severity.FIXED
SYMBOLS = dict.fromkeys(
    (Status.RUNTIME, Status.GONE), ("tensorflow.contrib.estimator.TowerOptimizer",)
)

_FUNCTIONS = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
_PARTIALS = ("functools.partial",)
_CLIPPING = "tensorflow.contrib.opt.clip_gradients_by_norm"
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def check(program: Program) -> Drafts:
    """Yields a draft for every TowerOptimizer call."""
    for module, group in program.groups.items():
        calls = family.references(module, OPTIMIZER).calls
        wrapped = {
            call: optimizer
            for call in calls
            if (optimizer := wrapped_optimizer(module, call)) and not clips(module, call)
        }
        removed = {
            statement
            for call, optimizer in wrapped.items()
            if (statement := _rebinding(module, call, optimizer))
        }
        for call, optimizer in wrapped.items():
            yield drafted(
                module,
                call,
                "TowerOptimizer -> the optimizer it wraps",
                edits=(_unwrap(module, call, optimizer, removed), *family.removed_imports(module)),
                group=group,
            )


def wrapped_optimizer(module: Module, call: ast.Call) -> ast.expr | None:
    """Returns what a TowerOptimizer wraps, None where that is unknown."""
    if has_star_arguments(call):
        return None
    optimizer = argument(call, 0, "optimizer_or_optimizer_fn")
    return None if optimizer is None or _is_foreign(module, optimizer) else optimizer


def _unwrap(
    module: Module, call: ast.Call, optimizer: ast.expr, removed: Collection[ast.stmt]
) -> Edit:
    if (statement := _rebinding(module, call, optimizer)) is not None:
        return family.remove_statement(module, statement, removed)
    value = _around(module, call, optimizer)
    if isinstance(optimizer, ast.Lambda) and not _parameters(optimizer):
        return ReplaceExpression(value, _in_place_of(module, value, optimizer.body))
    if _is_function(module, optimizer):
        template = "({0})()" if isinstance(optimizer, ast.Lambda) else "{0}()"
        return ReplaceExpression(value, Code(template, (optimizer,)))
    return ReplaceExpression(value, _in_place_of(module, value, optimizer))


def _around(module: Module, call: ast.Call, optimizer: ast.expr) -> ast.expr:
    """Returns the call, or the conditional expression whose other branch is the optimizer too."""
    parent = module.parent(call)
    if isinstance(parent, ast.IfExp) and parent.test is not call:
        other = parent.orelse if parent.body is call else parent.body
        if same(other, optimizer) and not family.has_side_effects(parent.test):
            return parent
    return call


def _rebinding(module: Module, call: ast.Call, optimizer: ast.expr) -> ast.stmt | None:
    """Returns the statement that only rebinds the optimizer's name to the wrapped optimizer."""
    parent = module.parent(_around(module, call, optimizer))
    if not isinstance(parent, ast.Assign) or _is_function(module, optimizer):
        return None
    targets = [ast.unparse(target) for target in parent.targets]
    return parent if targets == [ast.unparse(optimizer)] else None


def _in_place_of(module: Module, value: ast.expr, code: ast.expr) -> Code:
    parent = module.parent(value)
    spans_lines = code.lineno != code.end_lineno
    holds_anything = isinstance(parent, (ast.Assign, ast.Return, ast.keyword, ast.Call, ast.Lambda))
    if isinstance(code, _ATOMS) or (holds_anything and not spans_lines):
        return Code("{0}", (code,))
    return Code("({0})", (code,))


def _parameters(function: ast.Lambda) -> bool:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return bool(named or arguments.vararg or arguments.kwarg)


def _is_function(module: Module, optimizer: ast.expr) -> bool:
    """Returns whether an expression is a function or a class, which TowerOptimizer called."""
    if isinstance(optimizer, ast.Lambda):
        return True
    if isinstance(optimizer, ast.Call):
        return module.resolve(optimizer.func) in _PARTIALS
    if (module.resolve(optimizer) or "").endswith("Optimizer"):
        return True
    if isinstance(optimizer, ast.Attribute):
        return _is_method(module, optimizer)
    if not isinstance(optimizer, ast.Name):
        return False
    bindings = module.bindings(optimizer)
    kinds = [
        b.value if isinstance(b, AssignBinding) else getattr(b, "node", None) for b in bindings
    ]
    kinds = [k for k in kinds if k is not module.parent(optimizer)]
    return bool(kinds) and all(isinstance(k, _FUNCTIONS) for k in kinds)


def _is_method(module: Module, optimizer: ast.Attribute) -> bool:
    """Returns whether ``self.x`` is a method of the class around it, not a property."""
    holder = class_around(module, optimizer)
    if holder is None or not isinstance(optimizer.value, ast.Name) or optimizer.value.id != "self":
        return False
    return any(
        isinstance(n, ast.FunctionDef) and n.name == optimizer.attr and not n.decorator_list
        for n in holder.body
    )


def clips(module: Module, call: ast.Call) -> bool:
    """Returns whether a TowerOptimizer wraps clip_gradients_by_norm, given the towers' mean.

    In a replica it would clip the replica's own gradients.
    """
    optimizer = wrapped_optimizer(module, call)
    values = (optimizer and origins(module, optimizer)) or ()
    return any(called(module, value) == _CLIPPING for value in values)


def _is_foreign(module: Module, optimizer: ast.expr) -> bool:
    """Returns whether a name is imported from elsewhere: it may be an optimizer or a function."""
    return any(
        isinstance(b, ImportBinding) and not b.qualified.startswith("tensorflow.")
        for b in module.bindings(optimizer)
    )

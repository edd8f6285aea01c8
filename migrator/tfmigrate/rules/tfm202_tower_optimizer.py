"""TowerOptimizer goes; the optimizer it wrapped stays.

What it does:
    Replaces `tf.contrib.estimator.TowerOptimizer(optimizer)` by `optimizer`. A statement that
    only re-bound a name (`optimizer = TowerOptimizer(optimizer)`) goes, and so does an `if` that
    held nothing else.

Why:
    Under a tf.distribute strategy every compat.v1 optimizer adds up the gradients of the replicas
    itself, once a step, which is what TowerOptimizer was there for.

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
    Nothing. A comment that spoke of the wrapper is kept: see whether it still tells the truth.

Safety:
    Safe together with TFM201, with which it is applied or held back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.edits import Code, Edit, ReplaceExpression
from tfmigrate.findings import Severity
from tfmigrate.module import Module
from tfmigrate.names import OtherBinding
from tfmigrate.program import Program
from tfmigrate.replication import (
    OPTIMIZER,
    argument,
    has_star_arguments,
    references,
    remove_statement,
    removed_imports,
    same,
)

CODE = "TFM202"
NAME = "tower-optimizer"
SEVERITY = Severity.FIXED
TARGET = "2.16"

_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every TowerOptimizer call."""
    for module, group in program.groups.items():
        for call in references(module, OPTIMIZER).calls:
            optimizer = wrapped_optimizer(call)
            if optimizer is None:
                continue
            yield Draft(
                code=CODE,
                module=module,
                node=call,
                severity=SEVERITY,
                message="TowerOptimizer -> the optimizer itself",
                edits=(_unwrap(module, call, optimizer), *removed_imports(module)),
                group=group,
            )


def wrapped_optimizer(call: ast.Call) -> ast.expr | None:
    """Returns what a TowerOptimizer wraps, None where it cannot be told."""
    if has_star_arguments(call):
        return None
    return argument(call, 0, "optimizer_or_optimizer_fn")


def _unwrap(module: Module, call: ast.Call, optimizer: ast.expr) -> Edit:
    value: ast.expr = call
    parent = module.parent(call)
    if isinstance(parent, ast.IfExp) and parent.test is not call:
        other = parent.orelse if parent.body is call else parent.body
        if same(other, optimizer):
            value, parent = parent, module.parent(parent)
    if isinstance(parent, ast.Assign) and [ast.unparse(t) for t in parent.targets] == [
        ast.unparse(optimizer)
    ]:
        return remove_statement(module, parent)
    if isinstance(optimizer, ast.Lambda) and not optimizer.args.args:
        return ReplaceExpression(value, _in_place_of(module, value, optimizer.body))
    if isinstance(optimizer, ast.Name) and _is_function(module, optimizer):
        return ReplaceExpression(value, Code("{0}()", (optimizer,)))
    return ReplaceExpression(value, _in_place_of(module, value, optimizer))


def _in_place_of(module: Module, value: ast.expr, code: ast.expr) -> Code:
    parent = module.parent(value)
    spans_lines = code.lineno != code.end_lineno
    holds_anything = isinstance(parent, (ast.Assign, ast.Return, ast.keyword, ast.Call, ast.Lambda))
    if isinstance(code, _ATOMS) or (holds_anything and not spans_lines):
        return Code("{0}", (code,))
    return Code("({0})", (code,))


def _is_function(module: Module, name: ast.Name) -> bool:
    """Says whether a name is a function defined here: TowerOptimizer called those."""
    found = module.names.scope_of[name].lookup(name.id)
    return found is not None and all(
        isinstance(b, OtherBinding) and isinstance(b.node, ast.FunctionDef) for b in found[1]
    )

"""tf.gradients by hand went past TowerOptimizer's loss scaling.

What it does:
    Reports a function of a replicated model that takes `tf.gradients` itself and applies them.
    The program is left as it is.

Why:
    TowerOptimizer scaled the loss by 1/N in `compute_gradients` (semantics.md, 1.3).
    Gradients from `tf.gradients` were not scaled: the sum over the towers is N times what the
    reported loss says. Only the author knows whether the learning rate was tuned to that.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          variables = tf.trainable_variables()
          gradients = tf.gradients(loss, variables)
          train_op = optimizer.apply_gradients(list(zip(gradients, variables)))
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

What is left to you:
    Write `optimizer.compute_gradients(loss, variables)` to have the mean over the replicas, and
    multiply the loss by N there to keep the old numbers. Then run tfmigrate again.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.model_code import (
    GRADIENTS,
    apply_gradients_calls,
    model_modules,
)
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM206"
NAME = "gradients-by-hand"
SEVERITY = Severity.MANUAL
TARGET = "2.16"

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every tf.gradients of a function that applies gradients."""
    for module, group in model_modules(program):
        by_hand = _functions_by_hand(module)
        for call in module.calls_of(GRADIENTS):
            function = module.function(call)
            if any(function is f or _is_called_in(function, f) for f in by_hand):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=call,
                    severity=SEVERITY,
                    message="gradients taken by hand were summed over the towers without 1/N",
                    action="use optimizer.compute_gradients(loss), which scales by 1/N "
                    "(times N to keep the old numbers), and run tfmigrate again",
                    group=group,
                    blocks=True,
                )


def _functions_by_hand(module: Module) -> list[_Function]:
    """Returns the functions that apply gradients and have none from compute_gradients."""
    applying = {module.function(call): None for call in apply_gradients_calls(module)}
    return [
        function
        for function in applying
        if not any(
            isinstance(n, ast.Attribute) and n.attr == "compute_gradients"
            for n in ast.walk(function)
        )
    ]


def _is_called_in(function: _Function, caller: _Function) -> bool:
    if isinstance(function, ast.Module):
        return False
    names = [n.func for n in ast.walk(caller) if isinstance(n, ast.Call)]
    return any(
        (isinstance(n, ast.Name) and n.id == function.name)
        or (isinstance(n, ast.Attribute) and n.attr == function.name)
        for n in names
    )

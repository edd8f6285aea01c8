"""tf.gradients bypasses TowerOptimizer's loss scaling.

What it does:
    Reports a function of a replicated model that calls `tf.gradients` itself and applies the
    result. The program stays as it is.

Why:
    TowerOptimizer scaled the loss by 1/N in `compute_gradients` (semantics.md, 1.3). Gradients
    from `tf.gradients` were not scaled: their sum over the towers is N times the gradient of the
    reported loss. Only the author knows whether the learning rate was tuned to that.

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
    Call `optimizer.compute_gradients(loss, variables)` to get the mean over the replicas. To keep
    the old numbers, multiply the loss by N there. Then run tfmigrate again.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.replicate_model_fn import model_code
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.MANUAL

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


def check(program: Program) -> Drafts:
    """Yields a draft for every tf.gradients of a function that applies gradients."""
    for module, group in model_code.model_modules(program):
        bypassing = _functions_without_scaling(module)
        for call in module.calls_of(model_code.GRADIENTS):
            function = module.function(call)
            if any(function is f or _is_called_in(function, f) for f in bypassing):
                message = "tf.gradients bypasses TowerOptimizer, which scales gradients by 1/N"
                action = (
                    "call `optimizer.compute_gradients(loss)` instead (on `loss * N` to "
                    "keep the old numbers) and run tfmigrate again"
                )
                yield drafted(module, call, message, action, group=group, blocks=True)


def _functions_without_scaling(module: Module) -> list[_Function]:
    """Returns the functions that apply gradients and have none from compute_gradients."""
    applying = {module.function(call): None for call in model_code.apply_gradients_calls(module)}
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

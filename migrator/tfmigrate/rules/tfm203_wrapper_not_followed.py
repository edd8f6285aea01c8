"""The Estimators of a replicated model function cannot be determined.

What it does:
    Reports a use of `replicate_model_fn` or `TowerOptimizer` that is not a plain call, or whose
    result does not visibly reach the `model_fn` of an Estimator in the same function. The whole
    program stays as it is.

Why:
    The strategy must be passed to exactly the Estimators that were built from the wrapped function.
    A wrong guess would silently change the batch size.

Example:
    Before::

        import tensorflow as tf

        def wrap(model_fn):
          return tf.contrib.estimator.replicate_model_fn(model_fn)

        def model_fn(features, labels, mode):
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        model = tf.estimator.Estimator(wrap(model_fn))

What is left to you:
    Assign the result to a name in the function that builds the Estimator, or write the call inside
    `Estimator(...)`. Then run tfmigrate again.

Safety:
    Nothing is changed.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.family import references
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, refused
from tfmigrate.rules.tfm201_replicate_model_fn import plan_or_refusal
from tfmigrate.rules.tfm202_tower_optimizer import clips, wrapped_optimizer
from tfmigrate.tables.family_names import OPTIMIZER, WRAPPER

SEVERITY = Severity.MANUAL

_BUILD_HERE = (
    "build the Estimator in the function that wraps the model function, with "
    "`model_fn=<wrapped function>`,"
)


def check(program: Program) -> Drafts:
    """Yields a draft for every use of the family that TFM201 and TFM202 refuse."""
    for module, group in program.groups.items():
        for problem in (*_of_wrappers(program, module), *_of_optimizers(module), *_others(module)):
            yield refused(module, problem, group, blocks=True)


def _of_wrappers(program: Program, module: Module) -> Iterator[Refusal]:
    for call in references(module, WRAPPER).calls:
        plan = plan_or_refusal(program, module, call)
        if isinstance(plan, Refusal):
            reason = f"replicate_model_fn is left as it is: {plan.reason}"
            action = f"{plan.action or _BUILD_HERE} and run tfmigrate again"
            yield Refusal(plan.node, reason, action)


def _of_optimizers(module: Module) -> Iterator[Refusal]:
    for call in references(module, OPTIMIZER).calls:
        if clips(module, call):
            yield Refusal(
                call,
                "TowerOptimizer clips the mean of all towers' gradients here, and a replica "
                "would clip its own",
                "clip each tower's, `clip_gradients_by_norm(TowerOptimizer(...), norm)`, which "
                "trains differently, and run tfmigrate again",
            )
        elif wrapped_optimizer(module, call) is None:
            yield Refusal(
                call,
                "cannot determine what TowerOptimizer wraps: its argument is passed by `*` or "
                "`**`, or is an imported optimizer or function",
                "wrap a local variable that holds the optimizer, or the result of the "
                "function: `TowerOptimizer(function())`",
            )


def _others(module: Module) -> Iterator[Refusal]:
    """Yields the names of the family that are not called."""
    for name in (WRAPPER, OPTIMIZER):
        for use in references(module, name).others:
            short = name.rpartition(".")[2]
            owner = module.parent(use.node)
            message = f"{short} is referenced without being called"
            action = f"call {short} here, so that its result is known"
            if isinstance(owner, ast.ClassDef):
                message = f"{owner.name} derives from {short}"
                action = "derive it from the optimizer that it wraps, and run tfmigrate again"
            yield Refusal(use.node, message, action)

"""With --target estimator, tf.estimator would train the program differently.

What it does:
    With `--target estimator`, reports code that tf.estimator's own `train_distribute` would train
    differently from replicate_model_fn: input functions that return tensors or cannot be
    determined, losses that tf.estimator scales differently, and the program's own optimizers
    that override `apply_gradients`.

Why:
    Under a strategy, tf.estimator accepts only Datasets. It divides the loss by the number of
    replicas unless the last function of tf.losses that was called has `reduction=SUM`;
    replicate_model_fn divided it unless its own `loss_reduction` was SUM (semantics.md, 1.3).

Example:
    Before (with --target estimator)::

        import tensorflow as tf
        from model import model_fn, x, y

        optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        classifier = tf.estimator.Estimator(model_fn=replicated_fn)
        input_fn = tf.estimator.inputs.numpy_input_fn(x, y, shuffle=False)
        classifier.train(input_fn, steps=100)

What is left to you:
    Follow the advice of the finding, or migrate to TensorFlow 2.16 or later, where the runtime
    handles this.

Safety:
    Nothing is changed: the whole program stays as it is.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tfmigrate.families.input_fn.batch_sites import batch_sites
from tfmigrate.families.input_fn.input_functions import InputFunctions
from tfmigrate.families.input_fn.one_shot_returns import one_shot_returns
from tfmigrate.families.replicate_model_fn.estimator_losses import wrongly_scaled
from tfmigrate.families.replicate_model_fn.family import references
from tfmigrate.families.tf1.generations import INPUT_QUEUES
from tfmigrate.model.targets import ESTIMATOR
from tfmigrate.resolve.calls import method_calls
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, refused
from tfmigrate.tables.family_names import WRAPPER

SEVERITY = Severity.MANUAL
TARGET = ESTIMATOR

_TAKE_INPUT = ("train", "evaluate", "TrainSpec", "EvalSpec")
_OPTIMIZERS = "tensorflow.train."
_INPUTS = "tensorflow.estimator.inputs."
_HOOK = "tensorflow.estimator.experimental.InMemoryEvaluatorHook"


def check(program: Program) -> Drafts:
    """Yields a draft for everything that tf.estimator would do differently under a strategy."""
    with_sites = set()
    for module, group in program.related.items():
        for site in batch_sites(program, module):
            with_sites.add(group)
            if site.problem:
                reason = "cannot split the batches of this call over the replicas: " + site.problem
                problem = Refusal(site.call, reason, f"{site.action} and run tfmigrate again")
                yield refused(module, problem, group, blocks=True)
        for refusal in tensors_for_estimators(program, module):
            reason = f"{refusal.reason}, and under a strategy tf.estimator accepts only Datasets"
            action = "return a tf.data.Dataset from the input function"
            problem = Refusal(refusal.node, reason, action)
            yield refused(module, problem, group, blocks=True)
    for module, node, what in wrongly_scaled(program):
        action = (
            "migrate to TensorFlow 2.16 or later (without --target estimator), or rewrite the loss"
        )
        problem = Refusal(node, what, action)
        yield refused(module, problem, program.related[module], blocks=True)
    for module, group in program.imported_by_groups.items():
        for problem in _own_optimizers(module):
            yield refused(module, problem, group, blocks=True)
    for module, group in program.groups.items():
        for problem in _of_wrappers(program, module, group in with_sites):
            yield refused(module, problem, group, blocks=True)


def _own_optimizers(module: Module) -> Iterator[Refusal]:
    """Yields the methods that got the sum of the towers' gradients."""
    for owner in module.all(ast.ClassDef):
        if any((module.resolve(base) or "").startswith(_OPTIMIZERS) for base in owner.bases):
            for method in owner.body:
                if isinstance(method, ast.FunctionDef) and method.name == "apply_gradients":
                    yield Refusal(
                        method,
                        f"{owner.name}.apply_gradients got the sum of the towers' gradients, but "
                        "under a strategy each replica calls it with its own",
                        "override _apply_dense and _apply_sparse instead, or migrate to "
                        "TensorFlow 2.16 or later (without --target estimator)",
                    )


def _of_wrappers(program: Program, module: Module, has_sites: bool) -> Iterator[Refusal]:
    outside = [path for path, text in program.importers_outside([module]) if _passes_input(text)]
    for call in references(module, WRAPPER).calls:
        if outside:
            yield Refusal(
                call,
                f"{Path(outside[0]).name} imports this file and may pass input functions to "
                "the Estimator, but it is not part of this run",
                "import tensorflow in that file, so that tfmigrate splits its batches too",
            )
        if not has_sites:
            yield Refusal(
                call,
                "cannot split batches over the replicas: no call that passes an input "
                "function to the Estimator was found",
                "run tfmigrate on the files that train and evaluate it too",
            )


def _passes_input(text: str) -> bool:
    """Returns whether a file outside the run may pass input functions to an Estimator."""
    try:
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError):
        return True
    return any(getattr(f, "attr", getattr(f, "id", "")) in _TAKE_INPUT for f in calls)


def tensors_for_estimators(program: Program, module: Module) -> Iterator[Refusal]:
    """Yields the places of a module that return input as tensors."""
    for use in module.uses:
        name = use.qualified.removeprefix("tensorflow.")
        if use.qualified.startswith(_INPUTS) or use.qualified in INPUT_QUEUES:
            yield Refusal(use.node, f"tf.{name} returns tensors from a queue")
        elif use.qualified == _HOOK:
            yield Refusal(use.node, "InMemoryEvaluatorHook evaluates tensors of its input function")
    functions = program.once(InputFunctions)
    returned = [r.function for r in one_shot_returns(module) if functions.has(module, r.function)]
    for call, _ in method_calls(module, "get_next"):
        if module.function(call) not in returned:
            yield Refusal(call, "`get_next()` returns tensors")

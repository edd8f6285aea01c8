"""With --target estimator, something of which tf.estimator would make another training.

What it does:
    With `--target estimator`, reports what keeps a program with replicate_model_fn from training
    under tf.estimator's own `train_distribute` as it did: input functions that return tensors, or
    that cannot be told, and losses that tf.estimator would scale otherwise.

Why:
    tf.estimator takes only Datasets under a strategy. It divides the loss by the number of replicas
    unless the last function of tf.losses that was called has `reduction=SUM`; replicate_model_fn
    did so unless its own `loss_reduction` was SUM (semantics.md, 1.3).

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
    What the finding says, or migrate to TensorFlow 2.16 or newer, where the runtime does it.

Safety:
    The program stays as it is, all of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tfmigrate.families.input_fn.batch_sites import batch_sites
from tfmigrate.families.input_fn.estimator_input import tensors_for_estimators
from tfmigrate.families.replicate_model_fn.estimator_losses import wrongly_scaled
from tfmigrate.families.replicate_model_fn.family import references
from tfmigrate.model.findings import Severity
from tfmigrate.model.targets import ESTIMATOR
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.tables.family_names import WRAPPER

CODE = "TFM213"
NAME = "not-for-tf-estimator"
SEVERITY = Severity.MANUAL
TARGET = ESTIMATOR

_GIVES = ("train", "evaluate", "TrainSpec", "EvalSpec")


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for everything that tf.estimator under a strategy would do otherwise."""
    with_sites = set()
    for module, group in program.related.items():
        for site in batch_sites(program, module):
            with_sites.add(group)
            if site.problem:
                yield _draft(
                    module,
                    site.call,
                    group,
                    f"the batches of this call cannot be split over the replicas: {site.problem}",
                    "call it on a name that is assigned the Estimator, as train(input_fn=...)",
                )
        for refusal in tensors_for_estimators(program, module):
            yield _draft(
                module,
                refusal.node,
                group,
                f"{refusal.reason}; under a strategy tf.estimator takes Datasets alone",
                "return a tf.data.Dataset from the input function",
            )
    for module, node, what in wrongly_scaled(program):
        yield _draft(
            module,
            node,
            program.related[module],
            what,
            "migrate it to TensorFlow 2.16 or newer (without --target estimator), or by hand",
        )
    for module, group in program.groups.items():
        outside = [path for path, text in program.importers_outside([module]) if _gives_input(text)]
        for call in references(module, WRAPPER).calls:
            if outside:
                yield _draft(
                    module,
                    call,
                    group,
                    f"{Path(outside[0]).name} imports it and may give the Estimator input, "
                    "whose batches would have to be split over the replicas",
                    "import tensorflow in that file too, so that tfmigrate reads it",
                )
            if group not in with_sites:
                yield _draft(
                    module,
                    call,
                    group,
                    "no call that gives an input function to the Estimator was found, whose "
                    "batches would have to be split over the replicas",
                    "run tfmigrate on the files that train and evaluate it as well",
                )


def _gives_input(text: str) -> bool:
    """Says whether a file that is not of the run may give input to an Estimator."""
    try:
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError):
        return True
    return any(getattr(f, "attr", getattr(f, "id", "")) in _GIVES for f in calls)


def _draft(module: Module, node: ast.AST, group: str, message: str, action: str) -> Draft:
    return Draft(
        code=CODE,
        module=module,
        node=node,
        severity=SEVERITY,
        message=message,
        action=action,
        group=group,
        blocks=True,
    )

"""An input function returns its Dataset, not the next element of an iterator over it.

What it does:
    Where an input function ends in `return dataset.make_one_shot_iterator().get_next()`, perhaps by
    way of variables, it returns the Dataset. Only where nothing else is done with the iterator or
    its element, and where the function is handed to Estimators only.

Why:
    Both work, and feed the same batches in the same order. But from the Dataset itself an
    Estimator can give each of several replicas a batch of its own (`train_distribute` without
    `global_batch`) and predict on all of them, and make_one_shot_iterator is a method of
    TensorFlow 1.x's Datasets only.

Example:
    Before::

        import tensorflow as tf

        def input_fn():
          dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(32)
          iterator = dataset.make_one_shot_iterator()
          features, labels = iterator.get_next()
          return features, labels

        tf.estimator.Estimator(model_fn).train(input_fn=input_fn, steps=100)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def input_fn():
          dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(32)
          return dataset

        estimator.Estimator(model_fn).train(input_fn=input_fn, steps=100)

What is left to you:
    Nothing. Input functions that change the element (`features.pop('label')`) stay as they are and
    work; you may move the change into `dataset.map(...)`.

Safety:
    Safe: the batches are the same, in the same order (semantics.md, 1.1). Values that
    TensorFlow draws from a seed of the whole graph also depend on how many operations the graph
    has, and change with any change of the program.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.input_fn.input_functions import InputFunctions
from tfmigrate.families.input_fn.one_shot_returns import one_shot_returns
from tfmigrate.families.tf1.is_tf1 import centres_of, group_of
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM710"
NAME = "return-dataset"
SEVERITY = Severity.FIXED
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every return of an iterator's next element in an input function."""
    modules = program.mentioning("make_one_shot_iterator")
    centres = program.once(centres_of) if modules else []
    functions = InputFunctions(program) if modules else None
    for module in modules:
        if functions is None or not program.connected(module, centres):
            continue
        for found in one_shot_returns(module):
            if functions.has(module, found.function):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=found.statement,
                    severity=SEVERITY,
                    message="the input function returns its Dataset, not a one-shot iterator's "
                    "next element",
                    edits=found.edits,
                    group=group_of(program, module),
                    quiet=True,
                )

"""An input function returns its Dataset, not the next element of a one-shot iterator.

What it does:
    Changes input functions that end in `return dataset.make_one_shot_iterator().get_next()`,
    directly or through variables, to return the Dataset. Applies only if the iterator and its
    element have no other use and the function is passed only to Estimators.

Why:
    Both feed the same batches in the same order. But from a Dataset an Estimator can give each
    replica its own batch (`train_distribute` without `global_batch`) and predict on all replicas,
    and only TensorFlow 1.x Datasets have make_one_shot_iterator.

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
    Nothing. Input functions that change the element (`features.pop('label')`) work as they are; you
    can move the change into `dataset.map(...)`. A Dataset that was made outside of the graph
    (`with tf.Graph().as_default():`) of its one-shot iterator is reported: make it inside.

Safety:
    Safe: the batches are the same, in the same order (semantics.md, 1.1). Random values drawn
    from the graph-level seed depend on the number of operations in the graph, and so change with
    any change of the program.
"""

from tfmigrate.families.input_fn.input_functions import InputFunctions
from tfmigrate.families.input_fn.one_shot_returns import one_shot_returns
from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.families.tf1.outer_datasets import iterated_in_own_graph
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.FIXED

_OTHER_GRAPH = (
    "this Dataset was made in another graph, from which TensorFlow 1.x copied it: TensorFlow 2 "
    "raises ValueError"
)
_MAKE_IT_THERE = "make the Dataset in the graph of the iterator"


def check(program: Program) -> Drafts:
    """Yields one draft for every return of an iterator's next element in an input function."""
    for module in migrated(program, "make_one_shot_iterator"):
        functions = program.once(InputFunctions)
        for iterator_return in one_shot_returns(module):
            if functions.has(module, iterator_return.function):
                message = "next element of a one-shot iterator -> the Dataset itself"
                places, edits = [iterator_return.statement], iterator_return.edits
                yield file_draft(program, module, places, edits, message)
        for dataset in iterated_in_own_graph(module):
            yield drafted(module, dataset, _OTHER_GRAPH, _MAKE_IT_THERE)

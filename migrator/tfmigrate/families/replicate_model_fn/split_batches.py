"""The function that splits batches over replicas, which is added to programs.

Under tf.estimator each replica takes a whole batch; replicate_model_fn split one. Splitting every
batch into one part per replica, in order, gives each replica the rows of its tower: tf.estimator
deals the parts of a batch to the replicas in turn.

The function (``data/split_batches.py.txt``) is added to a file, since tfmigrate_runtime needs
TensorFlow 2.16. It cuts batches of the Dataset: a program that divides its batch size by N would
split the last, smaller batch of an epoch differently. ``reshape`` to N parts fails on a batch that
N does not divide, as the split of towers did (semantics.md, 1.2).
"""

from tfmigrate.model.edits import Edit
from tfmigrate.resolve.module import Module
from tfmigrate.rulekit.added_definition import added_definition, written_out
from tfmigrate.rulekit.standard_imports import standard_import, standard_name
from tfmigrate.rulekit.tensorflow_import import import_of_definition


def splitter_name(module: Module) -> str:
    """Returns the name of the function in a module."""
    return module.names.free_name(
        "split_batches", "split_batches_over_replicas", "tfmigrate_split_batches"
    )


def splitter(module: Module) -> tuple[Edit, ...]:
    """Returns the edits that define the function in a module, with its imports."""
    inspect = standard_name(module, "inspect")
    tf, line, edits = import_of_definition(module)
    names = {"name": splitter_name(module), "tf": tf, "inspect": inspect, "imports": line}
    text = written_out("split_batches", **names)
    return (added_definition(module, text), *standard_import(module, "inspect"), *edits)

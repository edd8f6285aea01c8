"""`tensorflow.examples.tutorials.mnist` becomes `tfmigrate_runtime.datasets.mnist`.

What it does:
    Replaces the names of the MNIST tutorial's package, most often `input_data`, in every form of
    import. Reports other imports from `tensorflow.examples`.

Why:
    TensorFlow 2.0 removed tensorflow.examples, so the import fails.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.examples.tutorials.mnist import input_data

        mnist = input_data.read_data_sets('data', one_hot=True)
        model = tf.estimator.Estimator(model_fn)

    After::

        from tfmigrate_runtime import estimator
        from tfmigrate_runtime.datasets.mnist import input_data

        mnist = input_data.read_data_sets('data', one_hot=True)
        model = estimator.Estimator(model_fn)

What is left to you:
    The four IDX files must be in the directory, compressed or not. Nothing is downloaded; if a file
    is missing, the error message says where to get it. Other parts of tensorflow.examples are
    reported: replace them, or copy them into your program.

Safety:
    Safe: the batches are the same as with TensorFlow 1.15, in the same order.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.migrated_files import migrated
from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import imports, star_imports
from tfmigrate.rulekit.basics import Drafts, Joins, Module, Program, Severity, Status, drafted
from tfmigrate.tables.runtime_api import MNIST

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
SYMBOLS = {Status.GONE: ("tensorflow.examples",)}

_EXAMPLES = "tensorflow.examples"


def check(program: Program) -> Drafts:
    """Yields one draft for every file that reads MNIST, and one for each name that stays."""
    yield from renamed(program, MNIST)
    for module in migrated(program, "examples"):
        for node, name in _left(module):
            message = f"{name} is not in TensorFlow 2"
            action = "replace it, or copy its code from TensorFlow 1.15 into the program"
            yield drafted(module, node, message, action)


def _left(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Yields the imports and uses of names of the package that the runtime does not have."""
    reported: set[ast.alias] = set()
    for binding in imports(module):
        is_plain = isinstance(binding.statement, ast.Import) and not binding.alias.asname
        name = binding.alias.name if is_plain else binding.qualified
        around = _is_around(name) and (is_plain or not module.uses_through(binding))
        if _is_left(name) or around:
            reported.add(binding.alias)
            yield binding.statement, canonical(name)
    for statement in star_imports(module, _EXAMPLES):
        yield statement, canonical(statement.module or "")
    for use in module.uses:
        root = module.names.root_import(use.node)
        if root is not None and root.alias not in reported and _is_left(use.qualified):
            yield use.node, use.qualified


def _is_left(name: str) -> bool:
    """Returns whether a name is of tensorflow.examples, and neither ours nor around ours."""
    name = canonical(name)
    ours = MNIST.offers_qualified(name) or _is_around(name)
    return (name + ".").startswith(_EXAMPLES + ".") and not ours


def _is_around(name: str) -> bool:
    """Returns whether a name is tensorflow.examples or tensorflow.examples.tutorials."""
    return (
        name != MNIST.source and (MNIST.source + ".").startswith(name + ".") and _EXAMPLES in name
    )

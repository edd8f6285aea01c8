"""A name of tf.contrib becomes its equivalent in core TensorFlow.

What it does:
    Replaces the names of tf.contrib that core TensorFlow has too, in every form of import. The
    table is migrator/tfmigrate/data/equivalents.txt. Where the core function orders or names its
    parameters differently, the arguments of a call are adapted.

Why:
    TensorFlow 2.0 removed tf.contrib. These names were aliases of core names, or compute the same.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          step = tf.contrib.framework.get_global_step()
          accuracy = tf.contrib.metrics.streaming_accuracy(predictions, labels)
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        metric = tf.contrib.learn.MetricSpec(tf.contrib.metrics.streaming_accuracy)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import learn

        def model_fn(features, labels, mode):
          step = tf.train.get_global_step()
          accuracy = tf.metrics.accuracy(predictions=predictions, labels=labels)
          return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        metric = learn.MetricSpec(tf.metrics.accuracy)

What is left to you:
    A function whose core equivalent orders its parameters differently, if it is passed as a value
    (`f(tf.contrib.metrics.streaming_accuracy)`) or called with `*args`; TFM702 reports it.

Safety:
    Safe.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1 import core_names
from tfmigrate.families.tf1.is_tf1 import is_kept_off
from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.families.tf1.renamed_package import CONTRIB, aliases_of_core_names, is_replaced
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression, ReplaceStatement
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import imports
from tfmigrate.rulekit.basics import Drafts, Joins, Module, Program, Severity, Status, Use
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
SYMBOLS = {Status.CORE: ("tensorflow.contrib",)}


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses such names, with all its edits."""
    for module in migrated(program, "contrib", "seq2seq"):  # tf.nn.seq2seq is of tf.contrib too
        uses = [
            use
            for use in module.uses
            if core_names.goes_to_core(module, use)
            and _is_written(module, use)
            and not is_kept_off(program, module, use.node)
        ]
        import_edits = [
            (b, edit)
            for b in imports(module)
            if (edit := core_names.kept_import(module, b))
            and not is_kept_off(program, module, b.statement)
        ]
        of_estimator = _estimator_names(program, module)
        if not uses and not import_edits and not of_estimator:
            continue
        edits: list[Edit] = [edit for use in uses for edit in core_names.core_edits(module, use)]
        edits += [ReplaceExpression(use.node, code) for use, code in of_estimator]
        uses += [use for use, _ in of_estimator]
        edits += tensorflow_import(module, *(use.node for use in uses)) if uses else ()
        edits += [edit for _, edit in import_edits]
        edits += _removed_imports(program, module, [use for use, _ in of_estimator])
        edits += [ReplaceStatement(statement) for statement in aliases_of_core_names(module)]
        places: list[ast.AST] = [*(use.node for use in uses), *(b.alias for b, _ in import_edits)]
        message = "tf.contrib names -> core equivalents"
        yield file_draft(program, module, places, edits, message)


def _is_written(module: Module, use: Use) -> bool:
    """Returns whether a use names the package itself, not a variable that holds it."""
    if not use.qualified.startswith(CONTRIB + "."):
        return False  # of TensorFlow before 1.0 (TFM705)
    if use.imported:
        return True
    alias = module.names.root_alias(use.node)
    held = module.resolve(alias.value) if alias else None
    return held is not None and core_names.equivalent(held) is None


def _estimator_names(program: Program, module: Module) -> list[tuple[Use, Code]]:
    """Returns what tf.estimator has of tf.contrib, with ``--target estimator``; it stays there."""
    return [
        (use, Code(f"{tensorflow_name(module, use.node)}.{name}"))
        for use in (module.uses if program.estimator else ())
        if (name := core_names.estimator_name(module, use))
        and not is_kept_off(program, module, use.node)
    ]


def _removed_imports(program: Program, module: Module, replaced: list[Use]) -> Iterator[Edit]:
    """Yields the edits that remove imports of tf.contrib whose uses are all replaced."""
    for binding in imports(module):
        plain = isinstance(binding.statement, ast.Import) and not binding.alias.asname
        if plain or not (canonical(binding.qualified) + ".").startswith(CONTRIB + "."):
            continue
        uses = module.uses_through(binding)
        if is_kept_off(program, module, binding.statement):
            continue
        some = any(use in replaced or core_names.goes_to_core(module, use) for use in uses)
        if some and all(use in replaced or is_replaced(module, use) for use in uses):
            yield ChangeImport(binding.statement, binding.alias, "")

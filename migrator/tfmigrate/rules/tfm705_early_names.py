"""A name from before TensorFlow 1.0 becomes its TensorFlow 1.x name.

What it does:
    Replaces names that TensorFlow 1.0 renamed (`tf.pack`, `tf.mul`, `tf.scalar_summary`,
    `tf.train.SummaryWriter`, ...; the table is
    migrator/tfmigrate/data/equivalents.txt), and two that later releases removed
    (`tf.logging._logger`, `tf.flags.FlagsError`). Reorders the arguments of `tf.concat`,
    `tf.split`, `tf.reverse`, `tf.image.resize_images` and the cross entropies where a call uses
    the order of TensorFlow 0.12. The cross entropies take arguments by position in TensorFlow
    before 1.0 and in TensorFlow 2, in different orders: such calls are reordered in files of
    TensorFlow 1.x only, and reported where a file has eager code or Keras models too. In programs
    with such names or calls, `tf.nn.sampled_softmax_loss` and `tf.nn.nce_loss` get their arguments
    by name, because 1.0 swapped two of them; `MultiRNNCell([cell] * n)`, whose layers had separate
    weights, is reported. TensorArrays' `pack` and `unpack` become `stack` and `unstack`. A sampled
    loss of `inputs` and `labels` that is the `softmax_loss_function` of seq2seq is called with
    `labels` and `logits`.

Why:
    Neither TensorFlow 1.15 nor compat.v1 has these names, and `tf.concat(1, values)` fails there.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          both = tf.concat(1, [features['a'], features['b']])
          logits = tf.mul(both, tf.get_variable('w', []))
          cost = tf.nn.sparse_softmax_cross_entropy_with_logits(logits, labels)
          tf.scalar_summary('loss', tf.reduce_mean(cost))
          return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_mean(cost))

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          both = tf.concat([features['a'], features['b']], 1)
          logits = tf.multiply(both, tf.get_variable('w', []))
          cost = tf.nn.sparse_softmax_cross_entropy_with_logits(
              logits=logits,
              labels=labels)
          tf.summary.scalar('loss', tf.reduce_mean(cost))
          return estimator.EstimatorSpec(mode, loss=tf.reduce_mean(cost))

What is left to you:
    A summary created in a name scope has had the scope in its name since 1.0. Summaries of several
    tags at once (`tf.scalar_summary(['a', 'b'], values)`) are reported. Names that compat.v1 has
    (`tf.initialize_all_variables`) stay.

Safety:
    Safe.
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.tf1 import early_calls
from tfmigrate.families.tf1.core_names import core_edits, core_name, goes_to_core
from tfmigrate.families.tf1.generations import has_keras_models, is_eager_style
from tfmigrate.families.tf1.is_tf1 import ambiguous_calls, legacy_modules
from tfmigrate.families.tf1.migrated_files import file_draft, is_migrated
from tfmigrate.families.tf1.renamed_package import CONTRIB
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module, Use, imports
from tfmigrate.rulekit.basics import Draft, Drafts, Joins, Program, Severity, Status, drafted
from tfmigrate.rulekit.tensorflow_import import tensorflow_import

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
SYMBOLS = {Status.CORE: ("tensorflow",)}
# How many arguments by position came before input_size in TensorFlow 0.x.
_BEFORE_INPUT_SIZE = {"BasicLSTMCell": 2, "BasicRNNCell": 1, "GRUCell": 1, "LSTMCell": 1}
# A module that only 1.0 had there. Its cells took sizes and shared weights as those before it.
_CORE_CELL = "tensorflow.contrib.rnn.core_rnn_cell."
# Modules of TensorFlow 0.x.
_GONE_BEFORE = (
    "tensorflow.models.rnn.",
    "tensorflow.nn.seq2seq.",
    "tensorflow.python.ops.seq2seq.",
)
# Names that releases after 1.0 removed.
_LEFT_LATER = ("tensorflow.app.flags.", "tensorflow.flags.", "tensorflow.logging.")


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses such names, and one for each that stays."""
    legacy = program.once(legacy_modules)
    for module in program.modules:
        renamed = [use for use in module.uses if _is_early(use)]
        early = [use for use in module.uses if early_calls.is_early_call(module, use)]
        unclear = ambiguous_calls(module) if module in legacy else []
        of_0 = module in legacy and program.connected(module, program.once(_modules_before_1_0))
        of_1_0 = module in legacy and program.connected(module, program.once(_modules_of_1_0))
        swapped = [use for use in module.uses if of_0 and early_calls.swapped_call(module, use)]
        methods: list[tuple[ast.expr, Edit]] = []
        if module in legacy:
            methods = [*early_calls.early_methods(module), *early_calls.early_losses(module)]
        if of_0 or of_1_0:
            yield from _shared_cells(module)
            yield from _sized_cells(module)
        if module in legacy:
            yield from _partial_calls(module)
        found_any = renamed or early or unclear or swapped or methods
        if not found_any or not is_migrated(program, module):
            continue
        if unclear and (is_eager_style(module) or has_keras_models(module)):
            yield from (_ambiguous(module, use) for use in unclear)
            unclear = []
        calls = [(use, early_calls.early_call(module, use)) for use in (*early, *unclear)]
        calls += [(use, early_calls.swapped_call(module, use)) for use in swapped]
        moved = [use for use in renamed if _is_renamed(module, use)]
        for use in renamed:
            if use not in moved and use.imported and not is_guarded(module, use.node):
                yield _left(module, use)
        edits = [edit for use in moved for edit in core_edits(module, use)]
        edits += _tags_of_bytes(module, moved)
        if moved:
            edits += tensorflow_import(module, *(use.node for use in moved))
            edits += _removed_imports(module, {id(use.node) for use in moved})
        edits += [edit for _, call_edits in calls for edit in call_edits]
        edits += [edit for _, edit in methods]
        nodes = [*(use.node for use in moved), *(use.node for use, _ in calls)]
        if places := sorted([*nodes, *(method for method, _ in methods)], key=module.position):
            message = "names from before TensorFlow 1.0 -> TensorFlow 1.x names"
            yield file_draft(program, module, places, edits, message)


def _modules_before_1_0(program: Program) -> list[Module]:
    """Returns the files that only TensorFlow before 1.0 can run."""
    return [m for m in program.modules if any(_is_before_1_0(m, use) for use in m.uses)]


def _modules_of_1_0(program: Program) -> list[Module]:
    """Returns the files that only TensorFlow 1.0 can run."""
    return [
        module
        for module in program.modules
        if any((module.names.spelled(u.node) or "").startswith(_CORE_CELL) for u in module.uses)
    ]


def _is_before_1_0(module: Module, use: Use) -> bool:
    if (module.names.spelled(use.node) or "").startswith(_GONE_BEFORE):
        return True
    if use.qualified.startswith(_LEFT_LATER) or early_calls.is_sentinel_call(module, use):
        return False
    return _is_early(use) or early_calls.is_early_call(module, use)


def _shared_cells(module: Module) -> Drafts:
    """Yields a draft for every ``MultiRNNCell([cell] * n)``, whose layers had their own weights."""
    for use in module.uses:
        call = module.call_of(use.node)
        if not use.qualified.endswith(".MultiRNNCell") or call is None:
            continue
        cells = argument(call, 0, "cells")
        if isinstance(cells, ast.BinOp) and isinstance(cells.op, ast.Mult):
            yield drafted(
                module,
                cells,
                "the layers of MultiRNNCell([cell] * n) had separate weights before "
                "TensorFlow 1.1; since then they share those of the one cell",
                "make a cell for each layer: [make_cell() for _ in range(n)]",
            )


def _sized_cells(module: Module) -> Drafts:
    """Yields a draft for every cell that is given its input_size by position, as before 1.0."""
    for use in module.uses:
        package, _, name = use.qualified.rpartition(".")
        call = module.call_of(use.node)
        if not package.endswith(".rnn_cell") or call is None:
            continue
        if len(call.args) > _BEFORE_INPUT_SIZE.get(name, 99):
            yield drafted(
                module,
                call,
                f"argument {_BEFORE_INPUT_SIZE[name] + 1} of {name} was input_size before "
                "TensorFlow 1.0, and means another thing now",
                "leave input_size out, and pass what follows it by keyword",
            )


def _partial_calls(module: Module) -> Drafts:
    """Yields a draft for ``partial(tf.concat, 1)``: the axis came first before TensorFlow 1.0."""
    for use in module.uses_of("tensorflow.concat", "tensorflow.split"):
        call = module.parent(use.node)
        if not isinstance(call, ast.Call) or call.args[:1] != [use.node] or len(call.args) < 2:
            continue
        if module.resolve(call.func) == "functools.partial" and early_calls.is_number(call.args[1]):
            name = use.qualified.replace("tensorflow.", "tf.", 1)
            message = f"{name} took the axis first before TensorFlow 1.0, and takes it last now"
            action = "pass it by keyword: axis=..."
            yield drafted(module, call, message, action)


def _is_early(use: Use) -> bool:
    is_contrib = (use.qualified + ".").startswith(CONTRIB + ".")
    return not is_contrib and core_name(use.qualified) is not None


def _is_renamed(module: Module, use: Use) -> bool:
    if not use.imported or not goes_to_core(module, use):
        return False
    is_scalar = use.qualified == "tensorflow.scalar_summary"
    return not (is_scalar and isinstance(_tag(module, use), (ast.List, ast.Tuple)))


def _tag(module: Module, use: Use) -> ast.expr | None:
    """Returns the tag that a call of an early summary gives; None where none is seen."""
    call = module.call_of(use.node)
    if not use.qualified.endswith("_summary") or call is None:
        return None
    tags = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("tag", "tags"))]
    return tags[0] if tags else None


def _tags_of_bytes(module: Module, uses: Sequence[Use]) -> Iterator[Edit]:
    """Yields the edits that make texts of tags like ``b"loss"``: names of operations are texts."""
    for use in uses:
        tag = _tag(module, use)
        if isinstance(tag, ast.Constant) and isinstance(tag.value, bytes):
            yield ReplaceExpression(tag, Code(repr(tag.value.decode("utf-8", "replace"))))


def _ambiguous(module: Module, use: Use) -> Draft:
    name = use.qualified.replace("tensorflow.", "tf.", 1)
    return drafted(
        module,
        use.node,
        f"{name} with arguments by position: TensorFlow before 1.0 takes logits first, "
        "TensorFlow 2 labels, and this file uses names of both",
        "name the arguments (labels=..., logits=...)",
    )


def _removed_imports(module: Module, replaced: set[int]) -> Iterator[Edit]:
    """Yields the edits that remove `from tensorflow import pack` where its uses are replaced."""
    for binding in imports(module):
        uses = module.uses_through(binding)
        early = uses and all(_is_early(use) for use in uses)
        direct = isinstance(binding.statement, ast.ImportFrom) and core_name(binding.qualified)
        if direct and early and all(id(use.node) in replaced for use in uses):
            yield ChangeImport(binding.statement, binding.alias, "")


def _left(module: Module, use: Use) -> Draft:
    old = use.qualified.replace("tensorflow.", "tf.", 1)
    message = f"{old} was removed in TensorFlow 1.0, and these arguments cannot be mapped"
    action = f"use tf.{core_name(use.qualified)}, which has different parameters"
    return drafted(module, use.node, message, action)

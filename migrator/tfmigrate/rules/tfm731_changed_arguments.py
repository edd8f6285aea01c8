"""An argument is adapted to a function whose parameters changed.

What it does:
    Removes arguments that had no effect (`add_update(inputs=...)` of a Keras or tf.layers layer;
    `k`, `num_rows`, `num_cols` and `padding_value` of `tf.matrix_diag`, `tf.matrix_set_diag` and
    `tf.matrix_diag_part`), renames arguments whose parameter was renamed, and passes arguments by
    keyword where a parameter was inserted before them (`tf.nn.top_k`, `tf.scatter_nd`,
    `tf.matmul`). `num_threads` and `output_buffer_size` of tf.contrib.data's `map` become
    `num_parallel_calls` and `.prefetch()`; a `num_parallel_calls` that is a tensor of int32 is cast
    to int64. An epsilon of fused batch normalization is raised to 1.001e-5, as TensorFlow 1.x did.
    Reports all other arguments that a function of
    TensorFlow 1.0 to 1.15 took and what replaces it does not take, or takes at another position,
    and `load_iris()` and `load_boston()` without `data_path`, whose files came with TensorFlow.

Why:
    TensorFlow 1.15 ignored these parameters of tf.matrix_diag; with TensorFlow 2 they select a
    different diagonal. A layer's updates never depended on `inputs` in a session; TensorFlow 2
    raises TypeError. A `name` passed by position becomes the value of a different parameter.
    changed_functions.md lists the functions that were compared.

Example:
    Before::

        import tensorflow as tf

        class Average(tf.layers.Layer):
          def call(self, x):
            self.add_update(self.mean.assign(tf.reduce_mean(x)), inputs=x)
            return tf.matrix_diag(x, k=1)

        def best(logits):
          with tf.Session() as session:
            return session.run(tf.nn.top_k(logits, 5, True, "best"))

    After::

        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf

        class Average(tf.layers.Layer):
          def call(self, x):
            self.add_update(self.mean.assign(tf.reduce_mean(x)))
            return tf.matrix_diag(x)

        def best(logits):
          with tf.Session() as session:
            return session.run(tf.nn.top_k(logits, 5, True, name="best"))

What is left to you:
    Calls with `*` or `**` arguments, and the arguments that are reported.

Safety:
    Safe.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from tfmigrate.families.tf1 import lost
from tfmigrate.families.tf1.is_tf1 import group_of, legacy_modules, reached_by_compat
from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.resolve.calls import argument, has_star_arguments, method_calls, written_arguments
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, refused

SEVERITY = Severity.FIXED


@dataclass(frozen=True)
class _Change:
    """Parameters that had no effect and were removed, or have one now; with positions."""

    gone: dict[str, int]


_DIAG = _Change(gone={"k": 2, "num_rows": 3, "num_cols": 4, "padding_value": 5})
_SET_DIAG = _Change(gone={"k": 3})
_DIAG_PART = _Change(gone={"k": 2, "padding_value": 3})
_BY_NAME = -1
_CHANGES = {
    # TensorFlow 0.x took the task, and had no use for it any more.
    "train.SyncReplicasOptimizer": _Change(gone={"replica_id": _BY_NAME}),
    # Cells of TensorFlow 0.x did not use it.
    **{
        f"nn.rnn_cell.{cell}": _Change(gone={"input_size": _BY_NAME})
        for cell in ("BasicLSTMCell", "BasicRNNCell", "GRUCell", "LSTMCell")
    },
    "matrix_diag": _DIAG,
    "linalg.diag": _DIAG,
    "matrix_diag_part": _DIAG_PART,
    "linalg.diag_part": _DIAG_PART,
    "matrix_set_diag": _SET_DIAG,
    "linalg.set_diag": _SET_DIAG,
    "errors.UnknownError": _Change(gone={"error_code": 3}),
    "autograph.experimental.set_loop_options": _Change(gone={"back_prop": 1}),
}
# The packages of data sets, and the files of TensorFlow 1.x that their functions read.
_DATASETS = ("tensorflow.contrib.learn.datasets", "tfmigrate_runtime.datasets")
_INCLUDED = {"load_iris": "iris", "load_boston": "boston_house_prices"}
_METHOD, _OF_METHOD = "add_update", _Change(gone={"inputs": 1})
_LAYERS = ("tensorflow.layers.", "tensorflow.keras.", "tensorflow.nn.rnn_cell.")


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a migrated program that has such calls."""
    legacy = program.once(legacy_modules)
    for module in migrated(program):
        changes = [edits for call, change in _calls(module) if (edits := _arranged(call, change))]
        for refusal in _of_included_files(module):
            yield refused(module, refusal, group_of(program, module))
        if module in legacy:
            changed = (
                *_of_table(module),
                *lost.of_datasets(module),
                *lost.of_parallel_calls(module),
            )
            changed = (*changed, *lost.of_fused_norms(module))
            for change in (*changed, *lost.of_methods(program, module)):
                if isinstance(change, Refusal):
                    yield refused(module, change, group_of(program, module))
                else:
                    changes.append(change)
        if places := [lost.call_of(edits) for edits in changes]:
            message = "arguments for changed parameters -> TensorFlow 2's parameters"
            yield file_draft(program, module, places, chain(*changes), message)


def _of_included_files(module: Module) -> Iterator[Refusal]:
    """Yields the calls that read a file which came with TensorFlow 1.x."""
    for package in _DATASETS:
        for function, name in _INCLUDED.items():
            for call in module.calls_of(f"{package}.{function}", f"{package}.base.{function}"):
                if not call.args and not call.keywords:
                    yield Refusal(
                        call,
                        f"{function}() reads {name}.csv, which came with TensorFlow 1.x",
                        "pass as data_path a copy of contrib/learn/python/learn/datasets/data/"
                        f"{name}.csv of TensorFlow 1.x",
                    )
        for call in module.calls_of(f"{package}.load_dataset"):
            named = getattr(argument(call, 0, "name"), "value", None)
            if f"load_{named!s}" in _INCLUDED:
                text = f"load_dataset({named!r}) reads a file that came with TensorFlow 1.x"
                yield Refusal(call, text, f"call load_{named!s} with a data_path")


def _of_table(module: Module) -> Iterator[lost.Changed | Refusal]:
    """Yields what becomes of the calls of the functions in the table of lost arguments."""
    for use in module.uses:
        is_changed = use.qualified.removeprefix("tensorflow.") in _CHANGES
        if not is_changed and not reached_by_compat(module, use.node):
            yield from lost.of_function(module, use)


def _calls(module: Module) -> Iterator[tuple[ast.Call, _Change]]:
    """Yields the calls of functions and methods whose parameters changed."""
    for name, change in _CHANGES.items():
        yield from ((call, change) for call in module.calls_of(f"tensorflow.{name}"))
    for layer in module.all(ast.ClassDef):
        bases = [module.resolve(base) or "" for base in layer.bases]
        own = any(isinstance(s, ast.FunctionDef) and s.name == _METHOD for s in layer.body)
        if own or not any(base.startswith(_LAYERS) for base in bases):
            continue
        for method in layer.body:
            if isinstance(method, ast.FunctionDef) and method.args.args:
                this = method.args.args[0].arg
                calls = method_calls(module, _METHOD, within=method)
                yield from ((c, _OF_METHOD) for c, m in calls if getattr(m.value, "id", "") == this)


def _arranged(call: ast.Call, change: _Change) -> lost.Changed:
    """Returns the edit of a call, unless its arguments fit already."""
    if has_star_arguments(call):
        return ()
    positions = change.gone.values()
    kept_arguments = [
        (name, value)
        for index, (name, value) in enumerate(written_arguments(call))
        if (name not in change.gone if name else index not in positions)
    ]
    return lost.arranged(call, kept_arguments)

"""`tf.contrib.distribute` becomes `tfmigrate_runtime.distribute`.

What it does:
    Replaces the strategies of tf.contrib.distribute, their reductions (`cross_tower_ops`),
    DistributeConfig and the functions that return the current strategy or context. Handles every
    form of import, and the names of TensorFlow 1.8 to 1.12.

Why:
    TensorFlow 2.0 removed tf.contrib. `tf.distribute` strategies take other arguments (no
    `num_gpus`, no `cross_tower_ops`). In a custom training loop they split each batch of a dataset
    over the replicas, where those of tf.contrib gave every replica a whole batch. The runtime's
    strategies are `tf.distribute` strategies with the old arguments and the old meaning
    (contrib_distribute.md).

Example:
    Before::

        import tensorflow as tf

        FLAGS = tf.flags.FLAGS

        def make_config():
          strategy = tf.contrib.distribute.MirroredStrategy(
              num_gpus=FLAGS.num_gpus,
              cross_tower_ops=tf.contrib.distribute.AllReduceCrossTowerOps('nccl'))
          return tf.estimator.RunConfig(train_distribute=strategy)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import distribute
        from tfmigrate_runtime import estimator

        FLAGS = tf.flags.FLAGS

        def make_config():
          strategy = distribute.MirroredStrategy(
              num_gpus=FLAGS.num_gpus,
              cross_tower_ops=distribute.AllReduceCrossTowerOps('nccl'))
          return estimator.RunConfig(train_distribute=strategy)

    With `--target estimator`, the strategies of tf.distribute are used directly. In a RunConfig of
    tf.estimator they mean the same. A strategy that drives a custom training loop is left to you.

What is left to you:
    On one machine, only what TFM702 reports, and TFM735 for TPU programs.

Safety:
    Safe: losses and variables equal those of TensorFlow 1.15 (contrib_distribute.md).
"""

import ast
from dataclasses import replace

from tfmigrate.families.distribute.core_strategies import strategy_edits
from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.resolve.calls import argument
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status
from tfmigrate.tables.runtime_api import DISTRIBUTE

SEVERITY = Severity.FIXED
SYMBOLS = {Status.RUNTIME: ("tensorflow.contrib.distribute",)}

# Functions and classes of TensorFlow that make sparse gradients.
_SPARSE = ("gather", "gather_nd", "IndexedSlices", "Embedding")
_ALL_REDUCE = tuple(
    f"tensorflow.contrib.distribute.AllReduceCross{where}Ops" for where in ("Device", "Tower")
)


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses the package, with all its edits."""
    sparse = program.estimator and any(map(_has_sparse_gradients, program.modules))
    for draft in renamed(program, DISTRIBUTE):
        if any(_needs_nccl(call, draft.module) for call in draft.module.all(ast.Call)):
            draft = replace(draft, message=f"{draft.message}; NCCL all-reduce needs GPUs")
        edits = strategy_edits(draft.module, sparse) if program.estimator else None
        if edits is None:
            yield draft
        else:
            message = "tf.contrib.distribute -> tf.distribute"
            yield replace(draft, edits=tuple(edits), message=message)


def _has_sparse_gradients(module: Module) -> bool:
    names = [use.qualified.rpartition(".")[2] for use in module.uses]
    return any(
        name in _SPARSE or name.startswith(("embed", "safe_embed")) or name.endswith("_column")
        for name in names
    )


def _needs_nccl(call: ast.Call, module: Module) -> bool:
    """Returns whether a call makes a reduction by NCCL, which has no operations for CPUs."""
    if module.resolve(call.func) not in _ALL_REDUCE:
        return False
    algorithm = argument(call, 0, "all_reduce_alg")
    return algorithm is None or (isinstance(algorithm, ast.Constant) and algorithm.value == "nccl")

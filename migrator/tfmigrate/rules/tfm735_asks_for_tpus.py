"""A program that trains on TPUs.

What it does:
    Reports a TPUEstimator whose `use_tpu` is True: given so, by its default, or by the default of a
    flag; and the TPUStrategy of tf.contrib.distribute. The names are migrated all the same.

Why:
    The runtime's TPUEstimator trains on CPUs and GPUs, as that of TensorFlow 1.x did with
    `use_tpu=False`. With True it raises an error. TPUStrategy is
    `tf.distribute.experimental.TPUStrategy` of compat.v1, as it was in 1.15; whether TensorFlow 2
    still trains a program of 1.x under it was not tried: it needs TPUs.

Example:
    Before::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def build(model_fn, config):
          return estimator.tpu.TPUEstimator(model_fn=model_fn, config=config, train_batch_size=8)

What is left to you:
    Pass `use_tpu=False`, or start the program with its flag set to False: it trains on CPUs and
    GPUs then. Try a program with a TPUStrategy on TPUs before you rely on it, or use another
    strategy.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.flag_defaults import holds_by_default
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.calls import argument, original_calls
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM735"
NAME = "asks-for-tpus"
SEVERITY = Severity.MANUAL
TARGET = "2.16"

_ESTIMATOR = "tensorflow.estimator.tpu.TPUEstimator"
_POSITION = 4
_STRATEGY = "tensorflow.contrib.distribute.TPUStrategy"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every TPUEstimator that is made for TPUs, and for every TPUStrategy."""
    for module in program.mentioning("TPUStrategy"):
        for use in module.uses_of(_STRATEGY):
            yield Draft(
                code=CODE,
                module=module,
                node=use.node,
                severity=SEVERITY,
                message="this program trains on TPUs, where its migration was not tried",
                action="try it on TPUs, or use tf.distribute.MirroredStrategy on GPUs",
            )
    for module in program.mentioning("TPUEstimator"):
        calls = [c for c in module.all(ast.Call) if module.resolve(c.func) == _ESTIMATOR]
        for call in [*calls, *original_calls(module, _ESTIMATOR)]:
            use_tpu = argument(call, _POSITION, "use_tpu")
            if use_tpu is None and _has_more(call):
                continue
            if use_tpu is not None and not holds_by_default(program, module, use_tpu):
                continue
            what, action = "use_tpu is True", "pass use_tpu=False"
            if use_tpu is not None and not isinstance(use_tpu, ast.Constant):
                what = f"use_tpu is `{ast.unparse(use_tpu)}`, which is True by default"
                action = "set it to False"
            yield Draft(
                code=CODE,
                module=module,
                node=call,
                severity=SEVERITY,
                message=f"this TPUEstimator trains on TPUs: {what}",
                action=f"{action} to train on CPUs and GPUs",
            )


def _has_more(call: ast.Call) -> bool:
    """Says whether a call has arguments that cannot be read."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )

"""A program trains on TPUs.

What it does:
    Reports a TPUEstimator whose `use_tpu` is True, explicitly, by default, or by the default of a
    flag. Also reports the TPUStrategy of tf.contrib.distribute. The names are migrated anyway.

Why:
    The runtime's TPUEstimator trains on CPUs and GPUs, as TensorFlow 1.x's does with
    `use_tpu=False`; with True it raises an error. TPUStrategy becomes compat.v1's
    `tf.distribute.experimental.TPUStrategy`, its alias in TensorFlow 1.15. Training a migrated
    program under it has not been tested, because that needs TPUs.

Example:
    Before::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def build(model_fn, config):
          return estimator.tpu.TPUEstimator(model_fn=model_fn, config=config, train_batch_size=8)

What is left to you:
    To train on CPUs and GPUs, pass `use_tpu=False`, or start the program with its flag set to
    False. Test a program with a TPUStrategy on TPUs before you rely on it, or use a different
    strategy.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.replicate_model_fn.flag_defaults import holds_by_default
from tfmigrate.resolve.calls import argument, has_star_arguments, original_calls
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL

_ESTIMATOR = "tensorflow.estimator.tpu.TPUEstimator"
_POSITION = 4
_STRATEGY = "tensorflow.contrib.distribute.TPUStrategy"


def check(program: Program) -> Drafts:
    """Yields a draft for every TPUEstimator that uses TPUs, and for every TPUStrategy."""
    for module in program.mentioning("TPUStrategy"):
        for use in module.uses_of(_STRATEGY):
            yield drafted(
                module,
                use.node,
                "this program trains on TPUs; migrated programs have not been tested there",
                "test it on TPUs, or use tf.distribute.MirroredStrategy on GPUs",
            )
    for module in program.mentioning("TPUEstimator"):
        calls = [c for c in module.all(ast.Call) if module.resolve(c.func) == _ESTIMATOR]
        for call in [*calls, *original_calls(module, _ESTIMATOR)]:
            use_tpu = argument(call, _POSITION, "use_tpu")
            if use_tpu is None and has_star_arguments(call):
                continue
            if use_tpu is not None and not holds_by_default(program, module, use_tpu):
                continue
            what, action = "use_tpu is True", "pass use_tpu=False"
            if use_tpu is not None and not isinstance(use_tpu, ast.Constant):
                what = f"use_tpu is `{ast.unparse(use_tpu)}`, which is True by default"
                action = "set it to False"
            message = f"this TPUEstimator trains on TPUs: {what}"
            yield drafted(module, call, message, f"{action} to train on CPUs and GPUs")

"""Only one of replicate_model_fn and TowerOptimizer was found.

What it does:
    Reports `replicate_model_fn` without `TowerOptimizer`, or `TowerOptimizer` without
    `replicate_model_fn`, in files of this run that import each other. With `--unsafe`, the one that
    was found is migrated.

Why:
    TensorFlow 1.x raised "Please wrap optimizers with TowerOptimizer" if one was missing, so the
    other one is most likely in a file that was not passed to tfmigrate. A program that is migrated
    halfway runs on no version of TensorFlow.

Example:
    Before::

        import tensorflow as tf
        from model import model_fn

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        classifier = tf.estimator.Estimator(model_fn=replicated_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator
        from model import model_fn

        strategy = tf.distribute.MirroredStrategy()
        classifier = estimator.Estimator(
            model_fn=model_fn,
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Run tfmigrate on the folder that contains both. If there is no other half (a model that only
    ever ran on one GPU, an optimizer that was migrated before), use `--unsafe`.

Safety:
    Unsafe: the other half may be left unmigrated.
"""

from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted
from tfmigrate.tables.family_names import OPTIMIZER, WRAPPER

SEVERITY = Severity.UNSAFE


def check(program: Program) -> Drafts:
    """Yields a draft for every group that has the wrapper or the optimizer alone."""
    groups: dict[str, list[str]] = {}
    for module, group in program.groups.items():
        groups.setdefault(group, []).extend(use.qualified for use in module.uses)
    for module, group in program.groups.items():
        for used_name, missing in ((WRAPPER, OPTIMIZER), (OPTIMIZER, WRAPPER)):
            if not (uses := module.uses_of(used_name)) or missing in groups[group]:
                continue
            present, absent = (name.rpartition(".")[2] for name in (used_name, missing))
            node = uses[0].node
            message = f"{present} without {absent} in the files of this program"
            action = (
                f"run tfmigrate on the folder that contains {absent} too, "
                "or use --unsafe if there is none"
            )
            yield drafted(module, node, message, action, group=group, blocks=True)

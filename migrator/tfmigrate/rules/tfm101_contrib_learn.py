"""tf.contrib.learn becomes tfmigrate_runtime.learn.

What it does:
    Replaces the names of tf.contrib.learn that the runtime provides, in every form of import:
    Experiment, learn_runner, export strategies, ValidationMonitor.

Why:
    TensorFlow 2.0 removed tf.contrib. The runtime's Experiment calls train, evaluate and export at
    the same global steps as the original. tf.estimator.train_and_evaluate does not: it skips the
    evaluation of the first checkpoint and of a finished training, and uses different delays.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.contrib.learn.python.learn import learn_runner

        def experiment_fn(output_dir):
          return tf.contrib.learn.Experiment(
              tf.estimator.Estimator(model_fn, output_dir),
              train_input_fn=train_input_fn,
              eval_input_fn=eval_input_fn,
              train_steps=1000)

        learn_runner.run(experiment_fn, 'model', 'continuous_train_and_eval')

    After::

        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import learn
        from tfmigrate_runtime.learn import learn_runner

        def experiment_fn(output_dir):
          return learn.Experiment(
              estimator.Estimator(model_fn, output_dir),
              train_input_fn=train_input_fn,
              eval_input_fn=eval_input_fn,
              train_steps=1000)

        learn_runner.run(experiment_fn, 'model', 'continuous_train_and_eval')

What is left to you:
    Nothing, unless TFM702 reports a name that the runtime does not provide.

Safety:
    Safe. Timing is preserved too: like the original, the runtime looks for new checkpoints every
    five seconds.
"""

import ast
from dataclasses import replace

from tfmigrate.families.experiment.experiments import EXPERIMENT, plans
from tfmigrate.families.experiment.for_tf_estimator import run_configs
from tfmigrate.families.tf1.core_names import estimator_name
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.model.edits import ChangeImport, Code, ReplaceExpression
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status, Use, drafted
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name
from tfmigrate.tables.runtime_api import LEARN

SEVERITY = Severity.FIXED
SYMBOLS = {Status.RUNTIME: ("tensorflow.contrib.learn",)}


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses tf.contrib.learn, with all its edits."""

    def replaced(module: Module) -> list[ast.expr]:
        nodes = [node for plan in program.once(plans, module) for node in plan.replaced]
        uses = module.uses if program.estimator else ()
        nodes += [use.node for use in uses if estimator_name(module, use)]
        return nodes + [use.node for use in _run_configs(program, module)]

    for draft in renamed(program, LEARN, replaced):
        if all(isinstance(edit, ChangeImport) and not edit.code for edit in draft.edits):
            yield replace(draft, message="imports of tf.contrib.learn removed: no longer used")
            continue
        also_left = _kept_experiments(program, draft.module) + _subclasses(draft.module)
        yield replace(draft, message=f"{draft.message}{also_left}")
    for module in program.mentioning("RunConfig"):
        if uses := _run_configs(program, module):
            yield drafted(
                module,
                uses[0].node,
                "tf.contrib.learn.RunConfig -> tf.estimator.RunConfig",
                edits=(
                    *(ReplaceExpression(use.node, _run_config(module, use)) for use in uses),
                    *tensorflow_import(module, *(use.node for use in uses)),
                ),
                group=group_of(program, module),
            )


def _kept_experiments(program: Program, module: Module) -> str:
    """Returns what the message says of the Experiments of a file that TFM102 does not convert."""
    converted = {id(plan.call) for plan in program.once(plans, module)}
    if not (lines := [c.lineno for c in module.calls_of(EXPERIMENT) if id(c) not in converted]):
        return ""
    which = ", ".join(map(str, lines))
    if len(lines) == 1:
        return f"; the Experiment at line {which} stays one, which the runtime runs"
    return f"; the Experiments at lines {which} stay Experiments, which the runtime runs"


def _subclasses(module: Module) -> str:
    """Returns what the message says of the classes that derive from Experiment."""
    if not module.mentions("Experiment"):
        return ""
    classes = [
        c for c in module.all(ast.ClassDef) if any(module.resolve(b) == EXPERIMENT for b in c.bases)
    ]
    those = [f"{c.name} (line {c.lineno}) derives from the runtime's Experiment" for c in classes]
    return "".join(f"; {text}" for text in those)


def _run_configs(program: Program, module: Module) -> list[Use]:
    """Returns the uses of RunConfig that become tf.estimator's, with ``--target estimator``."""
    return run_configs(module) if program.estimator else []


def _run_config(module: Module, use: Use) -> Code:
    return Code(f"{tensorflow_name(module, use.node)}.estimator.RunConfig")

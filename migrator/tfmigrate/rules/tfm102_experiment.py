"""An Experiment becomes a TrainSpec, an EvalSpec and train_and_evaluate.

What it does:
    Replaces an Experiment with a TrainSpec, an EvalSpec and `estimator.train_and_evaluate`, if it
    is run where tfmigrate can find it, by `learn_runner.run` or its own `train_and_evaluate`.
    `schedule=ExperimentSchedule()` keeps the evaluations and exports of the Experiment.

Why:
    TensorFlow 2.0 removed tf.contrib. tf.estimator's own schedule does not evaluate the first
    checkpoint or a finished training, waits 600 s between evaluations, and exports at other times.
    Remove `schedule` to get that schedule instead.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.contrib.learn.python.learn import learn_runner

        def experiment_fn(output_dir):
          return tf.contrib.learn.Experiment(
              tf.estimator.Estimator(model_fn, output_dir),
              train_input_fn=train_input_fn,
              eval_input_fn=eval_input_fn,
              train_steps=1000,
              eval_steps=None,
              min_eval_frequency=100)

        learn_runner.run(experiment_fn, 'model')

    After::

        from tfmigrate_runtime import estimator

        def experiment_fn(output_dir):
          train_spec = estimator.TrainSpec(train_input_fn, max_steps=1000)
          eval_spec = estimator.EvalSpec(
              eval_input_fn,
              steps=None,
              schedule=estimator.ExperimentSchedule(min_eval_frequency=100))
          return estimator.Estimator(model_fn, output_dir), train_spec, eval_spec

        estimator.train_and_evaluate(*experiment_fn('model'))

What is left to you:
    Nothing. Arguments that train_and_evaluate never used (`eval_delay_secs`,
    `continuous_eval_throttle_secs`, `local_eval_frequency`, `train_steps_per_iteration`) are
    removed, and the finding lists them. Other Experiments stay Experiments (TFM101): those with
    a different schedule, with `**arguments`, or with arguments that the specs do not have, and
    those that are subclassed, passed on, or used by several files.

Safety:
    Safe.
"""

import ast
from collections.abc import Iterator
from itertools import chain, count

from tfmigrate.families.experiment.experiments import Place, Plan, names_at, plans
from tfmigrate.families.experiment.for_tf_estimator import can_be_calls, experiment_edits
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import Code, Edit, ReplaceExpression, ReplaceStatement
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Status, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import ESTIMATOR

SEVERITY = Severity.FIXED
SYMBOLS = dict.fromkeys(
    (Status.RUNTIME, Status.GONE),
    ("tensorflow.contrib.learn.Experiment", "tensorflow.contrib.learn.learn_runner.run"),
)


def check(program: Program) -> Drafts:
    """Yields one draft for every Experiment that becomes specs."""
    for module in program.mentioning("Experiment"):
        for plan in program.once(plans, module):
            unused = [name for name, _ in names_at(Place.UNUSED) if name in plan.arguments]
            removed = f"; removed unused {', '.join(unused)}" if unused else ""
            places = (plan.call, *(runner.call for runner in plan.runners), *plan.methods)
            edits = (*_edits(module, plan), *runtime_import(module, ESTIMATOR, *places))
            message = "Experiment -> train_and_evaluate with the Experiment's schedule"
            if program.estimator and can_be_calls(plan):
                edits = tuple(experiment_edits(module, plan))
                message = "Experiment -> calls of its Estimator, in a single process"
            yield drafted(
                module, plan.call, message + removed, edits=edits, group=group_of(program, module)
            )


def _edits(module: Module, plan: Plan) -> Iterator[Edit]:
    runtime = runtime_name(module)
    train, evaluation = _free_names(module)
    arguments = plan.arguments
    codes = [
        _spec(f"{train} = {runtime}.TrainSpec", arguments, Place.TRAIN),
        _spec(f"{evaluation} = {runtime}.EvalSpec", arguments, Place.EVALUATION, runtime),
    ]
    triple = f"{{0}}, {train}, {evaluation}"
    if isinstance(plan.statement, ast.Return):
        codes.append(Code(f"return {triple}", (arguments["estimator"],)))
    else:
        (target,) = plan.statement.targets
        assert isinstance(target, ast.Name)
        run = Code(f"{runtime}.train_and_evaluate(*{target.id})")
        if not plan.runners and _is_constant_name(module, arguments["estimator"]):
            specs = (ast.unparse(arguments["estimator"]), train, evaluation)
            run = Code(f"{runtime}.train_and_evaluate", (), specs)
        else:
            codes.append(Code(f"{target.id} = {triple}", (arguments["estimator"],)))
        yield from (ReplaceExpression(call, run) for call in plan.methods)
    yield ReplaceStatement(plan.statement, tuple(codes))
    for runner in plan.runners:
        run = runner.passed_to(f"{runtime}.train_and_evaluate")
        yield ReplaceExpression(runner.call, run)


def _is_constant_name(module: Module, value: ast.expr) -> bool:
    """Returns whether an expression is a name that is bound once, with the same value below."""
    return len(module.bindings(value)) == 1


def _spec(
    head: str, arguments_by_name: dict[str, ast.expr], place: Place, runtime: str = ""
) -> Code:
    """Returns the assignment of a spec; with a runtime, that of one with the schedule."""
    parts: list[ast.expr] = []
    arguments = _filled(arguments_by_name, place, parts)
    if runtime:
        inner = ", ".join(_filled(arguments_by_name, Place.SCHEDULE, parts))
        arguments.append(f"schedule={runtime}.ExperimentSchedule({inner})")
    return Code(head, tuple(parts), tuple(arguments))


def _filled(
    arguments_by_name: dict[str, ast.expr], place: Place, parts: list[ast.expr]
) -> list[str]:
    """Returns the arguments of a place as text, and adds their nodes to the parts."""
    texts = []
    for old, new in names_at(place):
        if old in arguments_by_name:
            texts.append(f"{new}={{{len(parts)}}}" if new else f"{{{len(parts)}}}")
            parts.append(arguments_by_name[old])
    return texts


def _free_names(module: Module) -> tuple[str, str]:
    """Returns names for the specs that are free in the file."""
    taken = module.names.all_bound_names()
    ends = chain([""], (f"_{number}" for number in count(2)))
    pairs = ((f"train_spec{end}", f"eval_spec{end}") for end in ends)
    return next(pair for pair in pairs if not taken & set(pair))

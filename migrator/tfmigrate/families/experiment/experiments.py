"""Experiments of a module that ``learn_runner.run`` or their own method trains and evaluates.

An Experiment is followed from its constructor to where it is run: through its variable, or as the
result of a function that is only passed to ``learn_runner.run``, directly or by a factory.
"""

import ast
import enum
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.rulekit.basics import Module, Program, Refusal
from tfmigrate.tables.runtime_api import LEARN

EXPERIMENT = f"{LEARN.source}.Experiment"
RUN = f"{LEARN.source}.learn_runner.run"
SCHEDULE = "train_and_evaluate"
_OF_RUN = ("experiment_fn", "output_dir", "schedule", "run_config", "hparams")


class Place(enum.Enum):
    """What an argument of an Experiment becomes."""

    ESTIMATOR = "`train_and_evaluate(estimator, ...)`"
    TRAIN = "`TrainSpec({})`"
    EVALUATION = "`EvalSpec({})`"
    SCHEDULE = "`EvalSpec(schedule=ExperimentSchedule({}))`"
    UNUSED = "removed: `train_and_evaluate` never used it"
    NOTHING = "removed if it is None or False; with any other value the Experiment is not converted"


@dataclass(frozen=True)
class Argument:
    """One argument of an Experiment's constructor.

    Attributes:
        name: its name.
        place: what it becomes.
        new_name: its name there, "" for the first argument.
    """

    name: str
    place: Place
    new_name: str = ""


# In the order of the constructor's parameters.
ARGUMENTS = (
    Argument("estimator", Place.ESTIMATOR),
    Argument("train_input_fn", Place.TRAIN),
    Argument("eval_input_fn", Place.EVALUATION),
    Argument("eval_metrics", Place.NOTHING),
    Argument("train_steps", Place.TRAIN, "max_steps"),
    Argument("eval_steps", Place.EVALUATION, "steps"),
    Argument("train_monitors", Place.TRAIN, "hooks"),
    Argument("eval_hooks", Place.EVALUATION, "hooks"),
    Argument("local_eval_frequency", Place.UNUSED),
    Argument("eval_delay_secs", Place.UNUSED),
    Argument("continuous_eval_throttle_secs", Place.UNUSED),
    Argument("min_eval_frequency", Place.SCHEDULE, "min_eval_frequency"),
    Argument("delay_workers_by_global_step", Place.NOTHING),
    Argument("export_strategies", Place.EVALUATION, "exporters"),
    Argument("train_steps_per_iteration", Place.UNUSED),
    Argument("checkpoint_and_export", Place.NOTHING),
    Argument("saving_listeners", Place.TRAIN, "saving_listeners"),
    Argument("check_interval_secs", Place.SCHEDULE, "check_interval_secs"),
)
_PARAMETERS = tuple(argument.name for argument in ARGUMENTS)


def names_at(place: Place) -> list[tuple[str, str]]:
    """Returns the old and the new names of the arguments of a place."""
    return [(a.name, a.new_name) for a in ARGUMENTS if a.place is place]


_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Runner:
    """One call of ``learn_runner.run``.

    Attributes:
        call: the call.
        experiment_fn: the function, or the call of its factory.
        arguments: what the function is called with.
    """

    call: ast.Call
    experiment_fn: ast.expr
    arguments: tuple[ast.expr, ...]

    def passed_to(self, function: str) -> Code:
        """Returns the call of a function with what ``experiment_fn`` returns."""
        places = []
        parts = [self.experiment_fn]
        for argument in self.arguments:
            if hasattr(argument, "lineno"):
                places.append(f"{{{len(parts)}}}")
                parts.append(argument)
            else:
                places.append("None")  # hparams that were not passed
        return Code(f"{function}(*{{0}}({', '.join(places)}))", tuple(parts))


@dataclass(frozen=True)
class Plan:
    """One Experiment, and where it is run.

    Attributes:
        call: its constructor's call.
        statement: the ``return`` or the assignment around it.
        arguments: the constructor's arguments by name.
        methods: calls of the variable's own ``train_and_evaluate``.
        runners: the calls of ``learn_runner.run``.
    """

    call: ast.Call
    statement: ast.Return | ast.Assign
    arguments: dict[str, ast.expr]
    methods: tuple[ast.Call, ...] = ()
    runners: tuple[Runner, ...] = ()

    @property
    def replaced(self) -> list[ast.expr]:
        """The names of tf.contrib.learn that are replaced with it."""
        return [self.call.func, *(runner.call.func for runner in self.runners)]


def plans(program: Program, module: Module) -> list[Plan]:
    """Returns the Experiments of a module that can be followed to where they are run."""
    if not module.mentions("Experiment"):
        return []
    experiment_plans: list[Plan] = []
    for call in module.calls_of(EXPERIMENT):
        try:
            experiment_plans.append(_plan(program, module, call))
        except Refusal:
            continue
    return experiment_plans


def _plan(program: Program, module: Module, call: ast.Call) -> Plan:
    arguments = _named_arguments(call, _PARAMETERS)
    for name, _ in names_at(Place.NOTHING):
        if name in arguments and not _is_constant(arguments[name], None, False):
            raise Refusal(arguments[name], f"{name} has no equivalent")
    for name in ("estimator", "train_input_fn", "eval_input_fn"):
        if name not in arguments:
            raise Refusal(call, f"{name} is missing")
    for name, _ in names_at(Place.UNUSED):
        if name in arguments and _has_calls(arguments[name]):
            raise Refusal(
                arguments[name],
                f"{name} is unused, but its value contains a call, which removing it would skip",
            )
    statement = module.parent(call)
    function = module.function(call)
    if isinstance(statement, ast.Return) and isinstance(function, _Function):
        result = Plan(call, statement, arguments, runners=_runners(program, module, function))
    elif isinstance(statement, ast.Assign):
        result = _plan_of_variable(program, module, call, statement, arguments)
    else:
        raise Refusal(call, "it is neither returned nor assigned")
    if any(_has_comment(module, runner.call) for runner in result.runners):
        raise Refusal(call, "the call that runs it contains a comment")
    return result


def _plan_of_variable(
    program: Program,
    module: Module,
    call: ast.Call,
    statement: ast.Assign,
    arguments: dict[str, ast.expr],
) -> Plan:
    (target, *others) = statement.targets
    if others or not isinstance(target, ast.Name):
        raise Refusal(statement, "it is assigned to several targets")
    scope, bindings = module.names.variable(target)
    if scope is None or len(bindings) != 1:
        raise Refusal(target, f"`{target.id}` is assigned more than once")
    methods: list[ast.Call] = []
    runners: tuple[Runner, ...] = ()
    for name in module.all(ast.Name):
        if name is target or name.id != target.id or module.scope(name) is not scope:
            continue
        parent = module.parent(name)
        function = module.function(name)
        if isinstance(parent, ast.Return) and isinstance(function, _Function) and not runners:
            runners = _runners(program, module, function)
        elif isinstance(parent, ast.Attribute) and parent.attr == SCHEDULE:
            outer = module.parent(parent)
            if not isinstance(outer, ast.Call) or outer.args or outer.keywords:
                raise Refusal(outer, f"`{target.id}.{SCHEDULE}` has arguments or is not called")
            methods.append(outer)
        else:
            raise Refusal(name, f"`{target.id}` is used for more than running it")
    if not methods and not runners:
        raise Refusal(target, f"`{target.id}` is never run")
    return Plan(call, statement, arguments, tuple(methods), runners)


def _runners(program: Program, module: Module, function: _Function) -> tuple[Runner, ...]:
    """Returns the calls of ``learn_runner.run`` that take a function, which has no other use."""
    runners = []
    for name in _references(program, module, function):
        parent = module.parent(name)
        if (runner := _runner(module, parent, name)) is not None:
            runners.append(runner)
            continue
        factory = module.function(name)
        if not (isinstance(parent, ast.Return) and isinstance(factory, _Function)):
            raise Refusal(name, f"{function.name} is used for more than learn_runner.run")
        runners += _runners_of_factory(program, module, factory)
    if not runners:
        raise Refusal(function, f"no learn_runner.run calls {function.name}")
    return tuple(dict.fromkeys(runners))


def _runners_of_factory(program: Program, module: Module, factory: _Function) -> Iterator[Runner]:
    for name in _references(program, module, factory):
        if (call := module.call_of(name)) is None:
            raise Refusal(name, f"{factory.name} is referenced without being called")
        if (runner := _runner(module, module.parent(call), call)) is None:
            raise Refusal(
                call, f"the result of {factory.name} is used for more than learn_runner.run"
            )
        yield runner


def _runner(module: Module, node: ast.AST, experiment_fn: ast.expr) -> Runner | None:
    """Returns the ``learn_runner.run`` that takes a function, None for anything else."""
    if isinstance(node, ast.keyword):
        node = module.parent(node)
    if not isinstance(node, ast.Call) or node not in module.calls_of(RUN):
        return None
    arguments = _named_arguments(node, _OF_RUN)
    if arguments.get("experiment_fn") is not experiment_fn:
        raise Refusal(node, "it is not the experiment_fn of learn_runner.run")
    schedule = arguments.get("schedule")
    if schedule is not None and not _is_constant(schedule, None, SCHEDULE):
        raise Refusal(schedule, "its schedule is not train_and_evaluate")
    if "output_dir" in arguments:
        if "run_config" in arguments:
            raise Refusal(node, "learn_runner.run has both output_dir and run_config")
        return Runner(node, experiment_fn, (arguments["output_dir"],))
    if "run_config" not in arguments:
        raise Refusal(node, "learn_runner.run has neither output_dir nor run_config")
    hparams = arguments.get("hparams", ast.Constant(None))
    return Runner(node, experiment_fn, (arguments["run_config"], hparams))


def _named_arguments(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
    if has_star_arguments(call) or len(call.args) > len(names):
        raise Refusal(call, "its arguments are passed by `*` or `**`, or there are too many")
    arguments = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in names or keyword.arg in arguments:
            raise Refusal(call, f"{keyword.arg} is unknown or passed twice")
        arguments[keyword.arg] = keyword.value
    return arguments


def _references(program: Program, module: Module, function: _Function) -> list[ast.Name]:
    """Returns the names that are bound to a function of this file and to nothing else."""
    if function.decorator_list or len(module.returns(function)) != 1:
        raise Refusal(function, f"{function.name} is decorated or has several returns")
    for other in program.mentioning(function.name):
        if other is not module and module in program.reachable(other):
            raise Refusal(function, f"another file uses {function.name}")
    scope = module.names.scope_of[function]
    bindings = scope.bindings.get(function.name, [])
    if len(bindings) != 1 or isinstance(scope.node, ast.ClassDef):
        raise Refusal(function, f"{function.name} is defined more than once, or in a class")
    alike = (name for name in module.all(ast.Name) if name.id == function.name)
    return [name for name in alike if module.scope(name) is scope]


def _is_constant(value: ast.expr, *wanted: str | bool | None) -> bool:
    return isinstance(value, ast.Constant) and value.value in wanted


def _has_calls(value: ast.expr) -> bool:
    return any(isinstance(node, (ast.Call, ast.Await, ast.NamedExpr)) for node in ast.walk(value))


def _has_comment(module: Module, node: ast.expr) -> bool:
    """Returns whether a node contains a comment, which would be lost."""
    start, end = node.lineno, node.end_lineno or node.lineno
    return any(start <= line < end for line in _comment_lines(module.source.text))


@cache
def _comment_lines(text: str) -> list[int]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.start[0] for token in tokens if token.type == tokenize.COMMENT]

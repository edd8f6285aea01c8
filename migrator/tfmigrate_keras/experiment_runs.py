"""Where an Experiment is run: by its own methods, and by ``learn_runner.run``.

The schedule decides what an Experiment does, and the caller of a function that makes it decides the
schedule. So Experiments are followed to all calls; one that is lost from sight is refused.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import AssignBinding
from tfmigrate_keras.conversion import Conversion, arguments_of, literal, refuse
from tfmigrate_keras.own_functions import names_of

RUN = "tensorflow.contrib.learn.learn_runner.run"
OF_CLOCK = frozenset(("continuous_eval", "continuous_eval_on_train_data"))
"""Methods that wait for the checkpoints of another process."""
_WITH_PREDICATE = OF_CLOCK | {"continuous_train_and_eval"}
SCHEDULES = _WITH_PREDICATE | {"train", "evaluate", "train_and_evaluate", "local_run", "test"}
_RESET = "reset_export_strategies"
_STEP = "global_step"
_OF_RUN = ("experiment_fn", "output_dir", "schedule", "run_config", "hparams")


@dataclass(frozen=True)
class Runner:
    """One call of ``learn_runner.run``.

    Attributes:
        module: its file.
        call: the call.
        arguments: its arguments by name.
        steps: where the program asks the trained Estimator, which it returns, for its step.
    """

    module: Module
    call: ast.Call
    arguments: dict[str, ast.expr]
    steps: list[ast.Call] = field(default_factory=list)


@dataclass
class Runs:
    """Where one Experiment is run.

    Attributes:
        function: the function that learn_runner.run calls to make it; None for none.
        runners: the calls of learn_runner.run.
        methods: the methods that the program calls.
        resets: the calls that change its export strategies.
    """

    function: ast.FunctionDef | None = None
    runners: list[Runner] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)
    resets: list[tuple[Module, ast.Call]] = field(default_factory=list)

    @property
    def train_again(self) -> bool:
        """Whether one Experiment may train several times, each from the start of its input."""
        trained = self.methods - {"evaluate"} - OF_CLOCK
        return len(trained) > 1 or "continuous_train_and_eval" in trained


def runs_of(plan: Conversion, module: Module, call: ast.Call) -> Runs:
    """Returns where an Experiment is run.

    Raises:
        Refusal: it cannot be followed, or is run in a way that depends on the time.
    """
    follower = _Follower(plan)
    follower.experiment(module, call)
    if not follower.runs.methods:
        refuse(call, "nothing runs the Experiment")
    return follower.runs


class _Follower:
    """Follows an Experiment from its constructor."""

    def __init__(self, plan: Conversion) -> None:
        self._plan = plan
        self._seen: set[ast.AST] = set()
        self.runs = Runs()

    def experiment(self, module: Module, node: ast.expr) -> None:
        """Follows an expression whose value is the Experiment."""
        parent = module.parent(node)
        if isinstance(parent, ast.Attribute) and (call := module.call_of(parent)):
            self._method(module, call, parent.attr)
        elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            for use in _loads(module, parent.targets[0]):
                self.experiment(module, use)
        elif isinstance(parent, ast.Return):
            function = module.function(node)
            assert isinstance(function, ast.FunctionDef)
            self.runs.function = function
            for home, name in self._references(module, function):
                self._function(home, name)
        elif not isinstance(parent, ast.Expr):
            refuse(node, "cannot follow the Experiment to where it is run")

    def _method(self, module: Module, call: ast.Call, name: str) -> None:
        if name == _RESET and isinstance(module.parent(call), ast.Expr):
            self.runs.resets.append((module, call))
            return
        if name not in SCHEDULES:
            refuse(call, f"`{name}` of an Experiment")
        takes = 1 if name in _WITH_PREDICATE else 0
        if len(call.args) + len(call.keywords) > takes or has_star_arguments(call):
            refuse(call, f"the arguments of `{name}`")
        self.runs.methods.add(name)

    def _function(self, module: Module, node: ast.expr) -> None:
        """Follows an expression whose value is a function that makes the Experiment."""
        parent = module.parent(node)
        if isinstance(parent, ast.keyword):
            parent = module.parent(parent)
        if isinstance(parent, ast.Call) and parent.func is node:
            self.experiment(module, parent)
        elif isinstance(parent, ast.Call) and parent in module.calls_of(RUN):
            self._runner(module, parent)
        elif isinstance(parent, ast.Return):
            factory = module.function(node)
            assert isinstance(factory, ast.FunctionDef)
            for home, name in self._references(module, factory):
                if (factory_call := home.call_of(name)) is None:
                    refuse(name, "cannot follow the function that makes the Experiment")
                self._function(home, factory_call)
        else:
            refuse(node, "cannot follow the function that makes the Experiment")

    def _runner(self, module: Module, call: ast.Call) -> None:
        arguments = arguments_of(call, _OF_RUN, "learn_runner.run")
        steps: list[ast.Call] = []
        schedule = arguments.get("schedule", ast.Constant(None))
        if isinstance(schedule, ast.Constant):
            if (name := str(schedule.value or "train_and_evaluate")) not in SCHEDULES:
                refuse(schedule, f"the schedule `{name}`")
            if name == "train":
                steps = list(_steps_asked_for(module, call))
            self.runs.methods.add(name)
        else:
            self.runs.methods |= SCHEDULES - OF_CLOCK
        self.runs.runners.append(Runner(module, call, arguments, steps))

    def _references(
        self, module: Module, function: ast.FunctionDef
    ) -> list[tuple[Module, ast.expr]]:
        """Returns the names of a function, in all files."""
        if function in self._seen or function.decorator_list:
            refuse(function, f"cannot follow `{function.name}`")
        self._seen.add(function)
        is_method = isinstance(module.parent(function), ast.ClassDef)
        named = names_of(self._plan, function)
        return [(other, node) for other, node, is_meant in named if is_meant or is_method]


def _steps_asked_for(module: Module, call: ast.Call) -> Iterator[ast.Call]:
    """Yields the calls of ``get_variable_value('global_step')`` of a trained Estimator.

    Raises:
        Refusal: it is used in another way.
    """
    statement = module.parent(call)
    if isinstance(statement, ast.Expr):
        return
    uses: list[ast.expr] = [call]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        uses = [*_loads(module, statement.targets[0])]
    for node in uses:
        method = module.parent(node)
        asked = module.parent(method)
        if not isinstance(method, ast.Attribute) or not isinstance(asked, ast.Call):
            refuse(node, "the Estimator that the schedule `train` returns is used")
        if method.attr != "get_variable_value" or [literal(a) for a in asked.args] != [_STEP]:
            refuse(node, f"`{ast.unparse(asked)[:60]}` of the trained Estimator")
        yield asked


def _loads(module: Module, target: ast.expr) -> list[ast.Name]:
    """Returns where a variable that is assigned once is used."""
    if not isinstance(target, ast.Name):
        refuse(target, "the Experiment is not assigned to a variable")
    scope, bindings = module.names.variable(target)
    if len(bindings) != 1 or not isinstance(bindings[0], AssignBinding):
        refuse(target, f"`{target.id}` is assigned several times")
    return module.reads(target.id, scope)

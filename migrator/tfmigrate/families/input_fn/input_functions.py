"""Which functions are called by Estimators only, as input functions."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import AssignBinding
from tfmigrate.tables.runtime_api import ESTIMATOR, LEARN

_SPECS = (
    f"{ESTIMATOR.source}.TrainSpec",
    f"{ESTIMATOR.source}.EvalSpec",
    f"{ESTIMATOR.target}.TrainSpec",
    f"{ESTIMATOR.target}.EvalSpec",
)
_EXPERIMENTS = (f"{LEARN.source}.Experiment", f"{LEARN.target}.Experiment")
_PARTIAL = "functools.partial"
_METHODS = ("train", "evaluate", "predict")
_KEYWORDS = ("input_fn", "train_input_fn", "eval_input_fn")
# contrib.learn's own Estimators took tensors of an iterator for a single batch in predict().
_OF_CONTRIB_LEARN = ("Estimator", "Classifier", "Regressor", "SKCompat")

Function = ast.FunctionDef


class InputFunctions:
    """The functions of a program whose results only Estimators see."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._answers: dict[Function, bool] = {}
        self._factories: dict[Function, bool] = {}
        names = _METHODS if not _has_contrib_estimators(program) else _METHODS[:2]
        self._methods = [name for name in names if not takes_input_fn(program, name)]

    def has(self, module: Module, function: Function) -> bool:
        """Returns whether every use of a function passes it to an Estimator, and there is one."""
        if function not in self._answers:
            self._answers[function] = False  # a recursive function is not an input function
            self._answers[function] = self._is_input(module, function)
        return self._answers[function]

    def _is_input(self, module: Module, function: Function) -> bool:
        places = list(self._places(module, function))
        return bool(places) and all(self._is_passed_on(m, node) for m, node in places)

    def _places(self, module: Module, function: Function) -> Iterator[tuple[Module, ast.expr]]:
        """Yields the uses of a function, none if they are unknown."""
        scope = module.names.scope_of[function]
        is_method = isinstance(scope.node, ast.ClassDef)
        if function.decorator_list or is_method or len(scope.bindings[function.name]) != 1:
            return
        yield from ((module, node) for node in module.reads(function.name, scope))
        if isinstance(scope.node, ast.Module):
            yield from self._elsewhere(module, function.name)

    def _elsewhere(self, module: Module, name: str) -> Iterator[tuple[Module, ast.expr]]:
        """Yields possible uses of a function in files that import its file."""
        for other in self._program.modules:
            if other is module or module not in self._program.reachable(other):
                continue
            for node in other.all(ast.Attribute):
                if node.attr == name and other.names.root_import(node) is not None:
                    yield other, node
            for use in other.all(ast.Name):
                bound = other.names.root_import(use)
                if bound is not None and bound.alias.name == name:
                    yield other, use

    def _is_passed_on(self, module: Module, node: ast.expr) -> bool:
        """Returns whether a function is passed to an Estimator, and nowhere else."""
        parent = module.parent(node)
        if isinstance(parent, ast.keyword):
            call = module.parent(parent)
            return isinstance(call, ast.Call) and self._takes(module, call, parent.arg)
        if isinstance(parent, ast.Assign):
            return self._is_passed_on_by_name(module, parent)
        if isinstance(parent, ast.Return):
            return self._is_factory(module, parent)
        if not isinstance(parent, ast.Call):
            return False
        if parent.func is node:
            return self._is_result_passed_on(module, parent)
        if parent.args and parent.args[0] is node:
            if module.resolve(parent.func) == _PARTIAL:
                return self._is_passed_on(module, parent)
            return self._takes(module, parent, None)
        return False

    def _takes(self, module: Module, call: ast.Call, keyword: str | None) -> bool:
        """Returns whether a call takes an input function, by keyword or as its first argument."""
        if (qualified := module.resolve(call.func)) in _EXPERIMENTS:
            return keyword in _KEYWORDS[1:]
        if keyword not in (None, _KEYWORDS[0]):
            return False
        if qualified is not None:
            return qualified in _SPECS
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in self._methods:
            return False
        return keyword is not None or _is_estimator(module, call.func.value)

    def _is_passed_on_by_name(self, module: Module, statement: ast.Assign) -> bool:
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, ast.Name):
            return False
        scope, bindings = module.names.variable(target)
        if scope is None or isinstance(scope.node, (ast.Module, ast.ClassDef)):
            return False  # other files may use it
        if not all(isinstance(binding, AssignBinding) for binding in bindings):
            return False
        uses = module.reads(target.id, scope)
        return bool(uses) and all(self._is_passed_on(module, use) for use in uses)

    def _is_result_passed_on(self, module: Module, call: ast.Call) -> bool:
        """Returns whether the result of a call is what an input function returns."""
        parent = module.parent(call)
        if isinstance(parent, ast.Lambda) and parent.body is call:
            return self._is_passed_on(module, parent)
        if isinstance(parent, ast.Return):
            function = module.function(parent)
            return isinstance(function, ast.FunctionDef) and self.has(module, function)
        return False

    def _is_factory(self, module: Module, statement: ast.Return) -> bool:
        """Returns whether a function that returns an input function is called for nothing else."""
        function = module.function(statement)
        if not isinstance(function, ast.FunctionDef):
            return False
        if function not in self._factories:
            self._factories[function] = False
            places = list(self._places(module, function))
            self._factories[function] = bool(places) and all(
                (call := other.call_of(node)) is not None and self._is_passed_on(other, call)
                for other, node in places
            )
        return self._factories[function]


def _is_estimator(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is a name that only holds Estimators."""
    calls = module.values(node)
    packages = (f"{ESTIMATOR.source}.", f"{ESTIMATOR.target}.")
    return len(calls) == len(module.bindings(node)) > 0 and all(
        called(module, call).startswith(packages) for call in calls
    )


def takes_input_fn(program: Program, method: str) -> bool:
    """Returns whether the program defines a function of that name with an input_fn parameter."""
    return any(
        node.name == method and any(a.arg == _KEYWORDS[0] for a in node.args.args)
        for module in program.mentioning(_KEYWORDS[0])
        for node in module.all(ast.FunctionDef)
    )


def _has_contrib_estimators(program: Program) -> bool:
    """Returns whether the program uses an Estimator of tf.contrib.learn."""
    packages = (f"{LEARN.source}.", f"{LEARN.target}.")
    names = [use.qualified for module in program.mentioning("contrib") for use in module.uses]
    for module in program.mentioning(LEARN.target.partition(".")[0]):
        names += [module.resolve(node) or "" for node in module.all(ast.Attribute)]
        names += [binding.qualified for binding in imports(module)]
    return any(name.startswith(packages) and name.endswith(_OF_CONTRIB_LEARN) for name in names)

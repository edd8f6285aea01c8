"""Hooks that a program defines become callbacks of Keras.

A hook sees every step: such a model runs one step a call (``steps_per_execution``).
"""

import ast
from collections.abc import Iterator

from tfmigrate.model.edits import Code, InsertAfter, InsertBefore, RemoveParameters
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import definition_of, is_self
from tfmigrate.resolve.scopes import is_none
from tfmigrate.resolve.syntax import is_text
from tfmigrate_keras.conversion import Conversion, reads, refuse
from tfmigrate_keras.tables.optimizers import GLOBAL_STEPS
from tfmigrate_keras.tensors import source

TRAIN, TEST = "train", "test"
_HOOKS = frozenset(f"tensorflow.{p}.SessionRunHook" for p in ("train", "estimator"))
_FETCHES = frozenset(f"tensorflow.{p}.SessionRunArgs" for p in ("train", "estimator"))
_EVENTS = {"begin": "begin", "after_run": "batch_end", "end": "end"}
_METHODS = (*_EVENTS, "before_run", "after_create_session")
_OF_CALLBACKS = ("model", "params", "_model")
_STOPS = {TRAIN: "stop_training", TEST: "stop_evaluating"}
_STEP = "steps_of(self.model)"


def hook_classes(module: Module) -> Iterator[ast.ClassDef]:
    """Yields the classes of a file that are hooks of sessions."""
    for kind in module.all(ast.ClassDef):
        if any(module.resolve(base) in _HOOKS for base in kind.bases):
            yield kind


def calls_each_step(plan: Conversion) -> bool:
    """Returns whether a program has hooks of its own, which are called after each step."""
    return any(True for module in plan.program.modules for _ in hook_classes(module))


def own_hooks(plan: Conversion, module: Module, node: ast.expr, side: str) -> list[ast.expr]:
    """Returns the elements of a list of hooks that become callbacks."""
    held = source(module, node)
    if not isinstance(held, (ast.List, ast.Tuple)):
        return []
    hooks = []
    for element in held.elts:
        hook = _made(module, element)
        kind = definition_of(module, hook.func) if isinstance(hook, ast.Call) else None
        if isinstance(kind, ast.ClassDef) and kind in list(hook_classes(module)):
            plan.callbacks.setdefault(kind, (module, set()))[1].add(side)
            hooks.append(element)
    return hooks


def _made(module: Module, element: ast.expr) -> ast.expr:
    """Returns the expression of a hook, which may be one of ``a, b = A(), B()``."""
    expression = source(module, element)
    if not isinstance(expression, ast.Name):
        return expression
    scope, bindings = module.names.variable(expression)
    for statement in module.all(ast.Assign):
        (target, *others) = statement.targets
        pair = (target, statement.value)
        if others or not all(isinstance(part, ast.Tuple) for part in pair) or len(bindings) != 1:
            continue
        assert isinstance(target, ast.Tuple)
        assert isinstance(statement.value, ast.Tuple)
        for name, value in zip(target.elts, statement.value.elts, strict=False):
            same = isinstance(name, ast.Name) and name.id == expression.id
            if same and module.names.scope_of[name] is scope:
                return value
    return expression


def convert_hooks(plan: Conversion) -> None:
    """Plans the edits of the classes of hooks that are used.

    Raises:
        Refusal: a hook reads more of a session than the step.
    """
    for kind, (module, sides) in plan.callbacks.items():
        _Hook(plan, module, kind, sorted(sides, reverse=True)).convert()


class _Hook:
    """One class of hooks."""

    def __init__(
        self, plan: Conversion, module: Module, kind: ast.ClassDef, sides: list[str]
    ) -> None:
        self._plan, self._module, self._kind = plan, module, kind
        self._sides = sides
        self._methods = {m.name: m for m in kind.body if isinstance(m, ast.FunctionDef)}
        self._steps: set[str] = set()  # the attributes that hold the global step

    def convert(self) -> None:
        """Plans the edits."""
        module, kind = self._module, self._kind
        if len(kind.bases) > 1 or kind.keywords or kind.decorator_list:
            refuse(kind, f"`{kind.name}` is more than a hook")
        if "after_create_session" in self._methods:
            refuse(self._methods["after_create_session"], "a hook that uses the session")
        self._check_names()
        self._plan.needs(module, "keras")
        self._plan.replace(module, kind.bases[0], Code("keras.callbacks.Callback"))
        self._initialize()
        self._find_steps()
        fetched = self._fetched()
        for name, event in _EVENTS.items():
            method = self._methods.get(name)
            if method is not None and not self._plan.is_removed(method):
                self._values(method, fetched)
                self._rename(method, event)

    def _check_names(self) -> None:
        for node in self._module.all(ast.Attribute, self._kind):
            if is_self(self._module, node.value) and node.attr in _OF_CALLBACKS:
                refuse(node, f"`self.{node.attr}` of a hook, which callbacks of Keras have")
            if node.attr in _METHODS:
                refuse(node, f"`{node.attr}` of a hook is called")

    def _initialize(self) -> None:
        """Lets the class initialize the callback that it is."""
        if (method := self._methods.get("__init__")) is None:
            return
        calls = [n for n in self._module.walk(method) if isinstance(n, ast.Attribute)]
        if not any(node.attr == "__init__" for node in calls):
            body = [s for s in method.body if not is_text(s)] or method.body
            self._plan.edits[self._module].append(InsertBefore(body[0], Code("super().__init__()")))

    def _find_steps(self) -> None:
        """Removes ``self.step = tf.train.get_global_step()``."""
        method = self._methods.get("begin")
        for statement in method.body if method is not None else []:
            if not isinstance(statement, ast.Assign) or not self._is_step(statement.value):
                continue
            target = statement.targets[0]
            if isinstance(target, ast.Attribute) and is_self(self._module, target.value):
                self._steps.add(target.attr)
                self._plan.remove(self._module, statement)
        if method is not None and all(self._plan.is_removed(s) or is_text(s) for s in method.body):
            self._plan.remove(self._module, method)

    def _is_step(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in self._steps:
            return is_self(self._module, node.value)
        return called(self._module, node) in GLOBAL_STEPS

    def _fetched(self) -> list[str] | None:
        """Returns the keys of what is fetched: [] for the step alone, None for nothing."""
        if (method := self._methods.get("before_run")) is None:
            return None
        self._plan.remove(self._module, method)
        body = [s for s in method.body if not is_text(s) and not isinstance(s, ast.Pass)]
        if not body:
            return None
        (statement, *others) = body
        value = statement.value if isinstance(statement, ast.Return) else method
        if value is None or (isinstance(value, ast.expr) and is_none(value)):
            return None
        if others or called(self._module, value) not in _FETCHES:
            refuse(statement, "`before_run` of a hook does more than to read the step")
        assert isinstance(value, ast.Call)
        (fetches, *extra_arguments) = [*value.args, *(k.value for k in value.keywords)] or [value]
        if isinstance(fetches, ast.Dict) and not extra_arguments:
            keys = [ast.dump(key) for key in fetches.keys if key is not None]
            if len(keys) == len(fetches.values) and all(map(self._is_step, fetches.values)):
                return keys
        if extra_arguments or not self._is_step(fetches):
            refuse(fetches, f"a hook reads `{ast.unparse(fetches)[:60]}` in each step")
        return []

    def _values(self, method: ast.FunctionDef, fetched: list[str] | None) -> None:
        """Replaces what a hook reads of a session, and its request to stop."""
        names = [a.arg for a in method.args.args[1:]]
        for node in reads(self._module, method, *names):
            read = self._module.parent(node)
            outer = self._module.parent(read)
            attribute = read.attr if isinstance(read, ast.Attribute) else ""
            if method.name == "after_run" and names.index(node.id) == 1 and attribute == "results":
                self._result(read, outer, fetched)
            elif (
                attribute == "request_stop"
                and isinstance(outer, ast.Call)
                and (isinstance(self._module.parent(outer), ast.Expr) and len(self._sides) == 1)
            ):
                statement = self._module.statement(outer)
                stops = f"self.model.{_STOPS[self._sides[0]]} = True"
                self._plan.replace_statement(self._module, statement, Code(stops))
            else:
                refuse(node, f"a hook uses `{ast.unparse(read)[:60]}`")
        for held in self._plan.left(self._module.all(ast.Attribute, self._kind)):
            if held.attr in self._steps:
                refuse(held, f"a hook uses the tensor `{ast.unparse(held)}`")

    def _result(self, read: ast.AST, outer: ast.AST, fetched: list[str] | None) -> None:
        """Replaces a result of a session by the step."""
        assert isinstance(read, ast.Attribute)
        if fetched is None:
            refuse(read, "a hook reads results without `before_run`")
        held: ast.expr = read
        if fetched:
            if not isinstance(outer, ast.Subscript) or ast.dump(outer.slice) not in fetched:
                refuse(read, f"a hook uses `{ast.unparse(read)}` as a whole")
            held = outer
        self._plan.write_out(self._module, "steps_of")
        self._plan.replace(self._module, held, Code(_STEP))

    def _rename(self, method: ast.FunctionDef, event: str) -> None:
        """Gives a method its name in Keras, or both names."""
        names = [a.arg for a in method.args.args]
        plain = not (method.args.vararg or method.args.kwarg or method.decorator_list)
        if names[:1] != ["self"] or not plain:
            refuse(method, f"the parameters of `{method.name}` of a hook")
        batch = ", batch" if event == "batch_end" else ""
        (name, *others) = [f"on_{side}_{event}" for side in self._sides]
        edits = self._plan.edits[self._module]
        edits.append(RemoveParameters(method, head=f"{name}(self{batch}, logs=None)"))
        for other in others:
            edits.append(InsertAfter(method, Code(f"{other} = {name}"), blank_line=True))

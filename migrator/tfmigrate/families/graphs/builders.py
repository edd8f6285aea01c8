"""Which functions of a program build its graph, and which drive it.

A function that only builds stays as it is and is called while a graph is being built. One that
runs the graph, or calls one that does, is eager: what it builds on the way is put into a block.
Calls are followed by name, whatever object a method belongs to: calling a function while a graph is
being built is right for both kinds (a runner runs there, too), so where two functions share a name
the call counts as building.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tfmigrate.families.graphs.names import (
    BUILDING_METHODS,
    NEUTRAL_METHODS,
    RUNNING_METHODS,
    SESSIONS,
    builds,
    is_function,
)
from tfmigrate.resolve.calls import last_name, method_calls
from tfmigrate.rulekit.basics import Module, Program

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Place = tuple[int, str]  # the scope (0 for an attribute of any object) and the name
_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)


@dataclass
class _Facts:
    """What one function does itself: the names that it calls, and whether it builds or runs."""

    builds: bool = False
    drives: bool = False
    calls: set[str] = field(default_factory=set)


class Builders:
    """The functions of a program by what they do, and the places that hold tensors."""

    def __init__(self, program: Program) -> None:
        """Reads all files."""
        self._facts: dict[Function, _Facts] = {}
        self._names: dict[str, list[Function]] = {}
        for module in program.modules:
            for function in functions_of(module):
                for name in _names_of(module, function):
                    self._names.setdefault(name, []).append(function)
        self._other_names: set[str] = set()  # of functions of TensorFlow: make = tf.get_variable
        for module in program.modules:
            for new, value in list(self._passed_on(module)):
                qualified = module.resolve(value)
                if qualified is not None and builds(qualified) and is_function(qualified):
                    self._other_names.add(new)
                for function in self._names.get(last_name(value), ()):
                    named = self._names.setdefault(new, [])
                    named += [function] if function not in named else []
        for module in program.modules:
            for function in functions_of(module):
                self._facts[function] = self._facts_of(module, function)
        self._tensors: set[_Place] = set()
        self._holders: set[_Place] = set()  # these, and what holds one, or is taken from it
        self._find_tensors(program)

    def _passed_on(self, module: Module) -> Iterator[tuple[str, ast.expr]]:
        """Yields names that functions get by assignments, defaults and arguments, and these."""
        pairs: list[tuple[ast.expr | str, ast.expr]] = []
        for statement in module.all(ast.Assign):
            pairs += [(target, statement.value) for target in statement.targets]
        for function in functions_of(module):
            pairs += _with_defaults(function.args)
        for keyword in module.all(ast.keyword):
            pairs += [(keyword.arg, keyword.value)] if keyword.arg else []
        for call in module.all(ast.Call):
            for function in self._names.get(last_name(call.func), ()):
                parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
                own = parameters[:1] == ["self"]
                pairs += list(zip(parameters[own:], call.args, strict=False))
        for new, value in pairs:
            name = new if isinstance(new, str) else last_name(new)
            yield from ((name, named) for named in _functions_named(value) if name)

    def _find_tensors(self, program: Program) -> None:
        """Notes the places that are given what building code returns, until no more are found."""
        assigned = [
            (module, statement.value, list(_places(module, statement.targets)))
            for module in program.modules
            for statement in module.all(ast.Assign)
        ]
        held = [taken for module in program.modules for taken in _held(module)]
        size = -1
        while size < len(self._holders):
            size = len(self._holders)
            for module, value, places in assigned:
                # What a session returns is an array.
                if self._tensors.issuperset(places) or self.drives(module, value):
                    continue
                if _place(module, value) in self._tensors or self.builds(module, value):
                    self._tensors.update(places)
            self._holders |= self._tensors
            for module, value, places in held:
                if not self._holders.issuperset(places) and self._has_tensors(module, value):
                    self._holders.update(places)

    def _has_tensors(self, module: Module, value: ast.expr) -> bool:
        """Returns whether an expression is of building code, or names what holds a tensor."""
        if self.drives(module, value):
            return False
        named = (n for n in ast.walk(value) if isinstance(n, (ast.Name, ast.Attribute)))
        return self.builds(module, value) or any(_place(module, n) in self._holders for n in named)

    def _facts_of(self, module: Module, function: Function) -> _Facts:
        facts = _Facts()
        for part in [function.body] if isinstance(function, ast.Lambda) else function.body:
            for node in ast.walk(part):
                if isinstance(node, ast.Call):
                    self._note(module, node, facts)
        return facts

    def _note(self, module: Module, call: ast.Call, facts: _Facts) -> None:
        facts.builds = facts.builds or self._is_building(module, call)
        facts.drives = facts.drives or is_running(module, call)
        facts.calls.update(self._called(module, call))

    def _is_building(self, module: Module, call: ast.Call) -> bool:
        if (qualified := module.resolve(call.func)) is not None:
            return builds(qualified) or _is_of_tensorflow(qualified)
        if last_name(call.func) in self._other_names:
            return not _is_foreign(module, call.func)
        return isinstance(call.func, ast.Attribute) and call.func.attr in BUILDING_METHODS

    def _calls_what_was_built(self, module: Module, call: ast.Call) -> bool:
        """Returns whether a call is of a layer or a cell, or of a method of a queue or a table."""
        function = call.func
        if module.resolve(function) is not None or last_name(function) in self._names:
            return False
        if isinstance(function, ast.Attribute):
            # That of a queue returns an operation, which a session, a writer and a file do not.
            closes = function.attr == "close" and not isinstance(module.parent(call), ast.Expr)
            if function.attr in NEUTRAL_METHODS | RUNNING_METHODS and not closes:
                return False
            return _place(module, function.value) in self._holders
        return _place(module, function) in self._holders

    def _called(self, module: Module, call: ast.Call) -> Iterator[str]:
        """Yields the name of a function of the program that a call may be of."""
        function = call.func
        while isinstance(function, ast.Subscript):  # MODELS[kind](x)
            function = function.value
        if (name := last_name(function)) in self._names and not _is_foreign(module, function):
            yield name

    @cached_property
    def drivers(self) -> set[Function]:
        """The functions that run a graph, themselves or by what they call."""
        return self._closure({f for f, facts in self._facts.items() if facts.drives})

    @cached_property
    def _building(self) -> set[Function]:
        return self._closure({f for f, facts in self._facts.items() if facts.builds})

    def _closure(self, functions: set[Function]) -> set[Function]:
        grown = True
        while grown:
            names = {name for name, own in self._names.items() if not functions.isdisjoint(own)}
            more = {f for f, facts in self._facts.items() if facts.calls & names} - functions
            functions |= more
            grown = bool(more)
        return functions

    def builds(self, module: Module, node: ast.AST) -> bool:
        """Returns whether executing code needs the graph that is being built.

        Args:
            node: a statement or an expression, without the functions that it defines.
        """
        for part in _executed(node):
            if isinstance(part, ast.Call):
                if self._is_building(module, part) or _runs_what_a_call_returns(module, part):
                    return True
                if self._calls_what_was_built(module, part):
                    return True
                functions = self._builders_called(self._called(module, part))
                # A function that is an argument may be called there: map(build, range(3)).
                handed = [a for a in part.args if isinstance(a, (ast.Name, ast.Attribute))]
                functions += self._builders_called(last_name(argument) for argument in handed)
                if any(f in self._building for f in functions):
                    return True
                if functions and any(self._is_tensor(module, a) for a in part.args):
                    return True  # what it does with a tensor may be an operation
            elif isinstance(part, _OPERATORS) and self._is_of_tensors(module, part):
                return True
        return False

    def _builders_called(self, names: Iterable[str]) -> list[Function]:
        """Returns the functions of some names that do not drive."""
        functions = [f for name in names for f in self._names.get(name, ())]
        return [f for f in functions if f not in self.drivers]

    def drives(self, module: Module, node: ast.AST) -> bool:
        """Returns whether executing code runs a graph."""
        calls = [part for part in _executed(node) if isinstance(part, ast.Call)]
        return any(is_running(module, call) for call in calls) or any(
            f in self.drivers
            for call in calls
            for name in self._called(module, call)
            for f in self._names[name]
        )

    def _is_of_tensors(self, module: Module, node: ast.AST) -> bool:
        """Returns whether an operator works on a tensor: on a name that is given one."""
        if isinstance(node, ast.Compare):
            if not all(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops):
                return False
            operands: list[ast.expr] = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            operands = [] if isinstance(node.op, ast.Not) else [node.operand]
        else:
            assert isinstance(node, ast.Subscript)
            operands = [node.value] if isinstance(node.ctx, ast.Load) else []
        return any(self._is_tensor(module, operand) for operand in operands)

    def _is_tensor(self, module: Module, node: ast.expr) -> bool:
        return _place(module, node) in self._tensors


def functions_of(module: Module) -> list[Function]:
    """Returns the functions, methods and lambda expressions of a file."""
    return [
        *module.all(ast.FunctionDef),
        *module.all(ast.AsyncFunctionDef),
        *module.all(ast.Lambda),
    ]


def is_running(module: Module, call: ast.Call) -> bool:
    """Returns whether a call makes a session or runs one."""
    if (qualified := module.resolve(call.func)) is not None:
        return qualified in SESSIONS
    return isinstance(call.func, ast.Attribute) and call.func.attr in RUNNING_METHODS


def _runs_what_a_call_returns(module: Module, call: ast.Call) -> bool:
    """Returns whether a call runs what another one makes: ``sess.run(queue.close())``."""
    if not is_running(module, call) or not isinstance(call.func, ast.Attribute):
        return False
    fetches = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "fetches")]
    return any(isinstance(part, ast.Call) for fetch in fetches for part in ast.walk(fetch))


def _names_of(module: Module, function: Function) -> list[str]:
    """Returns the names by which a function is called: that of the class for its ``__init__``."""
    parent = module.parent(function)
    if isinstance(function, ast.Lambda):
        targets = parent.targets if isinstance(parent, ast.Assign) else []
        return [last_name(t) for t in targets if isinstance(t, (ast.Name, ast.Attribute))]
    if function.name in ("__init__", "__call__", "__new__") and isinstance(parent, ast.ClassDef):
        return [parent.name]
    return [function.name]


def _with_defaults(parameters: ast.arguments) -> list[tuple[ast.expr | str, ast.expr]]:
    """Returns the names of parameters that have defaults, and these."""
    placed = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
    pairs: list[tuple[ast.expr | str, ast.expr]] = []
    pairs += zip(placed[len(placed) - len(parameters.defaults) :], parameters.defaults, strict=True)
    named = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
    return pairs + [(a.arg, default) for a, default in named if default is not None]


def _functions_named(value: ast.expr) -> Iterator[ast.expr]:
    """Yields the names that a value may be, or holds: of a function, or of those in a table."""
    parts: list[ast.expr] = []
    if isinstance(value, (ast.Name, ast.Attribute)):
        yield value
    elif isinstance(value, ast.Call) and last_name(value.func) == "partial":
        parts = value.args[:1]
    elif isinstance(value, (ast.List, ast.Tuple)):
        parts = value.elts
    elif isinstance(value, ast.Dict):
        parts = value.values
    elif isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    for part in parts:
        yield from _functions_named(part)


def _held(module: Module) -> Iterator[tuple[Module, ast.expr, list[_Place]]]:
    """Yields what is looped over, with the places of its elements, and what is put into lists."""
    loops: list[ast.For | ast.comprehension] = [*module.all(ast.For)]
    for loop in loops + module.all(ast.comprehension):
        names = [n for n in ast.walk(loop.target) if isinstance(n, ast.Name)]
        yield module, loop.iter, list(_places(module, names))
    for call, method in method_calls(module, "append"):
        if call.args:
            yield module, call.args[0], list(_places(module, [method.value]))


def _is_foreign(module: Module, node: ast.expr) -> bool:
    """Returns whether a chain begins with an import of a library that is not TensorFlow's."""
    binding = module.names.root_import(node)
    return binding is not None and binding.qualified.partition(".")[0] in ("numpy", "os", "sys")


def _is_of_tensorflow(qualified: str) -> bool:
    """Returns whether a library builds graphs of TensorFlow 1.x."""
    first, _, tail = qualified.partition(".")
    return first in ("tf_slim", "tensorflow_hub", "sonnet", "tensorlayer", "tflearn") or (
        first == "tfmigrate_runtime" and not tail.startswith("graphs")
    )


def _places(module: Module, targets: Sequence[ast.expr]) -> Iterator[_Place]:
    """Yields the places that an assignment gives values."""
    for target in targets:
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if (place := _place(module, part)) is not None:
                yield place


def _place(module: Module, node: ast.expr) -> _Place | None:
    """Returns what a name or an attribute is called: names by scope, attributes everywhere."""
    if isinstance(node, ast.Name):
        return id(module.scope(node) or module), node.id
    return (0, node.attr) if isinstance(node, ast.Attribute) else None


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the parts of code that are executed with it: none of functions that it defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        waiting: list[ast.AST] = [*node.decorator_list, *node.args.defaults]
    else:
        waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        for child in ast.iter_child_nodes(part):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                waiting += [*child.decorator_list, *child.args.defaults]
            else:
                waiting.append(child)

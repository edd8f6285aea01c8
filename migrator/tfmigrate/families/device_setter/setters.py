"""Finds calls of tf.train.replica_device_setter, and the ``with tf.device(...)`` that use them.

A setter is a value: it is kept in variables and attributes, returned by functions, and chosen by an
expression. Each is followed to its blocks, and one that other files may reach keeps the program as
it is: the block there would still run under a device function of parameter servers, while the rest
of the graph is a strategy's.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.families.towers.loops import devices_of_towers
from tfmigrate.resolve.calls import called, has_star_arguments, named_arguments
from tfmigrate.resolve.cluster_calls import SETTER
from tfmigrate.resolve.scopes import AssignBinding, is_none
from tfmigrate.resolve.syntax import is_text
from tfmigrate.rulekit.basics import Module, Program, Refusal

_DEVICE = "tensorflow.device"
_ONE_FILE = "use the device setter only in the file that creates it"
_PARAMETERS = (
    "ps_tasks", "ps_device", "worker_device", "merge_devices", "cluster", "ps_ops", "ps_strategy",
)  # fmt: skip


@dataclass(frozen=True)
class Block:
    """A ``with`` whose block is under a device setter.

    Attributes:
        statement: the ``with``.
        item: its item ``tf.device(...)``.
        setter: the argument of tf.device: the setter's call, a variable, or a function's call.
    """

    statement: ast.With
    item: ast.withitem
    setter: ast.expr


@dataclass
class Setter:
    """A call of replica_device_setter and all blocks that use what it returns.

    Attributes:
        call: the call.
        blocks: the blocks.
        assignments: the statements that assign it to a variable.
        functions: the functions that only return it.
        makers: all functions that return it.
        nothings: the values on other paths that mean no device: None or "".
        shared: whether its variable may hold another device setter, or nothing.
        functional: uses as a device function, which stay.
        problems: unsupported uses, each with its place.
    """

    call: ast.Call
    blocks: list[Block] = field(default_factory=list)
    assignments: list[ast.stmt] = field(default_factory=list)
    functions: list[ast.stmt] = field(default_factory=list)
    makers: list[ast.FunctionDef] = field(default_factory=list)
    nothings: list[ast.expr] = field(default_factory=list)
    shared: bool = False
    functional: list[ast.expr] = field(default_factory=list)
    problems: list[Refusal] = field(default_factory=list)

    @property
    def does_nothing(self) -> bool:
        """Whether the call certainly returns None, which places nothing.

        Source: tf.train.replica_device_setter returns None where the cluster has no ps tasks.
        """
        if has_star_arguments(self.call):
            return False
        cluster, tasks = self.arguments.get("cluster"), self.arguments.get("ps_tasks")
        no_tasks = tasks is None or (isinstance(tasks, ast.Constant) and tasks.value == 0)
        return no_tasks and (cluster is None or is_none(cluster))

    @property
    def arguments(self) -> dict[str, ast.expr]:
        """The call's arguments by the names of their parameters."""
        return named_arguments(self.call, _PARAMETERS)


def uses_device_setter(module: Module) -> bool:
    """Returns whether a file places its variables with replica_device_setter."""
    if not module.mentions("replica_device_setter"):
        return False
    of_towers = devices_of_towers(module)
    return any(not of_towers & set(module.ancestors(use.node)) for use in module.uses_of(SETTER))


def setters(program: Program, module: Module) -> list[Setter]:
    """Returns the device setters of a file, in the order of the text."""
    device_setters = []
    of_towers = devices_of_towers(module)
    for call in module.calls_of(SETTER):
        if of_towers & set(module.ancestors(call)):
            continue  # it selects devices of one machine, for towers
        setter = Setter(call)
        _follow(module, call, setter, frozenset())
        setter.problems += _kept_for_others(program, module, setter)
        device_setters.append(setter)
    return device_setters


def _kept_for_others(program: Program, module: Module, setter: Setter) -> Iterator[Refusal]:
    """Yields variables and functions with a setter that other files may use."""
    others = [m for m in program.modules if m is not module]
    for function in setter.makers:
        if any(_names_it(other, function.name) for other in others):
            text = f"other files may call `{function.name}`, which returns the device setter"
            yield Refusal(function, text, _ONE_FILE)
    for statement in setter.assignments:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Attribute):
            if any(_names_it(other, target.attr) for other in others):
                text = f"other files may use the attribute `{target.attr}`, a device setter"
                yield Refusal(target, text, _ONE_FILE)
        elif isinstance(target, ast.Name) and module.names.scope_of[target].parent is None:
            importers = [other for other in others if module in program.reachable(other)]
            if any(_names_it(other, target.id) for other in importers):
                text = f"other files may use `{target.id}` as a device function"
                yield Refusal(target, text, _ONE_FILE)


def _names_it(module: Module, name: str) -> bool:
    """Returns whether a file has an attribute of that name, or imports the name."""
    return module.mentions(name) and (
        any(n.attr == name for n in module.all(ast.Attribute))
        or any(a.name == name for n in module.all(ast.ImportFrom) for a in n.names)
    )


def _follow(module: Module, value: ast.expr, setter: Setter, seen: frozenset[ast.AST]) -> None:
    """Collects the uses of the value of an expression."""
    parent = module.parent(value)
    if isinstance(parent, ast.keyword) and parent.arg == "device_fn":
        setter.functional.append(value)
        return  # of a RunConfig: compat.v1 still has replica_device_setter
    if is_device_call(module, parent) and isinstance(parent, ast.Call):
        if (block := _block(module, parent, value)) is not None:
            setter.blocks.append(block)
            return
    elif isinstance(parent, ast.IfExp) and value is not parent.test:
        other = parent.orelse if value is parent.body else parent.body
        if _is_no_device(other) or _is_setter_call(module, other):
            setter.shared = True
            setter.nothings += [other] if _is_no_device(other) else []
            _follow(module, parent, setter, seen)
            return
    elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        if isinstance(parent.targets[0], ast.Name):
            setter.assignments.append(parent)
            _follow_name(module, parent.targets[0], setter, seen)
            return
        if isinstance(parent.targets[0], ast.Attribute):
            setter.assignments.append(parent)
            _follow_attribute(module, parent.targets[0], setter, seen)
            return
    elif isinstance(parent, ast.Return) and parent not in seen:
        function = module.function(parent)
        if isinstance(function, ast.FunctionDef) and _returns_only(function, parent):
            _follow_function(module, function, setter, seen | {parent})
            return
    text = "unsupported use of the device setter"
    setter.problems.append(Refusal(value, text, "use it only in `with tf.device(...)`"))


def _follow_name(
    module: Module, target: ast.Name, setter: Setter, seen: frozenset[ast.AST]
) -> None:
    bindings = module.names.scope_of[target].bindings.get(target.id, [])
    values = [b.value for b in bindings if isinstance(b, AssignBinding)]
    setter.nothings += [value for value in values if _is_no_device(value)]
    setter.shared |= len(values) > 1
    followed = all(_is_no_device(v) or _may_be_setter(module, v) for v in values)
    if not values or len(values) < len(bindings) or not followed:
        text = f"`{target.id}` is not always a device setter: it is assigned in several places"
        action = f"assign only the device setter to `{target.id}`"
        setter.problems.append(Refusal(target, text, action))
        return
    for use in sorted(module.reads(target.id, module.names.scope_of[target]), key=module.position):
        _follow(module, use, setter, seen)


def _follow_attribute(
    module: Module, target: ast.Attribute, setter: Setter, seen: frozenset[ast.AST]
) -> None:
    """Follows an attribute by its name, which must therefore be assigned only once in the file."""
    places = [n for n in module.all(ast.Attribute) if n.attr == target.attr and n is not target]
    if not all(isinstance(node.ctx, ast.Load) for node in places):
        name = ast.unparse(target)
        text = f"`{name}` is not always a device setter: it is assigned again"
        setter.problems.append(Refusal(target, text, f"assign `{name}` only once"))
        return
    for node in sorted(places, key=module.position):
        _follow(module, node, setter, seen)


def _may_be_setter(module: Module, value: ast.expr) -> bool:
    """Returns whether a value is a device setter on every path."""
    if isinstance(value, ast.IfExp):
        branches = (value.body, value.orelse)
        return all(_is_no_device(b) or _may_be_setter(module, b) for b in branches)
    return _is_setter_call(module, value)


def _is_setter_call(module: Module, node: ast.expr) -> bool:
    if called(module, node) == SETTER:
        return True
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    functions = [f for f in module.tree.body if isinstance(f, ast.FunctionDef) and f.name == name]
    last_values = [getattr(function.body[-1], "value", None) for function in functions]
    return any(called(module, value) == SETTER for value in last_values)


def _is_no_device(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, "")


def _follow_function(
    module: Module, function: ast.FunctionDef, setter: Setter, seen: frozenset[ast.AST]
) -> None:
    if function.decorator_list or not isinstance(module.parent(function), (ast.Module, ast.If)):
        text = "the function that returns the device setter is decorated, nested or a method"
        setter.problems.append(Refusal(function, text, "call replica_device_setter directly"))
        return
    setter.makers.append(function)
    if len([s for s in function.body if not is_text(s)]) == 1:
        setter.functions.append(function)
    for node in module.all(ast.Name):
        if node.id != function.name or not isinstance(node.ctx, ast.Load):
            continue
        if call := module.call_of(node):
            _follow(module, call, setter, seen)
        else:
            text = f"`{function.name}` is referenced without being called"
            setter.problems.append(Refusal(node, text, f"call `{function.name}` here"))


def _returns_only(function: ast.FunctionDef, statement: ast.Return) -> bool:
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    return returns == [statement] and function.body[-1] is statement


def is_device_call(module: Module, node: ast.AST) -> bool:
    """Returns whether a node is a call of tf.device."""
    return called(module, node) == _DEVICE


def _block(module: Module, call: ast.Call, setter: ast.expr) -> Block | None:
    """Returns the ``with`` that a call of tf.device is an item of."""
    item = module.parent(call)
    if not isinstance(item, ast.withitem) or item.optional_vars is not None:
        return None
    statement = module.parent(item)
    return Block(statement, item, setter) if isinstance(statement, ast.With) else None


def device_around(module: Module, node: ast.AST) -> bool:
    """Returns whether a node is in the block of another tf.device."""
    return any(
        is_device_call(module, item.context_expr)
        for outer in module.ancestors(node)
        if isinstance(outer, ast.With)
        for item in outer.items
    )


def is_kept_in_variable(module: Module, setter: ast.expr) -> bool:
    """Returns whether the argument of tf.device is a variable or attribute, as the strategy is."""
    if isinstance(setter, ast.Attribute):
        return True
    if not isinstance(setter, ast.Name):
        return False
    bindings = module.bindings(setter)
    return bool(bindings) and isinstance(bindings[0], AssignBinding)

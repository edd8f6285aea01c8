"""Where a tower computes, and where the variables of all towers are.

The strategy needs both. A name says where a tower computes, and variables are where the tower's
code makes them. Functions that choose a device for each op (``assign_to_device(gpu, ps)``, copied
from one tutorial into many programs) are read by their arguments, not by their code: one names the
tower's device, another that of variables.
Where that is not certain the loop stays: on the wrong device variables train the same, and slower.
"""

import ast
import re
from dataclasses import dataclass, field

from tfmigrate.resolve.calls import last_name
from tfmigrate.resolve.cluster_calls import SETTER
from tfmigrate.resolve.names_in_texts import texts_in
from tfmigrate.resolve.origins import origins
from tfmigrate.rulekit.basics import Module, Program, Refusal

_DEVICE_NAME = re.compile(r"(?:/|device:|^)(?:cpu:\d|gpu:)", re.IGNORECASE)
_VARIABLE_OPS = ("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp")


@dataclass
class TowerDevice:
    """The devices of a loop over towers.

    Attributes:
        text: the expression for the device of one tower, in terms of the loop's target.
        of_variables: the expression for the device of variables, "" for where towers make them.
        problems: what prevents the conversion.
    """

    text: str
    of_variables: str = ""
    problems: list[Refusal] = field(default_factory=list)


def tower_device(
    program: Program, module: Module, loop: ast.For, item: ast.withitem
) -> TowerDevice:
    """Returns the devices that a ``tf.device`` in a loop names."""
    call = item.context_expr
    assert isinstance(call, ast.Call)
    expression = _without_names_of_body(loop, call.args[0])
    is_written = expression is call.args[0]
    device = TowerDevice(source_of(module, expression) if is_written else ast.unparse(expression))
    if isinstance(expression, ast.Call) and not _is_text(module, expression):
        _of_function(program, module, loop, expression, device)
    if unknown := names_in(expression) & _assigned_in(loop):
        names = ", ".join(f"`{name}`" for name in sorted(unknown))
        text = f"the device depends on {names}, assigned in the loop"
        device.problems.append(Refusal(call, text, "compute the device from the loop variable"))
    return device


def source_of(module: Module, node: ast.expr) -> str:
    """Returns the code of an expression on one line, as it was written if that is one line."""
    text = module.code(node)
    return text if text.isprintable() and text else ast.unparse(node)


def _without_names_of_body(loop: ast.For, expression: ast.expr) -> ast.expr:
    """Returns an expression with names that the loop assigns once replaced by their values."""
    values: dict[str, list[ast.expr]] = {}
    for statement in loop.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(statement.value)

    class _Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            replacements = values.get(node.id, [])
            return replacements[0] if len(replacements) == 1 else node

    # A copy: the nodes of the file are keys of what was asked about them.
    written = ast.unparse(expression)
    filled = ast.unparse(_Fill().visit(ast.parse(written, mode="eval").body))
    return ast.parse(filled, mode="eval").body if filled != written else expression


def _assigned_in(loop: ast.For) -> set[str]:
    own = names_in(loop.target)
    stored = {
        n.id
        for statement in loop.body
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return stored - own


def names_in(node: ast.AST) -> set[str]:
    """Returns the names that occur in code."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_text(module: Module, call: ast.Call) -> bool:
    """Returns whether a call returns the name of a device, not a function that chooses one."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("format", "get", "to_string"):
        return True
    return last_name(call.func) in ("str", "DeviceSpec")


def _of_function(
    program: Program, module: Module, loop: ast.For, call: ast.Call, device: TowerDevice
) -> None:
    """Reads the devices of a function that places variables on one device and ops on another."""
    if module.resolve(call.func) == SETTER:
        _of_setter(loop, call, device)
        return
    name = last_name(call.func)
    functions = [
        (other, function)
        for other in program.reachable(module)
        for function in other.all(ast.FunctionDef)
        if function.name == name
    ]
    if len(functions) != 1 or not _chooses_by_op(*functions[0]):
        text = f"the device function that {name} returns is unknown"
        device.problems.append(Refusal(loop, text, "pass device names to tf.device"))
        return
    function = functions[0][1]
    arguments = _arguments(function, call)
    targets = names_in(loop.target)
    own = [value for value in arguments.values() if targets & names_in(value)]
    others = [v for v in arguments.values() if not targets & names_in(v) and _names_device(v)]
    if len(own) != 1 or len(others) != 1:
        text = f"cannot determine the devices that {function.name} chooses"
        device.problems.append(Refusal(loop, text, "pass device names to tf.device"))
        return
    device.text = ast.unparse(own[0])
    if _counts(module, loop, own[0]):
        pattern = next((text for text in texts_in(function) if "%d" in text), "")
        device.text = f"{pattern!r} % {device.text}"
        if not pattern:
            text = f"cannot determine the tower's device from {function.name}"
            device.problems.append(Refusal(loop, text, "pass device names to tf.device"))
    device.of_variables = ast.unparse(others[0])


def _of_setter(loop: ast.For, call: ast.Call, device: TowerDevice) -> None:
    """Reads the devices of a replica_device_setter whose only parameter server is a device."""
    arguments = {k.arg: k.value for k in call.keywords}
    tasks = arguments.get("ps_tasks")
    one_task = isinstance(tasks, ast.Constant) and tasks.value == 1
    expected = {"ps_tasks", "ps_device", "worker_device"}
    if call.args or arguments.keys() != expected or not one_task:
        text = "replica_device_setter needs exactly ps_tasks=1, ps_device and worker_device here"
        action = "pass exactly these three arguments by keyword"
        device.problems.append(Refusal(loop, text, action))
        return
    device.text = ast.unparse(arguments["worker_device"])
    device.of_variables = ast.unparse(arguments["ps_device"])


def _arguments(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    names = [a.arg for a in function.args.args]
    defaults = function.args.defaults
    arguments = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    arguments |= dict(zip(names, call.args, strict=False))
    return arguments | {k.arg: k.value for k in call.keywords if k.arg}


def _names_device(value: ast.expr) -> bool:
    """Returns whether a string in an expression is the name of a device."""
    return any(map(_DEVICE_NAME.search, texts_in(value)))


def _counts(module: Module, loop: ast.For, value: ast.expr) -> bool:
    """Returns whether a tower's argument is its index, and not the name of a device."""
    if list(texts_in(value)):
        return False
    call, target = loop.iter, loop.target
    called = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    if called == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif called not in ("range", "xrange"):
        return False
    return bool(names_in(value)) and names_in(value) <= names_in(target)


def _chooses_by_op(module: Module, function: ast.FunctionDef) -> bool:
    """Returns whether a function returns another one that checks whether an op is a variable."""
    if not [n for n in module.all(ast.FunctionDef, function) if n is not function]:
        return False
    read = [n for n in module.walk(function) if isinstance(n, ast.Name)]
    values: list[ast.AST] = [o for name in read for o in origins(module, name) or ()]
    return any(
        isinstance(node, ast.Constant) and node.value in _VARIABLE_OPS
        for value in (function, *values)
        for node in module.walk(value)
    )

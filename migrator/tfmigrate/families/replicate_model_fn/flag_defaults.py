"""The defaults of a program's flags, and which code they disable.

A hazard of towers (a variable for each, a Keras layer) makes a finding unsafe. Where a flag that is
off by default selects the towers, the program as it is usually started trains on one device, and
nothing changes for it: the message says that. A flag that is defined twice, assigned, or has a
default that is not a constant may have any value.
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.replicate_model_fn.family import references
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.control_flow import conditions_around, within_function
from tfmigrate.resolve.versions import truth
from tfmigrate.rulekit.basics import Module, Program
from tfmigrate.tables.family_names import WRAPPER

_FLAGS = ("tensorflow.app.flags.", "tensorflow.flags.", "absl.flags.")
_DEFINES = ("DEFINE_bool", "DEFINE_boolean", "DEFINE_integer")

Defaults = dict[str, object]


def replicated_by_flag(program: Program, group: str) -> str:
    """Returns the condition under which a program replicates its model, if it is off by default.

    Returns:
        The text of the condition; "" if some model is, or may be, replicated by default.
    """
    modules = [module for module, name in program.groups.items() if name == group]
    defaults = _defaults([m for m, name in program.related.items() if name == group])
    calls = [(m, call) for m in modules for call in references(m, WRAPPER).calls]
    texts = [_off(module, call, defaults) for module, call in calls]
    return texts[0] if texts and all(texts) else ""


def holds_by_default(program: Program, module: Module, condition: ast.expr) -> bool:
    """Returns whether a condition is known to be true with the default flags of a file."""
    return _holds(module, condition, _defaults(list(program.reachable(module)))) is True


def on_one_device(flag: str) -> str:
    """Returns the part of a message about the flag that replicates the model, if any."""
    return f" (by default, `{flag}` selects one device, where training is unchanged)" * bool(flag)


def _off(module: Module, call: ast.Call, defaults: Defaults) -> str:
    """Returns the text of a condition around a call that disables it by default."""
    # Conditions around calls of the function are not looked up.
    for test in conditions_around(module, call, within_function(module, call)):
        if _holds(module, test.expression, defaults) is (not test.holds):
            return ast.unparse(test.expression)
    return ""


def _holds(module: Module, condition: ast.expr, defaults: Defaults) -> bool | None:
    """Returns whether a condition holds with the defaults of flags; None where that is unknown."""

    def known(node: ast.expr) -> object:
        return defaults.get(node.attr) if isinstance(node, ast.Attribute) else None

    return truth(module, condition, known=known)


def _defaults(modules: Sequence[Module]) -> Defaults:
    """Returns the constant defaults of flags that are defined once, by name."""
    flag_values: dict[str, list[object]] = {}
    for module in modules:
        for name, value in _defined(module):
            flag_values.setdefault(name, []).append(value)
    assigned = {
        node.attr
        for module in modules
        for node in module.all(ast.Attribute)
        if isinstance(node.ctx, ast.Store)
    }
    return {
        name: values[0]
        for name, values in flag_values.items()
        if len(values) == 1 and name not in assigned and isinstance(values[0], (bool, int))
    }


def _defined(module: Module) -> Iterator[tuple[str, object]]:
    """Yields the flags that a file defines, each with its default; ... if it is unknown."""
    for call in module.all(ast.Call):
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method == "add_argument":
            options = [a.value for a in call.args if isinstance(a, ast.Constant)]
            names = [o.lstrip("-") for o in options if isinstance(o, str) and o.startswith("--")]
            if names:
                # As argparse names the attribute.
                yield names[0].replace("-", "_"), _default_of_argument(call)
        elif method in _DEFINES and (module.resolve(call.func) or "").startswith(_FLAGS):
            name, default = argument(call, 0, "name"), argument(call, 1, "default")
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value, default.value if isinstance(default, ast.Constant) else ...


def _default_of_argument(call: ast.Call) -> object:
    by_name = {keyword.arg: keyword.value for keyword in call.keywords}
    # `**` may hide a default, and `dest` another name.
    if None in by_name or "dest" in by_name:
        return ...
    action, default = by_name.get("action"), by_name.get("default")
    if default is not None:
        return default.value if isinstance(default, ast.Constant) else ...
    is_flag = isinstance(action, ast.Constant) and action.value == "store_true"
    return False if is_flag else ...
